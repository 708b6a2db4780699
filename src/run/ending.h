/*
 * ending.h - the limit that ended a command, as a line for a person.
 */
#ifndef CX_RUN_ENDING_H
#define CX_RUN_ENDING_H

#include "data/json.h"

/*
 * What to say of a result whose command a limit ended or held back: the limit
 * and its key in the configuration. *ret_text is owned; NULL: nothing.
 */
void cx_ending_tell(const json_t *result, char **ret_text);

#endif
