/* tarpeek.h - the names in an archive, without unpacking any. */
#ifndef CX_STORE_TARPEEK_H
#define CX_STORE_TARPEEK_H

#include "store/inflate.h"

/* Shows each name as it stands in the archive until the visit returns false
 * or the archive ends. */
typedef bool cx_tarpeek_visit(const char *name, void *context);
int cx_tarpeek_each(struct cx_inflate *inflate, cx_tarpeek_visit *visit,
                    void *context, struct cx_err *err);

#endif
