# The same list as an OCI runtime takes it.
OCIFILTER_GEN := src/sys/gen/ocilist.c src/sys/gen/list.c

$(B)/gen/ocilist: $(OCIFILTER_GEN) src/sys/gen/list.h
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $(OCIFILTER_GEN)

$(B)/seccomp-oci-%.inc: share/seccomp/%.list share/seccomp/numbers $(B)/gen/ocilist
	@echo "  GEN   $@"
	@$(B)/gen/ocilist $< share/seccomp/numbers $(SECCOMP_ARCH) $* > $@.new
	@mv $@.new $@

$(B)/sys/ocifilter.o: $(B)/seccomp-oci-command.inc

$(B)/unit/sys-ocifilter: test/unit/sys-ocifilter.c src/sys/gen/list.c \
                         $(B)/libcx.a share/seccomp/numbers $(SECCOMP_LISTS)
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) -Wno-missing-prototypes $(LDFLAGS_ALL) -MMD -MP \
	  -o $@ $< src/sys/gen/list.c $(B)/libcx.a $(LIBS_cx-run) -lcmocka
