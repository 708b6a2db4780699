/* trialpath.h - trials of the way from a sandbox to its gateway. */
#ifndef CX_BOX_TRIALPATH_H
#define CX_BOX_TRIALPATH_H

#include "box/trial.h"

cx_trial_act cx_trialpath_route, cx_trialpath_redirect;

#endif
