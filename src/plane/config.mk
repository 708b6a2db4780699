# The configuration's schema is printed from the table in setting.c.
$(B)/gen/config-schema: src/plane/gen/settings.c $(B)/libcx.a
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $< $(B)/libcx.a \
	  -l:libjansson.a -l:libcrypto.a -lm

.PHONY: config-schema
config-schema: $(B)/gen/config-schema
	@mkdir -p share/schema
	@$< > share/schema/config.json
docs: config-schema
