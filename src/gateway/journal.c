/* journal.c - see journal.h. */
#include "gateway/journal.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>

#include "base/mem.h"
#include "base/promise.h"
#include "base/str.h"
#include "gateway/visit.h"

/* ---- a line -------------------------------------------------------------- */

static void put(struct cx_journal_line *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void put(struct cx_journal_line *line, const char *format, ...)
{
	size_t room = sizeof line->text - line->size;
	va_list arg;
	int size;

	va_start(arg, format);
	size = vsnprintf(line->text + line->size, room, format, arg);
	va_end(arg);
	if (size < 0 || (size_t)size >= room)
		line->full = true;
	else
		line->size += (size_t)size;
}

/* It stands for itself, and can't end a text or a line. */
static bool is_plain(unsigned char byte, bool raw)
{
	return byte >= ' ' && byte != '"' && byte != '\\' && byte != 0x7f &&
	       (byte < 0x80 || !raw);
}

void cx_journal_text(struct cx_journal_line *line, const char *name,
                     const char *text, bool raw)
{
	put(line, "%c\"%s\":\"", line->size ? ',' : '{', name);
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;

		put(line, CX_PROMISE(log_line_whole, is_plain(byte, raw))
		          ? "%c" : "\\u%04x", byte);
	}
	put(line, "\"");
}

void cx_journal_number(struct cx_journal_line *line, const char *name,
                       uint64_t number)
{
	put(line, "%c\"%s\":%" PRIu64, line->size ? ',' : '{', name, number);
}

/* ---- the log ------------------------------------------------------------- */

int cx_journal_start(const struct cx_config *config, uint32_t tunnels,
                     struct cx_journal *ret, struct cx_err *err)
{
	CX_AUTO_LOGSITE struct cx_logsite site = CX_LOGSITE_NONE;

	*ret = CX_JOURNAL_NONE;
	if (cx_logsite_open(config, &site, err) < 0)
		return -1;
	if (site.folder_fd < 0)
		return 0;
	if (cx_scribe_start(&site, &ret->scribe, err) < 0)
		return -1;
	ret->path = cx_mem_text(config->log_path);
	if (cx_room_start(&ret->visits, tunnels, sizeof(struct cx_visit)) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "the log's table");
	return 0;
}

int cx_journal_reload(struct cx_journal *journal,
                      const struct cx_config *config, struct cx_err *err)
{
	const char *path = config->log_path;

	if (!path != !journal->path ||
	    (path && !cx_str_same(path, journal->path))) {
		cx_err_set(err, CX_E_CONFIG_INVALID, "a log begins, ends or "
		           "moves only with a new start of the gateway");
		return cx_err_at(err, "/egress/log/path");
	}
	if (path && !cx_scribe_turn(&journal->scribe, config->log_max_bytes,
	                            config->log_keep))
		return cx_err_set(err, CX_E_IO_ERROR, "the log's process "
		                  "takes nothing now");
	return 0;
}

static void say_gone(struct cx_journal *journal)
{
	static const char text[] = "cx-gateway: the process that writes the "
	                           "log has ended; nothing more is logged\n";
	struct pollfd error = { 2, POLLOUT, 0 };

	if (journal->gone)
		return;
	journal->gone = true;
	if (poll(&error, 1, 0) == 1 && write(2, text, sizeof text - 1) < 0)
		return; /* nobody is there to be told */
}

static void send_text(struct cx_journal *journal, const char *text,
                      size_t size, uint64_t lines)
{
	char whole[CX_SCRIBE_LINE_MAX];
	size_t loss = 0;

	if (journal->lost > 0)
		loss = cx_scribe_loss(journal->lost, whole);
	memcpy(whole + loss, text, size);
	if (loss + size == 0)
		return;
	if (cx_scribe_take(&journal->scribe, whole, loss + size)) {
		journal->lost = 0;
		return;
	}
	if (errno == EPIPE)
		say_gone(journal);
	journal->lost += lines;
}

void cx_journal_add(struct cx_journal *journal, struct cx_journal_line *line)
{
	put(line, "}\n");
	if (line->full)
		journal->lost++;
	else
		send_text(journal, line->text, line->size, 1);
}

void cx_journal_done(struct cx_journal *journal)
{
	if (journal->path)
		send_text(journal, "", 0, 0);
	cx_scribe_done(&journal->scribe);
	cx_room_done(&journal->visits);
	free(journal->path);
	journal->path = NULL;
}
