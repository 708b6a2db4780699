/*
 * signals.h - signals as a program expects them at its start.
 */
#ifndef CX_SYS_SIGNALS_H
#define CX_SYS_SIGNALS_H

/* Every disposition at its default; what the parent ignored would stay ignored
 * over exec. Async-signal-safe. 0 or -1, errno. */
int cx_signals_default(void);

/* An empty mask. 0 or -1, errno. */
int cx_signals_unblock(void);

#endif
