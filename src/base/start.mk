# What a static program begins with, out of the C library's archive.
#
# Before main() glibc asks an Intel processor for the sizes of its caches, by
# some fifty CPUID instructions, to choose when memcpy(3) goes past them. In a
# virtual machine each is a trap to the host of 4 to 8 us: half a millisecond
# at every start, as much as a sandbox's network takes. For the makers that it
# doesn't know glibc has defaults, and doesn't ask. So the one comparison with
# the maker's name is made to fail: what the processor can do is still asked,
# and used. Where the archive has no such comparison, or several (another C
# library, another architecture), or where copying doesn't work with it (glibc
# before its bug 29953 was mended had a bad default), the archive's own member
# is linked as it is. START= turns it off.
define START_TRY
#include <stdlib.h>
#include <string.h>
int main(void)
{
	enum { ALL = 1 << 23 };
	unsigned char *from = malloc(ALL + 64), *to = malloc(ALL + 64);
	for (size_t i = 0; i < ALL + 64; i++)
		from[i] = (unsigned char)(i * 31 + i / 257);
	for (size_t size = 1; size < ALL; size = size * 3 / 2 + 1)
		for (size_t off = 0; off < 3; off++) {
			memset(to, 0, size + 8);
			memcpy(to + off, from + 1, size);
			memmove(to + off + 1, to + off, size);
			if (memcmp(to + off + 1, from + 1, size) != 0)
				return 1;
		}
	return 0;
}
endef
export START_TRY

$(B)/start.o:
	@mkdir -p $(@D)
	@echo "  GEN   $@"
	@ar p "$$($(CC) -print-file-name=libc.a)" libc-start.o >$@.whole
	@LC_ALL=C sed 's/\x81\xfbGenu/\x81\xfbgenu/' $@.whole >$@.short.o
	@printf '%s\n' "$$START_TRY" >$@.try.c
	@if [ "$$(LC_ALL=C grep -aoP '\x81\xfbGenu' $@.whole | wc -l)" = 1 ] && \
	$(CC) -O1 -fno-builtin -fPIE -static-pie -o $@.try $@.try.c $@.short.o && \
	timeout 20 $@.try; \
	then cp $@.short.o $@; else cp $@.whole $@; fi
	@rm -f $@.whole $@.short.o $@.try $@.try.c
