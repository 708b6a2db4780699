/* delegate.h - the verb delegate: root gives a user groups to limit runs in. */
#ifndef CX_RUN_DELEGATE_H
#define CX_RUN_DELEGATE_H

#include "base/err.h"

/* enter: a process of the user's that goes inside on v2; -1: the nearest of
 * our ancestors that is the user's. */
int cx_delegate_to(const char *user, int enter, struct cx_err *err);

#endif
