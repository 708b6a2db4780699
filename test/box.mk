# The sandbox's own test programs, beside what the bats files run.
BOX_TRY := $(B)/test/try
WITHOUT := $(B)/test/without

$(BOX_TRY): test/box/try.c $(B)/libcx.a
	@mkdir -p $(@D)
	@echo "  CC    $<"
	@$(CC) $(CFLAGS_ALL) -Wno-missing-prototypes $(LDFLAGS_ALL) -MMD -MP \
	  -o $@ $< $(B)/libcx.a $(LIBS_cx-run)
-include $(BOX_TRY).d

# Runs anything on a kernel that lacks system calls.
$(WITHOUT): test/lib/without.c
	@mkdir -p $(@D)
	@echo "  CC    $<"
	@$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $< -lseccomp

.PHONY: box-try
box-try: $(BOX_TRY)
box-tools: $(WITHOUT)

# Says whether anything of a command is left after it; kills it in the middle.
ORPHANS := $(B)/test/orphans
$(ORPHANS): test/lib/orphans.c
	@mkdir -p $(@D)
	@echo "  CC    $<"
	@$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $<

# What runs inside: static, so that it runs over any image.
PROBE := $(B)/test/probe
INSIDE := $(PROBE) $(addprefix $(B)/test/,canary channel escape)
$(INSIDE): $(B)/test/%: test/box/%.c test/box/attempt.h
	@mkdir -p $(@D)
	@echo "  CC    $<"
	@$(CC) -std=gnu17 -O1 -g -D_GNU_SOURCE -Wall -Wextra -Wshadow -Werror \
	  -include src/base/banned.h -static -o $@ $<
box-tools: $(ORPHANS) $(INSIDE)
