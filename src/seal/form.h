/* form.h - the shapes of what the verbs of cx-seal read and write. */
#ifndef CX_SEAL_FORM_H
#define CX_SEAL_FORM_H

#include "data/shape.h"

/* A document whose sections pass through, with what a verb looks at. */
extern const struct cx_shape cx_form_session;  /* with session */
extern const struct cx_shape cx_form_carrier;  /* with carrier */
extern const struct cx_shape cx_form_plain;    /* with neither */
extern const struct cx_shape cx_form_key;      /* an entry of ring.json */
extern const struct cx_shape cx_form_keys;     /* {"keys": [...]} */

/* The purposes of keys, NULL-ended. */
extern const char *const cx_form_purposes[];

#endif
