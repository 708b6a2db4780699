/* label.c - see label.h. */
#include "store/label.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/fd.h"
#include "data/json.h"
#include "store/address.h"

enum { LABEL_MAX_BYTES = 16384 };

int cx_label_write(int folder_fd, const struct cx_volume_owner *owner,
                   struct cx_err *err)
{
	CX_AUTO_JSON json_t *label = NULL;
	CX_AUTO_BUF struct cx_buf text = { 0 };
	CX_AUTO_FD int fd = openat(folder_fd, "label", O_WRONLY | O_CREAT |
	                           O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	label = json_pack("{s:s, s:s, s:s, s:I}", "orgId", owner->org_id,
	                  "userId", owner->user_id,
	                  owner->name ? "name" : owner->run_id ? "runId"
	                                                       : "jobId",
	                  owner->name ? owner->name : owner->run_id
	                  ? owner->run_id : owner->job_id,
	                  "made", (json_int_t)(cx_clock_wall_ms() / 1000));
	cx_json_write(label, &text);
	cx_buf_byte(&text, '\n');
	if (fd < 0 || cx_fd_write(fd, text.data, text.size) < 0)
		return cx_err_sys(err, CX_E_IO_ERROR, "label a workspace");
	return 0;
}

static void copy(const json_t *label, const char *name, char *ret,
                 size_t size)
{
	const char *text = cx_json_text(label, name);

	snprintf(ret, size, "%s", text ? text : "");
}

bool cx_label_read(int folder_fd, struct cx_label *ret)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	CX_AUTO_JSON json_t *label = NULL;
	struct cx_err ignored;
	struct stat stat;

	*ret = (struct cx_label){ 0 };
	if (fstatat(folder_fd, "label", &stat, AT_SYMLINK_NOFOLLOW) < 0 ||
	    cx_fd_load(folder_fd, "label", LABEL_MAX_BYTES, &text,
	               &ignored) < 0 ||
	    cx_json_parse(text.data, text.size, "label", &label,
	                  &ignored) < 0)
		return false;
	copy(label, "orgId", ret->org_id, sizeof ret->org_id);
	copy(label, "userId", ret->user_id, sizeof ret->user_id);
	copy(label, "runId", ret->run_id, sizeof ret->run_id);
	copy(label, "jobId", ret->job_id, sizeof ret->job_id);
	copy(label, "name", ret->name, sizeof ret->name);
	ret->made = cx_json_number(label, "made", 0);
	ret->used = stat.st_mtim.tv_sec;
	return *ret->org_id && (*ret->run_id || *ret->job_id || *ret->name);
}

void cx_label_touch(int folder_fd)
{
	const int64_t now = cx_clock_wall_ms();
	const struct timespec time[2] = {
		{ .tv_sec = now / 1000 }, { .tv_sec = now / 1000 },
	};

	/* when it can't be said, the old time stands */
	if (utimensat(folder_fd, "label", time, AT_SYMLINK_NOFOLLOW) < 0)
		return;
}
