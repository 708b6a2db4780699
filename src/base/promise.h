/*
 * promise.h - conditions that the product promises.
 *
 * CX_PROMISE(id, condition) is the condition and nothing else, except in the
 * one build with -DCX_SABOTAGE, where the promise whose id stands in the
 * environment variable CX_SABOTAGE always reads as held ("true"), so that its
 * guarding test can be seen to fail. Write it as the condition under which
 * work may go on:   if (!CX_PROMISE(mac_matches, same)) refuse;
 */
#ifndef CX_BASE_PROMISE_H
#define CX_BASE_PROMISE_H

#include <stdbool.h>

enum cx_promise {
#define CX_PROMISE_ROW(id, claim, sentence, file, test) CX_PROMISE_##id,
#include "base/promise.def"
#undef CX_PROMISE_ROW
	CX_PROMISE_COUNT
};

#ifdef CX_SABOTAGE
bool cx_promise_off(enum cx_promise promise);
#define CX_PROMISE(id, condition) \
	(cx_promise_off(CX_PROMISE_##id) || (condition))
#else
#define CX_PROMISE(id, condition) \
	((void)CX_PROMISE_##id, (bool)(condition))
#endif

#endif
