/* fill.h - what the command line says of a document's session. */
#ifndef CX_CLI_FILL_H
#define CX_CLI_FILL_H

#include "cli/io.h"

/*
 * Puts --org, --user, --surface and --run into the session of doc, making the
 * section when it isn't there. A text that isn't UTF-8 is refused, not
 * repaired: two texts must not become one identity.
 */
int cx_fill_session(const struct cx_io_args *args, json_t *doc,
                    struct cx_err *err);

#endif
