/*
 * hello.c - what reads as a hello with a name: the name stands in the bytes,
 * and no beginning of them reads as a hello with another.
 */
#include <ctype.h>
#include <stdbool.h>

#include "gateway/hello.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition)
{
	if (!condition)
		abort();
}

/* Split over records the name may be in pieces; its first byte is there. */
static bool stands_in(const uint8_t *data, size_t size, const char *name)
{
	for (size_t i = 0; i < size; i++)
		if (tolower(data[i]) == name[0])
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cx_hello whole, cut;
	enum cx_hello_state state = cx_hello_read(data, size, &whole);

	demand((state == CX_HELLO_NAMED) == (whole.name[0] != '\0'));
	demand(strlen(whole.name) < sizeof whole.name);
	if (state == CX_HELLO_MORE || size == 0)
		return 0;
	if (state == CX_HELLO_NAMED)
		demand(stands_in(data, size, whole.name));
	for (size_t at = 0; at < size && at < 2048; at++) {
		enum cx_hello_state before = cx_hello_read(data, at, &cut);

		/* once it is known it stays as it is; but for the limit */
		if (before != CX_HELLO_MORE && size <= CX_HELLO_MAX_BYTES)
			demand(before == state &&
			       strcmp(cut.name, whole.name) == 0);
	}
	return 0;
}
