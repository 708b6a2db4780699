## check-v2: the sandbox on pure cgroup v2, in a machine under QEMU
.PHONY: check-v2
check-v2: all $(TEST_L0)/.made $(PROBE) $(B)/unit/sys-cgroup
	@$(SUITE) check-v2 test/v2/run
