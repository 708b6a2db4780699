/* judging.c - see judging.h. */
#include "tool/judging.h"

#include "gateway/classify.h"
#include "gateway/hearing.h"

#define CX_AUTO_BOOK __attribute__((cleanup(cx_terrain_done)))
#define CX_AUTO_HEARING __attribute__((cleanup(cx_hearing_done)))

int cx_judging_run_decide(struct cx_cli *cli, void *given)
{
	struct cx_judging *args = given;
	CX_AUTO_BOOK struct cx_terrain_book book = { 0 };
	CX_AUTO_HEARING struct cx_hearing hearing = { .book = &book };
	struct cx_err err = { 0 };

	if (cx_terrain_load(&book, &err) < 0)
		return cx_io_fail(cli, &err);
	args->io.stream = true;
	return cx_io_filter(cli, &args->io, cx_hearing_take, &hearing);
}

/* The addresses of the command line, a line each. */
static int classify_all(const struct cx_cli *cli, struct cx_terrain_book *book)
{
	for (size_t i = 0; i < cli->rest_count; i++) {
		CX_AUTO_JSON json_t *doc = json_object();
		struct cx_err err = { 0 };
		int status;

		json_object_set_new(doc, "addr", json_string(cli->rest[i]));
		if (!json_object_get(doc, "addr"))
			cx_err_set(&err, CX_E_USAGE,
			           "an address isn't UTF-8");
		if (err.code || cx_classify_take(doc, book, &err) < 0)
			return cx_io_fail(cli, &err);
		status = cx_io_write(cli, doc);
		if (status != 0)
			return status;
	}
	return 0;
}

int cx_judging_run_classify(struct cx_cli *cli, void *given)
{
	struct cx_judging *args = given;
	CX_AUTO_BOOK struct cx_terrain_book book = { 0 };
	struct cx_err err = { 0 };

	if (cx_terrain_load(&book, &err) < 0)
		return cx_io_fail(cli, &err);
	if (cli->rest_count > 0)
		return classify_all(cli, &book);
	args->io.stream = true;
	return cx_io_filter(cli, &args->io, cx_classify_take, &book);
}
