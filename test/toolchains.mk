# toolchains.mk - the programs that people bring, over the bases that we ship:
# minutes, and Debian's archive for the compilers' base.

## check-toolchains: Python, Node, git, gcc, Java, Go and debuggers run inside
.PHONY: check-toolchains toolchains-user
TOOLCHAINS := $(B)/toolchains/state
export CX_TEST_TOOLCHAINS := $(CURDIR)/$(TOOLCHAINS)
$(TOOLCHAINS)/.made: share/l0/toolchains.yaml $(BIN)/cx-build
	@mkdir -p $(@D)
	@CX_STATE=$(CX_TEST_TOOLCHAINS) $(BIN)/cx-build l0 toolchains \
	  >$(B)/toolchains/l0.json 2>$(B)/toolchains/l0.err || \
	  { cat $(B)/toolchains/l0.err >&2; exit 1; }
	@chmod 755 $(@D)
	@touch $@

check-toolchains: all debian-base $(TOOLCHAINS)/.made
	@$(SUITE) toolchains bats --tap --timing test/toolchains
	@$(SUITE) toolchains-user test/lib/as user env \
	  CX_TEST_DEBIAN=$(CX_TEST_DEBIAN) \
	  CX_TEST_TOOLCHAINS=$(CX_TEST_TOOLCHAINS) \
	  bats --tap --timing test/toolchains
	@test/lib/tally toolchains toolchains-user
