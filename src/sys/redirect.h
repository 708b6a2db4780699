/*
 * redirect.h - the routes and the chain of nf_tables that bring every
 * connection of a namespace to a port of its own (see portal.h).
 */
#ifndef CX_SYS_REDIRECT_H
#define CX_SYS_REDIRECT_H

/* `local 0.0.0.0/0 dev lo` and `local ::/0 dev lo` in the calling process's
 * namespace, and one more address of each kind on loopback; where the kernel
 * has no IPv6, the first of them alone. 0 or -1, errno. */
int cx_redirect_routes(void);

/* Table `inet cx`, chain `out`: addresses of loopback are accepted, all other
 * TCP goes to CX_PORTAL_ANY_PORT. The program for the kernel is made at build
 * time. 0 or -1, errno (EOPNOTSUPP, EPROTONOSUPPORT, ENOENT: no nf_tables). */
int cx_redirect_tcp(void);

#endif
