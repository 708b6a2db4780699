/*
 * tree.h - the steps of init that build the sandbox's file system.
 *
 * Each carries out one item of the plan and returns 0 or -1 and errno. From
 * ROOT on the working folder is the new root, in which targets are resolved;
 * its top layer (box/made.c) has a folder for each, so that no link of an
 * image is followed.
 */
#ifndef CX_BOX_TREE_H
#define CX_BOX_TREE_H

#include "box/enter.h"

int cx_tree_stage(struct cx_enter *enter, const struct cx_plan_item *item);
int cx_tree_root(struct cx_enter *enter, const struct cx_plan_item *item);
int cx_tree_dev(struct cx_enter *enter, const struct cx_plan_item *item);
int cx_tree_device(struct cx_enter *enter, const struct cx_plan_item *item);
int cx_tree_proc(struct cx_enter *enter, const struct cx_plan_item *item);
int cx_tree_mask(struct cx_enter *enter, const struct cx_plan_item *item);
int cx_tree_tmpfs(struct cx_enter *enter, const struct cx_plan_item *item);
int cx_tree_volume(struct cx_enter *enter, const struct cx_plan_item *item);
int cx_tree_script(struct cx_enter *enter, const struct cx_plan_item *item);
int cx_tree_seal(struct cx_enter *enter, const struct cx_plan_item *item);
int cx_tree_pivot(struct cx_enter *enter, const struct cx_plan_item *item);

#endif
