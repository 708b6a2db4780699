# cases.mk - the helper of the case driver (test/cases/run) that lets one
# system call of a tool fail.

$(B)/test/inject: test/lib/inject.c $(B)/libcx.a
	@mkdir -p $(@D)
	@echo "  CC    $<"
	@$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $< $(B)/libcx.a -lseccomp

cases: $(B)/test/inject
