# fuzz.mk - test/fuzz/NAME.c holds one parser's fuzzer, test/data/NAME its
# inputs, good and bad.

FUZZERS := $(filter-out replay,$(patsubst test/fuzz/%.c,%,$(wildcard \
	test/fuzz/*.c)))
FUZZ_LIBS := -l:libjansson.a -l:libyaml.a -l:libcrypto.a -l:libsqlite3.a -lm \
             -larchive -lpsl -lidn2 -lcares
SECONDS ?= 30
FUZZ ?= $(FUZZERS)

$(B)/fuzz/%: test/fuzz/%.c test/fuzz/replay.c $(B)/libcx.a
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $< test/fuzz/replay.c \
	  $(B)/libcx.a $(FUZZ_LIBS)

## replay: every fuzzer over its stored inputs
.PHONY: replay
replay: $(FUZZERS:%=$(B)/fuzz/%)
	@$(SUITE) replay test/lib/replay $(FUZZERS:%=$(B)/fuzz/%)

## fuzz SECONDS=n FUZZ=name: look for new inputs (clang's libFuzzer)
# What it finds stays in .build-fuzz/found; faults are worth a file in
# test/data.
.PHONY: fuzz fuzz-run
fuzz:
	@$(MAKE) -s B=.build-fuzz CC=clang OPT=-O1 FORTIFY= HARDEN= \
	  CFLAGS="$(SANITIZE) -fsanitize=fuzzer-no-link" \
	  STATIC= LDFLAGS="$(SANITIZE)" fuzz-run
fuzz-run: $(FUZZ:%=$(B)/fuzz-%)
	@set -e; for name in $(FUZZ); do \
	  mkdir -p $(B)/found/$$name; \
	  $(B)/fuzz-$$name -max_total_time=$(SECONDS) -timeout=5 \
	    -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 \
	    -artifact_prefix=$(B)/found/fault-$$name- \
	    $(B)/found/$$name $$(find test/data/$$name -type d); \
	  echo "$$name: no fault"; done
$(B)/fuzz-%: test/fuzz/%.c $(B)/libcx.a
	@$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -fsanitize=fuzzer -o $@ $< \
	  $(B)/libcx.a $(FUZZ_LIBS)
