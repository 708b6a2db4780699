# PID 1 of an OCI runtime's container: static and without sanitizers, whatever
# the rest is built with.
INNER_SRC := src/box/inner/first.c \
             $(addprefix src/box/,command.c init.c) \
             $(addprefix src/sys/,affinity.c caps.c clone.c landlock.c \
                         seccomp.c sieve.c signals.c) \
             $(addprefix src/model/,profile.c quota.c tier.c) \
             $(addprefix src/base/,buf.c clock.c err.c fd.c mem.c num.c path.c \
                         str.c)
INNER_FLAGS = $(filter-out -fsanitize% -fno-sanitize% --coverage \
                           -fprofile% -DCX_SABOTAGE,$(CFLAGS_ALL))

INNER_HEADERS := $(wildcard src/base/*.h src/base/*.def src/box/*.h \
                            src/box/*.def src/model/*.h src/sys/*.h)

$(B)/inner/first: $(INNER_SRC) $(INNER_HEADERS) $(B)/seccomp-command.inc
	@mkdir -p $(@D)
	@echo "  CC    $@"
	@$(CC) $(INNER_FLAGS) -Wl,--gc-sections -s -static \
	  -o $@ $(INNER_SRC)

$(B)/inner-file.inc: $(B)/inner/first
	@echo '#define CX_INNER_FILE "$<"' >$@

$(B)/box/inner.o: $(B)/inner-file.inc
