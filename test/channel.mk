# Two of these signal to each other, or can't: one static program.
CHANNEL := $(B)/test/channel
$(CHANNEL): test/box/channel.c
	@mkdir -p $(@D)
	@echo "  CC    $<"
	@$(CC) -std=gnu17 -O1 -g -D_GNU_SOURCE -Wall -Wextra -Wshadow -Werror \
	  -include src/base/banned.h -static -o $@ $<

box-tools: $(CHANNEL)
