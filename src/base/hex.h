/* hex.h - hexadecimal; ours is lower-case. */
#ifndef CX_BASE_HEX_H
#define CX_BASE_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a digit of either case is worth; -1: it is none. */
int cx_hex_digit(char c);

/* Writes 2 * size digits and a NUL. */
void cx_hex_write(const uint8_t *data, size_t size, char *ret_text);

/* Reads exactly 2 * size lower-case digits and the end of the text. */
bool cx_hex_read(const char *text, uint8_t *ret_data, size_t size);

#endif
