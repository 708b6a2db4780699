# What tries to leave a sandbox's network: static, so that it runs over any
# image.
ESCAPE := $(B)/test/escape
$(ESCAPE): test/box/escape.c
	@mkdir -p $(@D)
	@echo "  CC    $<"
	@$(CC) -std=gnu17 -O1 -g -D_GNU_SOURCE -Wall -Wextra -Wshadow -Werror \
	  -static -o $@ $<

box-tools: $(ESCAPE)
