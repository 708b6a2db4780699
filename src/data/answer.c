/* answer.c - see answer.h. */
#include "data/answer.h"

json_t *cx_answer_error(const struct cx_err *err)
{
	json_t *error = json_object();

	json_object_set_new(error, "class",
	                    json_string(cx_err_name(err->code)));
	json_object_set_new(error, "message",
	                    cx_json_repaired(err->text, strlen(err->text)));
	if (err->pointer[0])
		json_object_set_new(error, "pointer",
		                    cx_json_repaired(err->pointer,
		                                     strlen(err->pointer)));
	return error;
}

json_t *cx_answer_versioned(json_t *doc)
{
	json_t *whole;

	if (!json_is_object(doc) || json_object_get(doc, "apiVersion"))
		return json_incref(doc);
	whole = json_object();
	json_object_set_new(whole, "apiVersion", json_string("cx/v1"));
	json_object_update(whole, doc);
	return whole;
}

void cx_answer_line(json_t *doc, struct cx_buf *ret)
{
	CX_AUTO_JSON json_t *whole = cx_answer_versioned(doc);

	cx_json_write(whole, ret);
	cx_buf_byte(ret, '\n');
}

enum cx_class cx_answer_class(const json_t *error)
{
	const char *name = json_is_object(error) ? cx_json_text(error, "class")
	                                         : NULL;
	enum cx_class code = name ? cx_err_find(name) : CX_E_NONE;

	return code == CX_E_NONE ? CX_E_INPUT_INVALID : code;
}
