# What a static program begins with, out of the C library's archive.
#
# Before main() glibc asks an Intel processor for the sizes of its caches, by
# some fifty CPUID instructions, to choose when memcpy(3) goes past them, and
# any processor for what it can do, by a dozen more. In a virtual machine each
# is a trap to the host of 4 to 8 us: half a millisecond at every start, as much
# as a sandbox's network takes. So the first of them, which asks how many more
# there are, is left out, and the answer is none: what every x86-64 can do is
# used. Where the archive has no such place, the one comparison with the maker's
# name is made to fail, for which glibc has defaults and asks for no caches.
# Where it has neither or several (another C library, another architecture), or
# where copying doesn't work with it (glibc before its bug 29953 was mended had
# a bad default), the archive's own member is linked as it is. START= turns it
# off.
#
# Two functions stand in for the archives' own: the loader's, which reads a link
# of /proc to know where libraries may be found beside the program, of which
# there are none; and libcrypto's, which asks the processor as well, and is done
# without until there is much to hash (data/digest.c).
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

define START_MORE
#include <stdint.h>
const char *_dl_get_origin(void);
const char *_dl_get_origin(void)
{
	return (const char *)(intptr_t)-1;
}
#ifdef __x86_64__
void OPENSSL_cpuid_setup(void);
void OPENSSL_cpuid_setup(void)
{
}
#endif
endef
export START_MORE

START_NONE := s/\x31\xc0\(.\{33\}\)\x0f\xa2\(\x89\x05.\{4\}\x81\xfb\)Genu/\x31\xc0\1\x66\x90\2genu/
START_NAME := s/\x81\xfbGenu/\x81\xfbgenu/

$(B)/start.o:
	@mkdir -p $(@D)
	@echo "  GEN   $@"
	@ar p "$$($(CC) -print-file-name=libc.a)" libc-start.o >$@.whole.o
	@printf '%s\n' "$$START_TRY" >$@.try.c
	@printf '%s\n' "$$START_MORE" >$@.more.c
	@$(CC) -O1 -fPIE -c -o $@.more.o $@.more.c
	@LC_ALL=C sed '$(START_NONE)' $@.whole.o >$@.none.o
	@LC_ALL=C sed '$(START_NAME)' $@.whole.o >$@.name.o
	@for short in none name; do \
	if [ "$$(LC_ALL=C grep -aoP '\x81\xfbGenu' $@.whole.o | wc -l)" = 1 ] && \
	! cmp -s $@.whole.o $@.$$short.o && \
	$(CC) -O1 -fno-builtin -fPIE -static-pie -o $@.try $@.try.c $@.$$short.o && \
	timeout 20 $@.try; \
	then mv $@.$$short.o $@.start.o; break; fi; done
	@[ -e $@.start.o ] || mv $@.whole.o $@.start.o
	@$(LD) -r -o $@ $@.start.o $@.more.o
	@rm -f $@.*
