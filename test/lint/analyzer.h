/*
 * analyzer.h - what an analyzer can't see from one file alone: these always
 * return -1.
 */
#include "base/err.h"

#define cx_err_set(...) (cx_err_set(__VA_ARGS__), -1)
#define cx_err_sys(...) (cx_err_sys(__VA_ARGS__), -1)
#define cx_err_wrap(...) (cx_err_wrap(__VA_ARGS__), -1)
#define cx_err_at(...) (cx_err_at(__VA_ARGS__), -1)
#define cx_err_missing(...) (cx_err_missing(__VA_ARGS__), -1)
