/*
 * setting.h - every key of the configuration, as a table.
 *
 * plane/config checks a file against it, and share/schema/config.json is
 * printed from it. A key is added here first.
 */
#ifndef CX_PLANE_SETTING_H
#define CX_PLANE_SETTING_H

#include "data/shape.h"

extern const struct cx_shape cx_setting_shape;

/* auto, none or an absolute path. */
bool cx_setting_is_gateway(const char *text);

#endif
