/* terrain.c - see terrain.h. */
#include "gateway/terrain.h"

#include <string.h>

#include "base/mem.h"
#include "data/json.h"

/* The configuration was checked, so whatever is there fits. */
static void read_upstream(const json_t *value, struct cx_upstream *ret)
{
	const json_t *item;
	struct cx_host host;
	size_t i;

	snprintf(ret->id, sizeof ret->id, "%s", cx_json_text(value, "id"));
	cx_host_read(cx_json_text(value, "host"),
	             strlen(cx_json_text(value, "host")), &host);
	memcpy(ret->host, host.name, sizeof ret->host);
	json_array_foreach(json_object_get(value, "ports"), i, item)
		ret->port[ret->ports++] = (uint16_t)json_integer_value(item);
	json_array_foreach(json_object_get(value, "addrs"), i, item)
		cx_addr_read_prefix(json_string_value(item),
		                    json_string_length(item),
		                    &ret->prefix[ret->prefixes++]);
}

static const json_t *list_of(const struct cx_config *config, const char *name,
                             size_t *ret_count)
{
	const json_t *list = json_object_get(config->tree, name);

	*ret_count = json_array_size(list);
	return list;
}

void cx_terrain_make(const struct cx_config *config,
                     struct cx_terrain_book *ret)
{
	const json_t *upstreams, *locals, *nat64s;
	struct cx_terrain *terrain = &ret->terrain;

	*ret = (struct cx_terrain_book){ 0 };
	upstreams = list_of(config, "trusted_upstreams", &terrain->upstreams);
	locals = list_of(config, "local_addrs", &terrain->locals);
	nat64s = list_of(config, "nat64_prefixes", &terrain->nat64s);
	ret->upstream = cx_mem_array(terrain->upstreams,
	                             sizeof *ret->upstream);
	ret->local = cx_mem_array(terrain->locals, sizeof *ret->local);
	ret->nat64 = cx_mem_array(terrain->nat64s, sizeof *ret->nat64);
	for (size_t i = 0; i < terrain->upstreams; i++)
		read_upstream(json_array_get(upstreams, i), &ret->upstream[i]);
	for (size_t i = 0; i < terrain->locals; i++)
		cx_addr_read(json_string_value(json_array_get(locals, i)),
		             json_string_length(json_array_get(locals, i)),
		             &ret->local[i]);
	for (size_t i = 0; i < terrain->nat64s; i++)
		cx_addr_read_prefix(
			json_string_value(json_array_get(nat64s, i)),
			json_string_length(json_array_get(nat64s, i)),
			&ret->nat64[i]);
	terrain->upstream = ret->upstream;
	terrain->local = ret->local;
	terrain->nat64 = ret->nat64;
}

int cx_terrain_load(struct cx_terrain_book *ret, struct cx_err *err)
{
	CX_AUTO_CONFIG struct cx_config config = { 0 };

	if (cx_config_load(&config, err) < 0)
		return -1;
	cx_terrain_make(&config, ret);
	return 0;
}

void cx_terrain_done(struct cx_terrain_book *book)
{
	free(book->upstream);
	free(book->local);
	free(book->nat64);
	*book = (struct cx_terrain_book){ 0 };
}
