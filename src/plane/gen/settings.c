/*
 * settings.c - prints the table of settings.
 *
 *     settings schema    share/schema/config.json
 *     settings mdoc      the keys in cx-config(5)
 */
#include "base/mem.h"
#include "base/str.h"
#include "plane/setting.h"

static void kind(const struct cx_shape *shape, struct cx_buf *out)
{
	switch (shape->kind) {
	case CX_SHAPE_TEXT:
		if (!shape->word)
			cx_buf_text(out, "text");
		for (size_t i = 0; shape->word && shape->word[i]; i++)
			cx_buf_print(out, "%s%s", i ? " | " : "",
			             shape->word[i]);
		break;
	case CX_SHAPE_NUMBER:
		cx_buf_print(out, "%lld to %lld", shape->min, shape->max);
		break;
	case CX_SHAPE_REAL:
		cx_buf_print(out, "number up to %lld", shape->max);
		break;
	case CX_SHAPE_LIST:
		cx_buf_text(out, "list of ");
		if (shape->sub->kind == CX_SHAPE_OBJECT)
			cx_buf_text(out, "objects");
		else
			kind(shape->sub, out);
		break;
	case CX_SHAPE_BOOL:
		cx_buf_text(out, "true | false");
		break;
	case CX_SHAPE_OBJECT:
	case CX_SHAPE_MAP:
	case CX_SHAPE_ANY:
		break;
	}
}

static void key(const struct cx_shape *shape, const char *path,
                struct cx_buf *out);

static void keys(const struct cx_shape *member, const char *path,
                 struct cx_buf *out)
{
	for (; member->name; member++) {
		CX_AUTO_FREE char *below = cx_mem_print(
			"%s%s%s", path, *path ? "." : "", member->name);

		key(member, below, out);
	}
}

static void key(const struct cx_shape *shape, const char *path,
                struct cx_buf *out)
{
	CX_AUTO_FREE char *below = NULL;

	if (shape->kind == CX_SHAPE_OBJECT) {
		keys(shape->sub, path, out);
		return;
	}
	if (shape->kind == CX_SHAPE_MAP) {
		below = cx_mem_print("%s.ID", path);
		key(shape->sub, below, out);
		return;
	}
	cx_buf_print(out, ".It Ic %s Pq ", path);
	kind(shape, out);
	cx_buf_print(out, "\n%s\n", shape->about);
	if (shape->kind == CX_SHAPE_LIST &&
	    shape->sub->kind == CX_SHAPE_OBJECT) {
		below = cx_mem_print("%s[]", path);
		keys(shape->sub->sub, below, out);
	}
}

static void mdoc(struct cx_buf *out)
{
	cx_buf_text(out, ".\\\" made from tables: SETTINGS\n"
	            ".Bl -tag -width Ds\n");
	keys(cx_setting_shape.sub, "", out);
	cx_buf_text(out, ".El\n.\\\" end of SETTINGS\n");
}

static void schema(struct cx_buf *out)
{
	CX_AUTO_JSON json_t *value = cx_shape_schema(&cx_setting_shape,
	                                             "cx configuration");

	cx_json_pretty(value, false, out);
	cx_buf_byte(out, '\n');
}

int main(int argc, char **argv)
{
	CX_AUTO_BUF struct cx_buf text = { 0 };

	if (argc == 2 && cx_str_same(argv[1], "schema"))
		schema(&text);
	else if (argc == 2 && cx_str_same(argv[1], "mdoc"))
		mdoc(&text);
	else
		return 64;
	return fputs(text.data, stdout) < 0 || fflush(stdout) ? 74 : 0;
}
