/* allowlist.c - see allowlist.h. */
#include "plane/allowlist.h"

#include <idn2.h>
#include <libpsl.h>
#include <stdlib.h>
#include <string.h>

#include "base/promise.h"
#include "model/hostport.h"

static void free_text(uint8_t **text)
{
	idn2_free(*text);
}

static bool is_ascii(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)text[i] >= 0x80)
			return false;
	return true;
}

/* IDNA: what is in other scripts becomes A-labels; A-labels are checked. */
static int read_host(const char *text, const struct cx_hostport *part,
                     struct cx_host *ret, struct cx_err *err)
{
	__attribute__((cleanup(free_text))) uint8_t *ascii = NULL;
	char host[CX_ALLOWLIST_TEXT_MAX + 1];
	bool plain = is_ascii(part->host, part->size);
	enum cx_host_kind kind;
	int fault;

	memcpy(host, part->host, part->size);
	host[part->size] = '\0';
	if (plain && cx_host_read(host, part->size, ret) == CX_HOST_LITERAL)
		return 0;
	fault = idn2_lookup_u8((const uint8_t *)host, &ascii,
	                       IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
	if (fault != IDN2_OK)
		return cx_err_set(err, CX_E_INPUT_INVALID,
		                  "the entry %.300s is no host name: %s", text,
		                  idn2_strerror(fault));
	kind = cx_host_read((const char *)ascii,
	                    strlen((const char *)ascii), ret);
	if (kind == CX_HOST_NAME)
		return 0;
	return cx_err_set(err, CX_E_INPUT_INVALID,
	                  "the entry %.300s isn't HOST, *.HOST or HOST:PORT, "
	                  "with a name or an address in its canonical form "
	                  "(IPv6 in brackets)", text);
}

int cx_allowlist_read(const char *text, struct cx_entry *ret,
                      struct cx_err *err)
{
	size_t size = strlen(text);
	struct cx_hostport part;

	if (size > CX_ALLOWLIST_TEXT_MAX)
		return cx_err_set(err, CX_E_INPUT_INVALID,
		                  "an entry has at most %d bytes",
		                  CX_ALLOWLIST_TEXT_MAX);
	if (!cx_hostport_split(text, size, &part))
		return cx_err_set(err, CX_E_INPUT_INVALID,
		                  "the port of %.300s isn't one from 1 to "
		                  "65535 in decimal digits", text);
	if (read_host(text, &part, &ret->host, err) < 0)
		return -1;
	ret->port = part.port;
	if (ret->host.kind == CX_HOST_LITERAL && part.under)
		return cx_err_set(err, CX_E_INPUT_INVALID, "%.300s: nothing "
		                  "is under an address", text);
	if (ret->host.kind == CX_HOST_LITERAL ||
	    CX_PROMISE(suffix_refused, !psl_is_public_suffix(
	               psl_builtin(), ret->host.name)))
		return 0;
	return cx_err_set(err, CX_E_INPUT_INVALID,
	                  "%.300s is a public suffix: anybody can register a "
	                  "name under it; name the hosts", text);
}
