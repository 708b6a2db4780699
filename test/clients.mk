# clients.mk - the programs that people reach the network with, over a base
# with all of them: minutes, and Debian's archive.

## check-clients: curl, wget, git, pip, npm, apt, Python, Node, Java, Go, ssh
## and psql reach what is admitted, and are told of what isn't
.PHONY: check-clients
CLIENTS := $(B)/clients/state
export CX_TEST_CLIENTS := $(CURDIR)/$(CLIENTS)
$(CLIENTS)/.made: test/clients/clients.yaml $(BIN)/cx-build
	@mkdir -p $(@D)
	@CX_STATE=$(CX_TEST_CLIENTS) $(BIN)/cx-build l0 \
	  -f test/clients/clients.yaml >$(B)/clients/l0.json \
	  2>$(B)/clients/l0.err || { cat $(B)/clients/l0.err >&2; exit 1; }
	@chmod 755 $(@D)
	@touch $@

check-clients: all gateway-tools $(CLIENTS)/.made
	@$(SUITE) clients bats --tap --timing test/clients
	@test/lib/tally clients
