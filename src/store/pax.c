/* pax.c - see pax.h. */
#include "store/pax.h"

/* "<length> <name>=<value>\n", where length counts itself. */
void cx_pax_add(struct cx_buf *ret, const char *name, const char *value)
{
	size_t body = strlen(name) + strlen(value) + 3, length = body + 1;
	size_t next;

	/* a length that grows by a digit counts that digit as well */
	while ((next = body + (size_t)snprintf(NULL, 0, "%zu", length)) !=
	       length)
		length = next;
	cx_buf_print(ret, "%zu %s=", length, name);
	cx_buf_text(ret, value);
	cx_buf_byte(ret, '\n');
}

void cx_pax_add_number(struct cx_buf *ret, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof text, "%llu", (unsigned long long)value);
	cx_pax_add(ret, name, text);
}
