/* num.h - whole numbers from text: digits only, no sign, space or overflow. */
#ifndef CX_BASE_NUM_H
#define CX_BASE_NUM_H

#include <stdbool.h>
#include <stdint.h>

/* "0" or digits without a leading zero, min <= n <= max. */
bool cx_num_parse(const char *text, uint64_t min, uint64_t max,
                  uint64_t *ret_number);

#endif
