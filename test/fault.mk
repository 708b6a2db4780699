# A test build of cx-run in which one call of a set-up fails: the same objects,
# linked so that each call is one of test/lib/fault.c.
FAULT := $(B)/test/fault/cx-run

$(B)/test/fault.o: test/lib/fault.c
	@mkdir -p $(@D)
	@echo "  CC    $<"
	@$(CC) -std=gnu17 -O1 -g -D_GNU_SOURCE -Wall -Wextra -Wshadow -Werror \
	  -fPIE -c -o $@ $<

# The linker's options, one for each call that the file has.
$(B)/test/fault.wraps: $(B)/test/fault.o
	@nm $< | sed -n 's/.* T __wrap_/-Wl,--wrap=/p' >$@

$(FAULT): $(B)/test/fault.wraps $(START) $(B)/tool/cx-run.o $(B)/libcx.a
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(CC) $(CFLAGS_ALL) $(filter-out -pie,$(LDFLAGS_ALL)) $(STATIC) @$< \
	  -o $@ $(B)/tool/cx-run.o $(B)/test/fault.o $(B)/libcx.a $(LIBS_cx-run)

box-tools: $(FAULT)
