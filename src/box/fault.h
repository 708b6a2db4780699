/*
 * fault.h - a failed step as an error class with a remedy.
 */
#ifndef CX_BOX_FAULT_H
#define CX_BOX_FAULT_H

#include "base/err.h"
#include "box/step.h"

/* Fills *err for step's failure with errno error; -1. The machine's refusal of
 * a mechanism is isolation_unavailable, more than loopback in the network
 * namespace is network_not_isolated, all else is worker_error. */
int cx_fault_explain(enum cx_step step, int error, struct cx_err *err);

#endif
