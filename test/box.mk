# The sandbox's own test programs, beside what the bats files run.
BOX_TRY := $(B)/test/try

$(B)/test/try: test/box/try.c $(B)/libcx.a
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) -Wno-missing-prototypes $(LDFLAGS_ALL) -MMD -MP \
	  -o $@ $< $(B)/libcx.a $(LIBS_cx-run)
-include $(B)/test/try.d

.PHONY: box-try
box-try: $(BOX_TRY)
