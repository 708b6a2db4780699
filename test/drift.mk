## drift: 20,000 commands by one batch; nothing may grow, nor slow down
.PHONY: drift
drift: all $(TEST_L0)/.made
	@test/lib/drift $(DRIFT)
