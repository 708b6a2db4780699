/* lodge.c - see lodge.h. */
#include "gateway/lodge.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/promise.h"
#include "plane/passkey.h"

static int start(struct cx_registrar *registrar,
                 const uint8_t secret[CX_MESSAGE_SECRET_BYTES], int listen_fd,
                 struct cx_lodge *ret, struct cx_err *err)
{
	if (cx_reception_start(registrar, secret, listen_fd,
	                       &ret->reception) < 0)
		return cx_err_sys(err, CX_E_INTERNAL, "take memory");
	return 0;
}

int cx_lodge_open(const struct cx_state *state, const char *path,
                  struct cx_registrar *registrar, struct cx_lodge *ret,
                  struct cx_err *err)
{
	const struct cx_doorway_wish wish = {
		path, "gateway.sock", SOCK_SEQPACKET,
	};
	uint8_t secret[CX_RING_KEY_BYTES];
	int done;

	*ret = (struct cx_lodge){
		.door = CX_DOORWAY_NONE, .private_number = -1,
	};
	if (cx_passkey_read(state, true, secret, err) < 0)
		return -1;
	done = cx_doorway_open(state, &wish, &ret->door, err);
	if (done == 0)
		done = start(registrar, secret, cx_fd_take(&ret->door.fd),
		             ret, err);
	cx_mem_wipe(secret, sizeof secret);
	return done;
}

int cx_lodge_adopt(int fd, struct cx_registrar *registrar,
                   struct cx_lodge *ret, struct cx_err *err)
{
	uint8_t secret[CX_MESSAGE_SECRET_BYTES + 1];
	ssize_t n;
	int done;

	*ret = (struct cx_lodge){
		.door = CX_DOORWAY_NONE, .private_number = -1,
	};
	/* stopped, it wouldn't notice the connection's end */
	if (!CX_PROMISE(private_gateway_dies,
	                prctl(PR_SET_PDEATHSIG, SIGKILL) == 0))
		return cx_err_sys(err, CX_E_INTERNAL, "tie the gateway's life "
		                  "to its starter's");
	do
		n = recv(fd, secret, sizeof secret, 0);
	while (n < 0 && errno == EINTR);
	if (n != CX_MESSAGE_SECRET_BYTES || !cx_message_peer_is_ours(fd))
		return cx_err_set(err, CX_E_CONTROL_UNAUTHORIZED,
		                  "standard input isn't the connection of who "
		                  "starts a private gateway");
	done = start(registrar, secret, -1, ret, err);
	cx_mem_wipe(secret, sizeof secret);
	if (done == 0)
		ret->private_number = cx_reception_adopt(&ret->reception, fd);
	return done;
}

void cx_lodge_done(struct cx_lodge *lodge)
{
	if (lodge->door.folder_fd >= 0)
		cx_doorway_remove(&lodge->door);
	cx_doorway_done(&lodge->door);
	cx_reception_done(&lodge->reception);
}
