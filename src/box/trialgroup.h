/* trialgroup.h - trials of the limits that a control group holds. */
#ifndef CX_BOX_TRIALGROUP_H
#define CX_BOX_TRIALGROUP_H

#include "box/trial.h"

cx_trial_act cx_trialgroup_memory, cx_trialgroup_swap, cx_trialgroup_pids,
	cx_trialgroup_cpu;

#endif
