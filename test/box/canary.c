/*
 * canary.c - a command that tells when it ran.
 *
 *	canary listen SOCKET    prints "called" for each call, until it is killed
 *	canary call SOCKET FILE makes FILE and calls
 *
 * The file says that something of the command ran, the socket says it at once
 * and to somebody outside, whatever becomes of the workspace. Static, so that
 * it runs over any image.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static bool name(const char *path, struct sockaddr_un *ret)
{
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof ret->sun_path)
		return false;
	memcpy(ret->sun_path, path, strlen(path) + 1);
	return true;
}

static int hear(int fd, const struct sockaddr_un *at)
{
	if (bind(fd, (const struct sockaddr *)at, sizeof *at) < 0 ||
	    chmod(at->sun_path, 0777) < 0 || listen(fd, 64) < 0)
		return 71;
	/* an owner that the sandbox's map doesn't know may not be written to;
	 * who can't give it away is mapped himself */
	if (chown(at->sun_path, 10001, 10001) < 0 && errno != EPERM &&
	    errno != EINVAL)
		return 71;
	printf("listening\n");
	for (;;) {
		fflush(stdout);
		close(accept(fd, NULL, NULL));
		printf("called\n");
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_un at;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int file;

	if (argc < 3 || !name(argv[2], &at))
		return 64;
	if (strcmp(argv[1], "listen") == 0)
		return hear(fd, &at);
	file = argc == 4 ? open(argv[3], O_WRONLY | O_CREAT, 0600) : -1;
	if (file < 0)
		return 73;
	return connect(fd, (const struct sockaddr *)&at, sizeof at) < 0 ? 74
	                                                                : 0;
}
