/* trialspace.h - trials of namespaces and of mounts in them. */
#ifndef CX_BOX_TRIALSPACE_H
#define CX_BOX_TRIALSPACE_H

#include "box/trial.h"

cx_trial_act cx_trialspace_user, cx_trialspace_last_user, cx_trialspace_mnt,
	cx_trialspace_pid, cx_trialspace_ipc, cx_trialspace_uts,
	cx_trialspace_net, cx_trialspace_cgroup;
cx_trial_act cx_trialspace_tmpfs, cx_trialspace_proc, cx_trialspace_overlay,
	cx_trialspace_bind, cx_trialspace_pivot, cx_trialspace_node,
	cx_trialspace_idmap;
cx_trial_act cx_trialspace_fsopen, cx_trialspace_open_tree,
	cx_trialspace_move_mount, cx_trialspace_mount_setattr;

#endif
