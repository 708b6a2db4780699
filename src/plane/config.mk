# The configuration's schema and the keys in cx-config(5) are printed from the
# table in setting.c; src/cli/docs calls this.
$(B)/gen/settings: src/plane/gen/settings.c $(B)/libcx.a
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $< $(B)/libcx.a \
	  -l:libjansson.a -l:libcrypto.a -lm
all: $(B)/gen/settings
