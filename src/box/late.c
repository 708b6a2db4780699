/* late.c - see late.h. */
#include "box/late.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/buf.h"
#include "base/fd.h"

enum { FDS_MAX = 2 };

/* Before the texts: the working folder, the environment, the arguments or the
 * shell's text, each with its NUL. */
struct head {
	uint32_t env, arguments;
	bool shell, input;
};

union control {
	struct cmsghdr head;
	char room[CMSG_SPACE(FDS_MAX * sizeof(int))];
};

static void add(struct cx_buf *to, const char *text)
{
	cx_buf_add(to, text, strlen(text) + 1);
}

static uint32_t add_all(struct cx_buf *to, char *const *text)
{
	uint32_t count = 0;

	for (; text[count]; count++)
		add(to, text[count]);
	return count;
}

/* False: it doesn't fit. */
static bool write_all(const struct cx_box *box, struct head *ret_head,
                      struct cx_buf *ret)
{
	*ret_head = (struct head){
		.shell = box->command != NULL, .input = box->stdin_fd >= 0,
	};
	add(ret, box->profile->cwd);
	ret_head->env = add_all(ret, box->profile->env);
	if (box->command)
		add(ret, box->command);
	else
		ret_head->arguments = add_all(ret, box->argv);
	return ret->size <= CX_LATE_BYTES_MAX &&
	       ret_head->env + ret_head->arguments + 2 <= CX_LATE_TEXTS_MAX;
}

int cx_late_send(int control_fd, const struct cx_box *box, int workspace_fd)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };
	const int fd[FDS_MAX] = { workspace_fd, box->stdin_fd };
	size_t size = (box->stdin_fd < 0 ? 1 : 2) * sizeof fd[0];
	union control with = { .head = {
		.cmsg_len = CMSG_LEN(size), .cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS } };
	struct head head;
	struct iovec part[] = { { &head, sizeof head }, { 0 } };
	struct msghdr message = {
		.msg_iov = part, .msg_iovlen = 2,
		.msg_control = &with, .msg_controllen = CMSG_SPACE(size),
	};

	if (!write_all(box, &head, &text))
		return -1;
	part[1] = (struct iovec){ text.data, text.size };
	memcpy(CMSG_DATA(&with.head), fd, size);
	return sendmsg(control_fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ?
	       -1 : 0;
}

/* Bytes of the body; -1 and errno. */
static ssize_t receive(const struct cx_enter *enter, struct cx_late *late,
                       struct head *ret_head, int ret_fd[FDS_MAX])
{
	union control with = { 0 };
	struct iovec part[] = {
		{ ret_head, sizeof *ret_head },
		{ late->body, sizeof late->body },
	};
	struct msghdr message = {
		.msg_iov = part, .msg_iovlen = 2,
		.msg_control = &with, .msg_controllen = sizeof with,
	};
	size_t size;
	ssize_t n;

	do
		n = recvmsg(enter->control_fd, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		_exit(0); /* nobody has a command for us */
	size = (n > (ssize_t)sizeof *ret_head && ret_head->input ? 2 : 1) *
	       sizeof ret_fd[0];
	if (n > 0 && (n <= (ssize_t)sizeof *ret_head ||
	              (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) ||
	              message.msg_controllen < CMSG_LEN(size) ||
	              with.head.cmsg_type != SCM_RIGHTS ||
	              with.head.cmsg_len != CMSG_LEN(size))) {
		errno = EBADMSG;
		return -1;
	}
	if (n > 0)
		memcpy(ret_fd, CMSG_DATA(&with.head), size);
	return n - (ssize_t)sizeof *ret_head;
}

/* Texts one after the other, as long as there are any. */
struct reader {
	char *at;
	size_t left;
};

static char *read_text(struct reader *reader)
{
	char *text = reader->at;
	const char *end = memchr(text, '\0', reader->left);
	size_t size;

	if (!end)
		return NULL;
	size = (size_t)(end - text) + 1;
	reader->at += size;
	reader->left -= size;
	return text;
}

static bool read_texts(struct reader *reader, size_t count, char **ret)
{
	for (size_t i = 0; i < count; i++) {
		ret[i] = read_text(reader);
		if (!ret[i])
			return false;
	}
	ret[count] = NULL;
	return true;
}

static bool understand(struct cx_late *late, const struct head *head,
                       size_t size)
{
	struct reader reader = { late->body, size };
	struct cx_profile *profile = &late->profile;

	if (head->env > CX_PROFILE_ENV_MAX ||
	    head->arguments >= CX_LATE_TEXTS_MAX)
		return false;
	profile->cwd = read_text(&reader);
	if (!profile->cwd || !read_texts(&reader, head->env, profile->env))
		return false;
	profile->env_count = head->env;
	if (head->shell) {
		late->box.command = read_text(&reader);
		return late->box.command && reader.left == 0;
	}
	late->box.argv = late->text;
	return head->arguments > 0 && reader.left > 0 &&
	       read_texts(&reader, head->arguments, late->text) &&
	       reader.left == 0;
}

/* Where it waits it may be moved: whoever wakes it knows a free CPU. */
int cx_late_take(struct cx_enter *enter, const struct cx_plan_item *item)
{
	struct cx_late *late = enter->box->late;
	int fd[FDS_MAX] = { -1, -1 };
	struct head head;
	ssize_t size;

	(void)item;
	cx_affinity_roam(&enter->may_use);
	size = receive(enter, late, &head, fd);
	if (size < 0)
		return -1;
	late->box = *enter->box;
	late->profile = *enter->box->profile;
	late->box.profile = &late->profile;
	late->box.stdin_fd = fd[1];
	enter->workspace_tree_fd = fd[0];
	enter->box = &late->box;
	if (understand(late, &head, (size_t)size))
		return 0;
	errno = EBADMSG;
	return -1;
}
