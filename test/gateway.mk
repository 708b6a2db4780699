# gateway.mk - the world that the gateway is tried in: an origin, a resolver
# and clients, in namespaces of their own (test/gateway/world).

GATEWAY_TOOLS := $(patsubst test/gateway/%.c,$(B)/test/gateway/%,\
		   $(wildcard test/gateway/*.c))

$(B)/test/gateway/%: test/gateway/%.c test/gateway/common.h
	@mkdir -p $(@D)
	@echo "  CC    $<"
	@$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $< -ljansson

.PHONY: gateway-tools
gateway-tools: $(GATEWAY_TOOLS)
cli cases: $(GATEWAY_TOOLS)

## bench-gateway: the gateway beside squid, tinyproxy and HAProxy
.PHONY: bench-gateway
bench-gateway: all $(GATEWAY_TOOLS)
	@test/bench/gateway
bench: $(GATEWAY_TOOLS)

## differ: decide and the running gateway, asked 1,000 things at random
.PHONY: differ
differ: all $(GATEWAY_TOOLS)
	@test/gateway/differ --count 1000
