/* trialcall.h - trials of single calls, of the filters, and of disk quota. */
#ifndef CX_BOX_TRIALCALL_H
#define CX_BOX_TRIALCALL_H

#include "box/trial.h"

cx_trial_act cx_trialcall_clone3, cx_trialcall_close_range,
	cx_trialcall_openat2, cx_trialcall_pidfd, cx_trialcall_memfd,
	cx_trialcall_affinity, cx_trialcall_capabilities,
	cx_trialcall_seccomp, cx_trialcall_landlock, cx_trialcall_quota;

#endif
