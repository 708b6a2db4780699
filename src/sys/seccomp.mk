# The filter of system calls is made from its list before seccomp.c compiles.
SECCOMP_ARCH := $(firstword $(subst -, ,$(shell { $(CC) -dumpmachine; } 2>/dev/null)))
SECCOMP_LISTS := $(wildcard share/seccomp/*.list)
SECCOMP_MADE := $(SECCOMP_LISTS:share/seccomp/%.list=$(B)/seccomp-%.inc)
SECCOMP_GEN := src/sys/gen/bpf.c src/sys/gen/list.c

$(B)/gen/bpf: $(SECCOMP_GEN) src/sys/gen/list.h
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $(SECCOMP_GEN)

$(B)/seccomp-%.inc: share/seccomp/%.list share/seccomp/numbers $(B)/gen/bpf
	@echo "  GEN   $@"
	@$(B)/gen/bpf $< share/seccomp/numbers $(SECCOMP_ARCH) $* > $@.new
	@mv $@.new $@

$(B)/sys/seccomp.o: $(SECCOMP_MADE)

# Its test compares with what libseccomp makes of the same list.
$(B)/unit/sys-seccomp: test/unit/sys-seccomp.c src/sys/gen/list.c \
                       $(B)/libcx.a share/seccomp/numbers $(SECCOMP_LISTS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) -Wno-missing-prototypes $(LDFLAGS_ALL) -MMD -MP \
	  -o $@ $< src/sys/gen/list.c $(B)/libcx.a -lseccomp -lcmocka
