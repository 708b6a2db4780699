# bench.mk - how long things take here, beside what else is installed.

$(B)/bench/timer: test/bench/timer.c
	@mkdir -p $(@D)
	@echo "  CC    $<"
	@$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $<

## bench: medians beside bubblewrap, crun and runc; writes share/doc/BENCH
.PHONY: bench
bench: all $(B)/bench/timer $(B)/test/l0/.made
	@test/bench/run $(BENCH)

## bench-seal: carriers a second, one through a pipe, races, changes of key
.PHONY: bench-seal
bench-seal: $(BIN)/cx-seal
	@test/bench/seal

## kill: writers of the log killed for minutes, and 100,000 hostile events
.PHONY: kill
kill: all
	@for sync in none group each; do \
	  test/kill/audit --seconds 60 --sync $$sync || exit 1; \
	  test/kill/audit --calls --sync $$sync || exit 1; done
	@test/hostile/events --count 100000
