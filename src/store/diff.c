/* diff.c - see diff.h. */
#include "store/diff.h"

#include <errno.h>
#include <fcntl.h>

#include "base/fd.h"
#include "store/attribute.h"
#include "store/regular.h"
#include "store/twin.h"
#include "store/walk.h"

/* One pass over a tree, with the other beside it. */
struct pass {
	cx_diff_visit *visit;
	void *context;
	bool backward;      /* over what was: only what is no more counts */
	struct cx_twin twin;
};

static int fault(struct cx_err *err)
{
	return cx_err_sys(err, CX_E_IO_ERROR, "compare the workspace");
}

static int same_bytes(const struct cx_diff_change *change)
{
	struct stat was, is;
	CX_AUTO_FD int was_fd = cx_regular_open(change->was.folder_fd,
	                                        change->name, &was);
	CX_AUTO_FD int is_fd = cx_regular_open(change->is.folder_fd,
	                                       change->name, &is);

	if (was_fd < 0 || is_fd < 0)
		return -1;
	return was.st_size == is.st_size &&
	       cx_regular_same(was_fd, is_fd, (uint64_t)is.st_size);
}

static int same_target(const struct cx_diff_change *change)
{
	char was[4097], is[4097];
	ssize_t was_size = readlinkat(change->was.folder_fd, change->name, was,
	                              sizeof was);
	ssize_t is_size = readlinkat(change->is.folder_fd, change->name, is,
	                             sizeof is);

	if (was_size < 0 || is_size < 0)
		return -1;
	return was_size == is_size && memcmp(was, is, (size_t)is_size) == 0;
}

/* 1, 0, or -1 and errno. */
static int same_content(const struct cx_diff_change *change)
{
	mode_t mode = change->is.stat.st_mode;

	if (S_ISREG(mode))
		return change->was.stat.st_size == change->is.stat.st_size
		       ? same_bytes(change) : 0;
	if (S_ISLNK(mode))
		return same_target(change);
	return change->was.stat.st_rdev == change->is.stat.st_rdev ||
	       S_ISDIR(mode);
}

/* As far as is needed to know that they differ. */
static int compare(struct cx_diff_change *change, bool *ret_differs)
{
	const struct stat *was = &change->was.stat, *is = &change->is.stat;
	int same;

	if ((was->st_mode ^ is->st_mode) & S_IFMT) {
		*ret_differs = true;
		return 0;
	}
	if (S_ISREG(is->st_mode) || S_ISDIR(is->st_mode)) {
		same = cx_attribute_same(change->was.folder_fd, change->name,
		                         change->is.folder_fd, change->name);
		if (same < 0)
			return -1;
		change->attributes = same == 0;
	}
	*ret_differs = change->attributes || was->st_mode != is->st_mode;
	if (*ret_differs)
		return 0;
	same = same_content(change);
	*ret_differs = same == 0;
	return same < 0 ? -1 : 0;
}

/* Whether the twin's folder has the name: 1 with its stat, 0, -1. */
static int look(const struct cx_twin *twin, const char *name,
                struct cx_diff_side *ret)
{
	ret->folder_fd = cx_twin_fd(twin);
	if (ret->folder_fd < 0)
		return 0;
	if (fstatat(ret->folder_fd, name, &ret->stat,
	            AT_SYMLINK_NOFOLLOW) == 0)
		return 1;
	return errno == ENOENT ? 0 : -1;
}

static int show_new(const struct pass *pass, struct cx_diff_change *change,
                    struct cx_err *err)
{
	int there = look(&pass->twin, change->name, &change->was);
	bool differs = true;

	if (there < 0)
		return fault(err);
	change->kind = there ? CX_DIFF_MODIFIED : CX_DIFF_ADDED;
	if (there && compare(change, &differs) < 0)
		return fault(err);
	return differs ? pass->visit(change, pass->context, err) : 0;
}

static int show_old(const struct pass *pass, struct cx_diff_change *change,
                    struct cx_err *err)
{
	int there = look(&pass->twin, change->name, &change->is);

	if (there < 0)
		return fault(err);
	change->kind = CX_DIFF_DELETED;
	return there ? 0 : pass->visit(change, pass->context, err);
}

static int show(struct pass *pass, const struct cx_walk_entry *entry,
                struct cx_err *err)
{
	struct cx_diff_change change = {
		.path = entry->path, .name = entry->name,
	};
	struct cx_diff_side *side = pass->backward ? &change.was : &change.is;

	side->folder_fd = entry->folder_fd;
	side->stat = entry->stat;
	if ((pass->backward ? show_old : show_new)(pass, &change, err) < 0)
		return -1;
	if (entry->step == CX_WALK_FOLDER &&
	    cx_twin_enter(&pass->twin, entry->name) < 0)
		return fault(err);
	return 0;
}

static int go(struct pass *pass, int top_fd, struct cx_err *err)
{
	CX_AUTO_WALK struct cx_walk walk = { 0 };
	struct cx_walk_entry entry;
	int got;

	if (cx_walk_start(top_fd, true, &walk) < 0)
		return fault(err);
	while ((got = cx_walk_next(&walk, &entry)) > 0) {
		if (cx_twin_to(&pass->twin, entry.depth) < 0)
			return fault(err);
		if (entry.step != CX_WALK_LEAVE && show(pass, &entry, err) < 0)
			return -1;
	}
	return got < 0 ? fault(err) : 0;
}

static int run_pass(struct pass *pass, int top_fd, int twin_fd,
                    struct cx_err *err)
{
	int done;

	if (cx_twin_start(twin_fd, &pass->twin) < 0)
		return fault(err);
	done = go(pass, top_fd, err);
	cx_twin_done(&pass->twin);
	return done;
}

/* The top folder's own mode and attributes. */
static int show_top(const struct pass *pass, int was_fd, int is_fd,
                    struct cx_err *err)
{
	struct cx_diff_change change = {
		.kind = CX_DIFF_MODIFIED, .path = ".", .name = ".",
		.was = { .folder_fd = was_fd }, .is = { .folder_fd = is_fd },
	};
	bool differs;

	if (fstat(was_fd, &change.was.stat) < 0 ||
	    fstat(is_fd, &change.is.stat) < 0 ||
	    compare(&change, &differs) < 0)
		return fault(err);
	return differs ? pass->visit(&change, pass->context, err) : 0;
}

int cx_diff_trees(int was_fd, int is_fd, cx_diff_visit *visit, void *context,
                  struct cx_err *err)
{
	struct pass pass = { .visit = visit, .context = context };

	if (was_fd >= 0 && show_top(&pass, was_fd, is_fd, err) < 0)
		return -1;
	if (run_pass(&pass, is_fd, was_fd, err) < 0)
		return -1;
	pass.backward = true;
	return was_fd < 0 ? 0 : run_pass(&pass, was_fd, is_fd, err);
}
