/* num.c - see num.h. */
#include "base/num.h"

bool cx_num_parse(const char *text, uint64_t min, uint64_t max,
                  uint64_t *ret_number)
{
	uint64_t n = 0;

	if (!*text || (text[0] == '0' && text[1]))
		return false;
	for (const char *at = text; *at; at++) {
		if (*at < '0' || *at > '9')
			return false;
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*at - '0'), &n))
			return false;
	}
	if (n < min || n > max)
		return false;
	*ret_number = n;
	return true;
}
