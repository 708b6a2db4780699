# The probe: one static program that runs over any image.
PROBE := $(B)/test/probe
$(PROBE): test/box/probe.c
	@mkdir -p $(@D)
	@echo "  CC    $<"
	@$(CC) -std=gnu17 -O1 -g -D_GNU_SOURCE -Wall -Wextra -Wshadow -Werror \
	  -static -o $@ $<

box-tools: $(PROBE)
