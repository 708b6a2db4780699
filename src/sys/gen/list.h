/*
 * list.h - share/seccomp/NAME.list read into rules; for the generator and for
 * the test that compares what it generates with libseccomp.
 *
 * A program of the build: it prints what is wrong and exits 1.
 */
#ifndef CX_SYS_GEN_LIST_H
#define CX_SYS_GEN_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CX_LIST_RULES_MAX = 512,
	CX_LIST_CHOICES_MAX = 4,
	CX_LIST_TESTS_MAX = 4,
	CX_LIST_VALUES_MAX = 48,
};

/* One argument's low half, masked, is (or, differs, isn't) one of values. */
struct cx_list_test {
	unsigned arg;
	uint32_t mask;
	bool differs;
	uint32_t value[CX_LIST_VALUES_MAX];
	size_t count;
};

/* All of them hold. */
struct cx_list_choice {
	struct cx_list_test test[CX_LIST_TESTS_MAX];
	size_t count;
};

enum cx_list_verdict { CX_LIST_ALLOW, CX_LIST_REFUSE, CX_LIST_JUDGE };

struct cx_list_rule {
	char name[40];
	int number;
	enum cx_list_verdict verdict;
	uint32_t error; /* of REFUSE, and of JUDGE when no choice holds */
	struct cx_list_choice choice[CX_LIST_CHOICES_MAX];
	size_t count;
};

struct cx_list {
	struct cx_list_rule rule[CX_LIST_RULES_MAX]; /* by number */
	size_t count;
};

/* Reads the list with the numbers of arch ("x86_64", "aarch64"); calls that
 * the architecture doesn't have are left out. */
void cx_list_read(const char *list, const char *numbers, const char *arch,
                  struct cx_list *ret);

/* The number of EPERM, ENOSYS, ...; 0 when unknown. */
uint32_t cx_list_error(const char *name);

#endif
