/*
 * knob.h - the one-line files of cgroupfs, procfs and sysfs.
 *
 * A knob is written in one write(2), since every write is a command, and read
 * in one pread(2): what doesn't fit into 4 KiB isn't one. Where it is read, no
 * name says that dir_fd is the knob itself, open.
 */
#ifndef CX_SYS_KNOB_H
#define CX_SYS_KNOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 0 or -1 and errno. Async-signal-safe. */
int cx_knob_write(int dir_fd, const char *name, const char *text);
int cx_knob_write_number(int dir_fd, const char *name, uint64_t number);

/* The text without its final newline; -1 and errno. */
int cx_knob_read(int dir_fd, const char *name, char *ret, size_t size);

/* The number that the whole file is; -1 when it isn't there or isn't one. */
int64_t cx_knob_number(int dir_fd, const char *name);

/* The number after "key " at the start of a line; -1 when there is none. */
int64_t cx_knob_field(int dir_fd, const char *name, const char *key);

/* The file has word among its words (separated by spaces). */
bool cx_knob_has_word(int dir_fd, const char *name, const char *word);

#endif
