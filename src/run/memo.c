/* memo.c - see memo.h. */
#include "run/memo.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/promise.h"
#include "base/str.h"
#include "data/canon.h"
#include "store/lock.h"
#include "sys/subtree.h"

static const char FILE_NAME[] = "ready.json";

enum { FILE_MAX_BYTES = 4096 };

static bool add_file(const char *path, struct cx_buf *ret)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	struct cx_err ignored;

	if (cx_fd_load(AT_FDCWD, path, 65536, &text, &ignored) < 0)
		return false;
	cx_buf_add(ret, text.data, text.size);
	cx_buf_byte(ret, '\n');
	return true;
}

/* The lines of our status that say what we may do. */
static bool add_rights(struct cx_buf *ret)
{
	static const char *const word[] = {
		"Uid:", "CapEff:", "CapBnd:", "NoNewPrivs:", "Seccomp:",
		"Seccomp_filters:", NULL,
	};
	CX_AUTO_BUF struct cx_buf text = { 0 };
	struct cx_err ignored;

	if (cx_fd_load(AT_FDCWD, "/proc/self/status", 65536, &text,
	               &ignored) < 0)
		return false;
	for (size_t i = 0; word[i]; i++) {
		const char *at = strstr(text.data, word[i]);

		if (at)
			cx_buf_add(ret, at, strcspn(at, "\n") + 1);
	}
	return true;
}

static bool add_link(const char *path, struct cx_buf *ret)
{
	char target[128];
	ssize_t n = readlink(path, target, sizeof target);

	if (n <= 0)
		return false;
	cx_buf_add(ret, target, (size_t)n);
	cx_buf_byte(ret, '\n');
	return true;
}

static bool add_program(struct cx_buf *ret)
{
	struct stat st;

	if (stat("/proc/self/exe", &st) < 0)
		return false;
	cx_buf_print(ret, "%llu %llu %lld.%09ld\n",
	             (unsigned long long)st.st_dev,
	             (unsigned long long)st.st_ino,
	             (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	return true;
}

/* What a command's control group could hold just now. */
static void add_groups(struct cx_buf *ret)
{
	struct cx_subtree subtree;

	cx_subtree_find(&subtree);
	cx_buf_print(ret, "%u %d\n", subtree.holds, subtree.v2);
	cx_subtree_done(&subtree);
}

/* The file as it was parsed, and what the environment put over it. */
static void add_config(const struct cx_broker *broker, struct cx_buf *ret)
{
	const struct cx_config *config = &broker->config;

	if (config->tree)
		cx_canon_write(config->tree, ret);
	cx_buf_print(ret, "\n%d %s %s %s\n", config->rollout, config->gateway,
	             config->l0 ? config->l0 : "made last",
	             broker->has_image ? broker->image.digest : "none");
}

static bool bind(const struct cx_broker *broker, char ret[CX_DIGEST_TEXT])
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	struct cx_digest digest;
	bool known = add_file("/proc/sys/kernel/random/boot_id", &text) &&
	             add_file("/proc/self/cgroup", &text) &&
	             add_link("/proc/self/ns/user", &text) &&
	             add_link("/proc/self/ns/mnt", &text) &&
	             add_rights(&text) && add_program(&text);

	add_groups(&text);
	add_config(broker, &text);
	cx_digest_of(text.data, text.size, &digest);
	cx_digest_text(&digest, ret);
	return known;
}

int cx_memo_open(struct cx_broker *broker, struct cx_memo *ret,
                 struct cx_err *err)
{
	struct cx_err ignored;

	*ret = CX_MEMO_NONE;
	/* without one the round trip says why */
	cx_broker_need_image(broker, &ignored);
	ret->is_bound = bind(broker, ret->bound);
	return cx_state_folder(&broker->state, CX_STATE_RUN, &ret->run_fd,
	                       err);
}

void cx_memo_done(struct cx_memo *memo)
{
	cx_fd_close_at(&memo->lease_fd);
	cx_fd_close_at(&memo->run_fd);
}

int cx_memo_lease(struct cx_memo *memo, struct cx_err *err)
{
	return cx_lock_take(memo->run_fd, "ready.lock", CX_LOCK_EXCLUSIVE,
	                    true, &memo->lease_fd, err);
}

static void copy(const json_t *memo, const char *name, char *ret, size_t size)
{
	const char *text = cx_json_text(memo, name);

	snprintf(ret, size, "%s", text ? text : "");
}

/* The file, when it is one, ours, and nobody else's to write; else -1. */
static int open_own(int run_fd)
{
	CX_AUTO_FD int fd = openat(run_fd, FILE_NAME, O_RDONLY | O_CLOEXEC |
	                           O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    !CX_PROMISE(memo_own, st.st_uid == geteuid() &&
	                (st.st_mode & (S_IWGRP | S_IWOTH)) == 0))
		return -1;
	return cx_fd_take(&fd);
}

static bool read_file(int run_fd, json_t **ret)
{
	CX_AUTO_FD int fd = open_own(run_fd);
	CX_AUTO_BUF struct cx_buf text = { 0 };
	struct cx_err ignored;

	return fd >= 0 &&
	       cx_fd_slurp(fd, FILE_MAX_BYTES, FILE_NAME, &text,
	                   &ignored) == 0 &&
	       cx_json_parse(text.data, text.size, FILE_NAME, ret,
	                     &ignored) == 0;
}

bool cx_memo_read(const struct cx_memo *memo, int64_t since_ms,
                  struct cx_roundtrip *ret)
{
	CX_AUTO_JSON json_t *file = NULL;
	int64_t now = cx_clock_wall_ms();
	const char *bound, *fault;

	if (!memo->is_bound || !read_file(memo->run_fd, &file))
		return false;
	bound = cx_json_text(file, "bound");
	fault = cx_json_text(file, "fault");
	*ret = (struct cx_roundtrip){
		.at_ms = cx_json_number(file, "at", -1),
		.fault = fault ? cx_err_find(fault) : CX_E_NONE,
		.wall_ms = cx_json_number(file, "wallMs", -1),
	};
	copy(file, "why", ret->why, sizeof ret->why);
	copy(file, "jobId", ret->job_id, sizeof ret->job_id);
	copy(file, "imageDigest", ret->image_digest,
	     sizeof ret->image_digest);
	/* a clock that was set back leaves none from the future */
	return CX_PROMISE(memo_bound, bound &&
	                  cx_str_same(bound, memo->bound)) &&
	       CX_PROMISE(memo_young, now - ret->at_ms < CX_MEMO_LIFE_MS) &&
	       ret->at_ms >= since_ms && ret->at_ms <= now;
}

void cx_memo_write(const struct cx_memo *memo, const struct cx_roundtrip *trip)
{
	CX_AUTO_JSON json_t *file = NULL;
	CX_AUTO_BUF struct cx_buf text = { 0 };
	struct cx_err ignored;

	if (!memo->is_bound)
		return;
	file = json_pack("{s:s, s:I, s:s?, s:s, s:s, s:s, s:I}",
	                 "bound", memo->bound, "at", (json_int_t)trip->at_ms,
	                 "fault", trip->fault ? cx_err_name(trip->fault)
	                                      : NULL,
	                 "why", trip->why, "jobId", trip->job_id,
	                 "imageDigest", trip->image_digest,
	                 "wallMs", (json_int_t)trip->wall_ms);
	cx_json_write(file, &text);
	cx_fd_replace(memo->run_fd, FILE_NAME, text.data, text.size, 0600,
	              &ignored);
}
