# check.mk - what a change must pass, and the ways to look closer.
#
# Each suite prints TAP into $(B)/tap and says in a line how it went; tally
# adds them up: "N passed, N failed".

SUITE := test/lib/suite
export B BIN CC

# The L0 of the tests, made once and kept until cx-build or its list changes.
TEST_L0 := $(B)/test/l0
export CX_TEST_L0 := $(CURDIR)/$(TEST_L0)
$(TEST_L0)/.made: $(BIN)/cx-build $(wildcard share/l0/busybox.yaml)
	@rm -rf $(TEST_L0)
	@mkdir -p $(TEST_L0)
	@CX_STATE=$(CX_TEST_L0) $(BIN)/cx-build l0 -f share/l0/busybox.yaml \
	  >$(TEST_L0)/.log 2>&1 || { cat $(TEST_L0)/.log >&2; exit 1; }
	@chmod 755 $(TEST_L0)
	@touch $@


# Debian's base image, which the demo keeps; tests of what is in it, examples
# and recorded cases need it. Where it can't be made, they say so.
export CX_TEST_DEBIAN := $(CURDIR)/$(B)/demo/state
.PHONY: debian-base
debian-base: all
	@mkdir -p $(CX_TEST_DEBIAN)
	@CX_STATE=$(CX_TEST_DEBIAN) $(BIN)/cx-build l0 2>$(B)/demo/l0.err \
	  >$(B)/demo/l0.json && chmod 755 $(CX_TEST_DEBIAN) || \
	  { echo "  no Debian base image, so tests that need it are left out:"; \
	    tail -2 $(B)/demo/l0.err; }

## lint: layers, names, purity, sizes, promises, words, docs
.PHONY: lint lint-self
lint: all
	@$(SUITE) lint test/lint/run
lint-self:
	@$(SUITE) lint-self test/lint/self

## unit: the unit tests
.PHONY: unit
.PHONY: units
units: $(UNIT)
unit: $(UNIT)
	@$(SUITE) unit test/lib/unit $(UNIT)

