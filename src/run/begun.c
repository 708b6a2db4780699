/* begun.c - see begun.h. */
#include "run/begun.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"
#include "data/json.h"
#include "store/lock.h"
#include "store/volume.h"

enum { FILE_MAX_BYTES = 65536 };

static const int folder_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

/* run/started; -1 when it isn't there and make is false. */
static int open_folder(const struct cx_state *state, bool make)
{
	CX_AUTO_FD int run = -1;
	struct cx_err ignored = { 0 };
	int fd;

	if ((make ? cx_state_folder : cx_state_peek)(state, CX_STATE_RUN, &run,
	                                             &ignored) < 0 || run < 0)
		return -1;
	fd = openat(run, "started", folder_flags);
	if (fd < 0 && make && errno == ENOENT &&
	    (mkdirat(run, "started", 0700) == 0 || errno == EEXIST))
		fd = openat(run, "started", folder_flags);
	return fd;
}

static void add(json_t *file, const char *name, const char *text)
{
	if (text)
		json_object_set_new(file, name, json_string(text));
}

static json_t *describe(const char *key, const struct cx_event *event,
                        bool passing)
{
	json_t *file = json_object();

	add(file, "key", key);
	add(file, "orgId", event->org_id);
	add(file, "userId", event->user_id);
	add(file, "jobId", event->job_id);
	add(file, "runId", event->run_id);
	add(file, "surface", cx_surface_text(event->surface));
	add(file, "cwd", event->cwd);
	add(file, "imageDigest", event->image_digest);
	add(file, "egressMode", cx_tier_text(event->egress_mode));
	json_object_set_new(file, "passing", json_boolean(passing));
	return file;
}

/* The file, leased. */
static bool make_file(const struct cx_state *state, const char *id,
                      struct cx_begun *begun)
{
	struct cx_err ignored = { 0 };

	snprintf(begun->id, sizeof begun->id, "%s", id);
	begun->folder_fd = open_folder(state, true);
	return begun->folder_fd >= 0 &&
	       cx_lock_take(begun->folder_fd, id, CX_LOCK_EXCLUSIVE, true,
	                    &begun->lease_fd, &ignored) == 0;
}

void cx_begun_mark(const struct cx_state *state, const char *id,
                   const char *key, const struct cx_event *event,
                   bool passing, struct cx_begun *begun)
{
	CX_AUTO_JSON json_t *file = describe(key, event, passing);
	CX_AUTO_BUF struct cx_buf line = { 0 };

	cx_json_write(file, &line);
	cx_buf_byte(&line, '\n');
	if ((begun->lease_fd >= 0 || make_file(state, id, begun)) &&
	    pwrite(begun->lease_fd, line.data, line.size, 0) ==
	    (ssize_t)line.size)
		return;
	cx_begun_done(begun);
}

void cx_begun_clear(struct cx_begun *begun)
{
	if (!begun->stays || begun->lease_fd < 0 ||
	    ftruncate(begun->lease_fd, 0) < 0)
		cx_begun_done(begun);
}

void cx_begun_done(struct cx_begun *begun)
{
	if (begun->lease_fd >= 0)
		unlinkat(begun->folder_fd, begun->id, 0);
	cx_fd_close_at(&begun->lease_fd);
	cx_fd_close_at(&begun->folder_fd);
}

/* false: not now, a later start tries again. */
static bool record_lost(struct cx_broker *broker, const json_t *file)
{
	const char *job = cx_json_text(file, "jobId");
	const char *org = cx_json_text(file, "orgId");
	const char *user = cx_json_text(file, "userId");
	const char *key = cx_json_text(file, "key");
	const char *surface = cx_json_text(file, "surface");
	const char *tier = cx_json_text(file, "egressMode");
	struct cx_event event;
	struct cx_err ignored = { 0 };

	if (!job || !org || !user || !key)
		return true;
	cx_event_start(org, user, job, &event);
	event.run_id = cx_json_text(file, "runId");
	event.decision = CX_DECISION_ALLOWED;
	event.reason = CX_E_NONE;
	event.termination = CX_TERMINATION_LOST;
	event.cwd = cx_json_text(file, "cwd");
	event.image_digest = cx_json_text(file, "imageDigest");
	if (surface)
		cx_surface_find(surface, &event.surface);
	if (tier)
		cx_tier_find(tier, &event.egress_mode);
	return cx_record_try(&broker->sink, &event, key, true, &ignored) == 0;
}

static void drop_workspace(struct cx_broker *broker, const json_t *file)
{
	const struct cx_volume_owner owner = {
		.org_id = cx_json_text(file, "orgId"),
		.user_id = cx_json_text(file, "userId"),
		.job_id = cx_json_text(file, "jobId"),
	};

	if (owner.org_id && owner.job_id && cx_json_is_true(file, "passing"))
		cx_volume_reclaim(&broker->state, &owner);
}

/* One whose lease is free: its launcher is dead. */
static void sweep_one(struct cx_broker *broker, int folder, const char *name)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	CX_AUTO_JSON json_t *file = NULL;
	CX_AUTO_FD int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW |
	                           O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat held, named;
	struct cx_err ignored = { 0 };

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return;
	/* another may have swept it between the two calls */
	if (fstat(fd, &held) < 0 ||
	    fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) < 0 ||
	    held.st_ino != named.st_ino)
		return;
	if (cx_fd_slurp(fd, FILE_MAX_BYTES, name, &text, &ignored) == 0 &&
	    cx_json_parse(text.data, text.size, name, &file, &ignored) == 0) {
		if (!record_lost(broker, file))
			return;
		drop_workspace(broker, file);
	}
	unlinkat(folder, name, 0);
}

void cx_begun_sweep(struct cx_broker *broker)
{
	int fd = open_folder(&broker->state, false);
	DIR *folder = fd < 0 || cx_path_is_empty(fd) ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!folder) {
		cx_fd_close_at(&fd);
		return;
	}
	while ((entry = readdir(folder)))
		if (!cx_str_same(entry->d_name, ".") &&
		    !cx_str_same(entry->d_name, ".."))
			sweep_one(broker, dirfd(folder), entry->d_name);
	closedir(folder);
}
