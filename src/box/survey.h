/*
 * survey.h - what of the machine and of the store a sandbox depends on.
 */
#ifndef CX_BOX_SURVEY_H
#define CX_BOX_SURVEY_H

#include <limits.h>
#include <stdbool.h>

#include "box/box.h"
#include "sys/subtree.h"

enum { CX_SURVEY_NAME = 80 }; /* bytes of a layer's folder's name */

/* Where an open folder stands, as the kernel says. 0 or -1, errno. */
int cx_survey_path(int fd, char ret_path[PATH_MAX]);

/* The layers' folder and the name of each in there, when all stand in one and
 * the made layer is beside them, or could be made there. */
bool cx_survey_roots(const struct cx_box *box, char ret_roots[PATH_MAX],
                     char ret_name[][CX_SURVEY_NAME]);

/* There is a folder in which a group can be made. */
bool cx_survey_has_groups(const struct cx_subtree *subtree);

/* RLIMIT_NPROC counts in each user namespace by itself (Linux 5.14); before,
 * it would count all that the outer user runs. */
bool cx_survey_counts_inside(void);

#endif
