# l0.mk - the Debian bases, made again: minutes and the network, so a target of
# its own.

## check-l0: make each Debian base as root and as a user, and compare digests
.PHONY: check-l0
check-l0: all
	@$(SUITE) l0 test/lib/l0twice debian-13 debian-12; test/lib/tally l0
