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

# A command that tells when it ran; static, as what runs over any image.
CANARY := $(B)/test/canary
$(CANARY): test/box/canary.c
	@mkdir -p $(@D)
	@echo "  CC    $<"
	@$(CC) -std=gnu17 -O1 -g -D_GNU_SOURCE -Wall -Wextra -Wshadow -Werror \
	  -static -o $@ $<
box-tools: $(ORPHANS) $(CANARY)
