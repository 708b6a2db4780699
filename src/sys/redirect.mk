# The chain of nf_tables is made by libnftnl before redirect.c compiles.

$(B)/gen/nft: src/sys/gen/nft.c src/sys/portal.h
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $< -lnftnl -lmnl

$(B)/redirect.inc: $(B)/gen/nft
	@echo "  GEN   $@"
	@$(B)/gen/nft > $@.new
	@mv $@.new $@

$(B)/sys/redirect.o: $(B)/redirect.inc
