/*
 * load.h - libyaml's events of one document into jansson's values.
 *
 * The text has passed data/screen.h. Ancestors stand on a stack of
 * CX_JSON_DEPTH_MAX, so there is no recursion, and a fault knows its pointer.
 */
#ifndef CX_DATA_LOAD_H
#define CX_DATA_LOAD_H

#include "data/yaml.h"

/* As cx_yaml_parse; faults as in cx_yaml_declaration, NULL to end at the first
 * doubtful scalar. */
int cx_load_text(const char *text, size_t size, const char *what,
                 enum cx_yaml_mode mode, json_t *faults, json_t **ret_value,
                 struct cx_err *err);

#endif
