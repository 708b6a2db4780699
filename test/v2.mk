## check-v2: the sandbox on cgroup v2 alone, in a machine under QEMU
## check-v1: the same on cgroup v1 alone, as on old machines
.PHONY: check-v1 check-v2
check-v1 check-v2: check-%: all $(PROBE) $(B)/unit/sys-cgroup
	@$(SUITE) $@ test/v2/run $*
