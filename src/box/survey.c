/* survey.c - see survey.h. */
#include "box/survey.h"

#include <fcntl.h>
#include <sys/utsname.h>

#include "base/fd.h"
#include "box/made.h"

int cx_survey_path(int fd, char ret_path[PATH_MAX])
{
	char link[48];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, ret_path, PATH_MAX - 1);
	if (n <= 0)
		return -1;
	ret_path[n] = '\0';
	return 0;
}

/* The folder that a layer stands in, and the name that it has there; false
 * where the name is too long to be mounted by. */
static bool split(char path[PATH_MAX], char ret_name[CX_SURVEY_NAME])
{
	char *slash = strrchr(path, '/');
	size_t size = slash ? strlen(slash + 1) + 1 : PATH_MAX;

	if (size > CX_SURVEY_NAME)
		return false;
	memcpy(ret_name, slash + 1, size);
	slash[slash == path] = '\0';
	return true;
}

bool cx_survey_roots(const struct cx_box *box, char ret_roots[PATH_MAX],
                     char ret_name[][CX_SURVEY_NAME])
{
	CX_AUTO_FD int roots_fd = -1;

	for (size_t i = 0; i < box->layer_count; i++) {
		char path[PATH_MAX];

		if (cx_survey_path(box->layer[i].fd, path) < 0 ||
		    !split(path, ret_name[i]))
			return false;
		if (i == 0)
			memcpy(ret_roots, path, strlen(path) + 1);
		else if (strcmp(path, ret_roots) != 0)
			return false;
	}
	roots_fd = open(ret_roots, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return roots_fd >= 0 && cx_made_publish(roots_fd) == 0;
}

bool cx_survey_has_groups(const struct cx_subtree *subtree)
{
	for (int tree = 0; tree < CX_HIERARCHY_TREES; tree++)
		if (subtree->fd[tree] >= 0)
			return true;
	return false;
}

bool cx_survey_counts_inside(void)
{
	struct utsname name;
	int major, minor;

	if (uname(&name) < 0 ||
	    sscanf(name.release, "%d.%d", &major, &minor) != 2)
		return false;
	return major > 5 || (major == 5 && minor >= 14);
}