## cli: the command line, from outside
.PHONY: cli cli-quick
cli: all $(TEST_L0)/.made
	@$(SUITE) cli test/lib/files $(wildcard test/cli/*.bats)
# Those that start no sandbox and are done within seconds.
QUICK := $(wildcard $(addprefix test/cli/,$(shell \
	 sed 's/\#.*//' test/cli/QUICK)))
cli-quick: all
	@$(if $(QUICK),$(SUITE) cli-quick test/lib/files $(QUICK),true)

## cases: the recorded cases, area by area
.PHONY: cases
CASES := $(wildcard test/data/cases/seal*.ndjson)
GATEWAY := $(wildcard test/data/cases/gateway*.ndjson)
FIELD := $(wildcard test/data/cases/field.ndjson)
cases: all $(TEST_L0)/.made
	@$(if $(wildcard test/cases/run),$(SUITE) cases test/lib/cases \
	  $(CASES:%=seal:%) $(FIELD:%=seal:%) $(FIELD:%=run:%) \
	  $(GATEWAY:%=gateway:%) $(FIELD:%=gateway:%) \
	  $(FIELD:%=cli:%) $(FIELD:%=audit:%),true)

## box: the sandbox, as root, as an ordinary user and inside unshare -Ur
.PHONY: box box-root box-user box-unshare
box: box-root box-user box-unshare
# box-tools: what the bats files run beside the tools themselves.
.PHONY: box-tools
box-root box-user box-unshare: box-%: all $(TEST_L0)/.made box-tools gateway-tools
	@$(SUITE) $@ test/lib/box $*

## examples: those of the man pages and of the README, as they stand there
.PHONY: examples
examples: all $(TEST_L0)/.made
	@$(SUITE) examples test/lib/examples

## clang: everything compiles without a word under clang, too
.PHONY: clang
clang:
	@$(SUITE) clang test/lib/quiet "compiles under clang" $(MAKE) -s -j2 \
	  CC=clang B=.build-clang BIN=.build-clang/bin all units

## check-fast: under ten seconds: lint, unit tests, quick command lines
FAST := cli-quick unit lint
.PHONY: check-fast
check-fast:
	@rm -rf $(B)/tap
	@$(MAKE) -s -j2 all $(UNIT)
	@$(MAKE) -s -k -j2 $(FAST); status=$$?; \
	  test/lib/tally $(FAST) && exit $$status

## check: all that a change must pass; installs what is missing (as root)
# First what only computes, the download of the base beside it; then the command
# line, whose files run two at a time by themselves; then the others, two at a
# time: each of them waits a good deal.
CHECKS := clang unit lint lint-self replay
CHECKS2 := cli
CHECKS3 := box-root cases box-user examples box-unshare
.PHONY: check
check:
	@share/setup/install build run demo test
	@rm -rf $(B)/tap
	@$(MAKE) -s -j2 all $(UNIT)
	@status=0; $(MAKE) -s -k -j2 $(CHECKS) debian-base || status=1; \
	  $(MAKE) -s -k $(CHECKS2) || status=1; \
	  $(MAKE) -s -k -j2 $(CHECKS3) || status=1; \
	  test/lib/tally $(CHECKS) $(CHECKS2) $(CHECKS3) && exit $$status

## asan: unit tests, corpora and quick command lines under sanitizers
.PHONY: asan
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined
asan:
	@$(MAKE) -s -j2 B=.build-asan BIN=.build-asan/bin CC=clang OPT=-O1 \
	  FORTIFY= HARDEN= STATIC= LDFLAGS="$(SANITIZE)" \
	  CFLAGS="$(SANITIZE) -fno-omit-frame-pointer -DCX_INSTRUMENTED" \
	  CX_BIN=$(CURDIR)/.build-asan/bin asan-suites
.PHONY: asan-suites
asan-suites: all $(UNIT)
	@rm -rf $(B)/tap
	@cp -p bin/cx $(BIN)/
	@export CX_SANITIZED=1 CX_INSTRUMENTED=1 BATS_TEST_TIMEOUT=600; \
	  status=0; for suite in unit replay cli cases; do \
	  $(MAKE) -s $$suite || status=1; done; \
	  test/lib/tally && exit $$status

## cov: line coverage of unit tests and command line, worst files first
.PHONY: cov cov-suites
cov:
	@$(MAKE) -s -j2 B=.build-cov BIN=.build-cov/bin OPT=-O0 FORTIFY= STATIC= \
	  CFLAGS="--coverage -DCX_INSTRUMENTED" LDFLAGS="--coverage" \
	  CX_BIN=$(CURDIR)/.build-cov/bin cov-suites
cov-suites: all $(UNIT)
	@rm -rf $(B)/tap
	@cp -p bin/cx $(BIN)/
	-@export CX_INSTRUMENTED=1 BATS_TEST_TIMEOUT=600; \
	  for suite in unit cli cases; do $(MAKE) -s $$suite; done
	@test/lib/coverage $(B)

## tidy: clang-tidy and gcc's analyzer, slower than lint
.PHONY: tidy
tidy:
	@$(MAKE) -s $(B)/libcx.a
	@test/lib/tidy $(B) $(SRC)

## sabotage: each promise turned off, its test must fail
.PHONY: sabotage
sabotage: all $(TEST_L0)/.made box-tools gateway-tools
	@$(MAKE) -s -j2 B=.build-sabotage BIN=.build-sabotage/bin \
	  CFLAGS=-DCX_SABOTAGE all
	@$(SUITE) sabotage test/lib/sabotage .build-sabotage/bin $(PROMISE); \
	  test/lib/tally sabotage

## docs: what is made from tables: man sections, completions, schemas
.PHONY: docs
docs: all
	@src/cli/docs $(BIN) .

## help: this list
.PHONY: help
help:
	@sed -n 's/^## \([a-z0-9 A-Z=-]*\): \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | \
	  awk -F'|' '{ printf "  make %-22s %s\n", $$1, $$2 }'
