/* tarblock.c - see tarblock.h. */
#include "store/tarblock.h"

static unsigned sum(const struct cx_tarblock *block)
{
	const unsigned char *byte = (const unsigned char *)block;
	unsigned total = 0;

	for (unsigned i = 0; i < CX_TARBLOCK_BYTES; i++)
		total += i >= 148 && i < 156 ? ' ' : byte[i];
	return total;
}

static void put(char *field, unsigned size, uint64_t value)
{
	for (unsigned i = size - 1; i-- > 0; value >>= 3)
		field[i] = (char)('0' + (value & 7));
}

void cx_tarblock_make(struct cx_tarblock *ret, char type, const char *name,
                      const char *link, unsigned mode, uint64_t size,
                      uint64_t mtime)
{
	memset(ret, 0, sizeof *ret);
	memcpy(ret->name, name, strnlen(name, sizeof ret->name));
	memcpy(ret->link, link, strnlen(link, sizeof ret->link));
	ret->type = type;
	put(ret->mode, sizeof ret->mode, mode);
	put(ret->uid, sizeof ret->uid, 10001);
	put(ret->gid, sizeof ret->gid, 10001);
	put(ret->size, sizeof ret->size, size);
	put(ret->mtime, sizeof ret->mtime, mtime);
	memcpy(ret->magic, "ustar", 6);
	memcpy(ret->version, "00", 2);
	memcpy(ret->user, "cx", 2);
	memcpy(ret->group, "cx", 2);
	put(ret->major, sizeof ret->major, 0);
	put(ret->minor, sizeof ret->minor, 0);
	put(ret->checksum, 7, sum(ret));
	ret->checksum[7] = ' ';
}

bool cx_tarblock_number(const char *field, unsigned size, uint64_t *ret)
{
	uint64_t value = 0;
	unsigned i = 0;

	if ((unsigned char)*field == 0x80) { /* base 256, big endian */
		for (i = 1; i < size; i++) {
			if (value >> 55)
				return false;
			value = value << 8 | (unsigned char)field[i];
		}
		*ret = value;
		return true;
	}
	while (i < size && field[i] == ' ')
		i++;
	if (i == size || field[i] < '0' || field[i] > '7')
		return false;
	for (; i < size && field[i] >= '0' && field[i] <= '7'; i++)
		value = value << 3 | (uint64_t)(field[i] - '0');
	*ret = value;
	return i == size || field[i] == ' ' || field[i] == '\0';
}

bool cx_tarblock_is_valid(const struct cx_tarblock *block)
{
	uint64_t claimed;

	return cx_tarblock_number(block->checksum, sizeof block->checksum,
	                          &claimed) &&
	       claimed == sum(block);
}

bool cx_tarblock_is_end(const struct cx_tarblock *block)
{
	static const struct cx_tarblock zero;

	return memcmp(block, &zero, sizeof zero) == 0;
}

unsigned cx_tarblock_padding(uint64_t size)
{
	return (unsigned)(-size & (CX_TARBLOCK_BYTES - 1));
}
