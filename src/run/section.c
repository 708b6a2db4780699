/* section.c - see section.h. */
#include "run/section.h"

#include "base/b64.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/promise.h"
#include "base/str.h"

static const struct cx_shape command_item = {
	.kind = CX_SHAPE_TEXT, .max = CX_SECTION_TEXT_MAX_BYTES,
};
static const struct cx_shape argv_item = {
	.kind = CX_SHAPE_TEXT, .max = CX_SECTION_ARG_MAX_BYTES,
};
static const struct cx_shape env_item = {
	.kind = CX_SHAPE_TEXT, .max = CX_PROFILE_VALUE_MAX_BYTES,
};

const struct cx_shape cx_section_member[] = {
	{ .name = "command", .kind = CX_SHAPE_TEXT,
	  .max = CX_SECTION_TEXT_MAX_BYTES,
	  .about = "Text for bash -c." },
	{ .name = "argv", .kind = CX_SHAPE_LIST, .sub = &argv_item,
	  .min = 1, .max = CX_SECTION_ARGS_MAX,
	  .about = "A program and its arguments, without a shell." },
	{ .name = "commands", .kind = CX_SHAPE_LIST, .sub = &command_item,
	  .min = 1, .max = CX_SECTION_COMMANDS_MAX,
	  .about = "Several command texts, each in a fresh sandbox, in "
	           "order." },
	{ .name = "keepGoing", .kind = CX_SHAPE_BOOL,
	  .about = "Run the rest of commands after one that isn't exited 0." },
	{ .name = "cwd", .kind = CX_SHAPE_TEXT, .min = 1, .max = 1024,
	  .about = "The working folder: /workspace or below it, or relative "
	           "to it." },
	{ .name = "env", .kind = CX_SHAPE_MAP, .sub = &env_item,
	  .about = "Variables that limits.env_names of the configuration "
	           "admits." },
	{ .name = "stdin", .kind = CX_SHAPE_TEXT,
	  .max = CX_JSON_DOCUMENT_MAX_BYTES,
	  .about = "Standard input; /dev/null when there is none." },
	{ .name = "stdinBase64", .kind = CX_SHAPE_TEXT,
	  .max = CX_JSON_DOCUMENT_MAX_BYTES,
	  .about = "Standard input as padded base64." },
	{ .name = "timeoutMs", .kind = CX_SHAPE_NUMBER,
	  .min = 1, .max = 9007199254740991,
	  .about = "Wall time; lowers the configured one." },
	{ .name = "maxOutputBytes", .kind = CX_SHAPE_NUMBER,
	  .min = 1, .max = 9007199254740991,
	  .about = "Bytes kept of each stream; lowers the configured "
	           "number." },
	{ .name = NULL },
};

static const struct cx_shape shape = {
	.name = "run", .kind = CX_SHAPE_OBJECT, .sub = cx_section_member,
};

static int refuse(struct cx_err *err, const char *pointer, const char *text)
{
	cx_err_set(err, CX_E_INPUT_INVALID, "%s", text);
	return cx_err_at(err, "/run/%s", pointer);
}

static int read_argv(const json_t *list, struct cx_section *ret,
                     struct cx_err *err)
{
	size_t count = json_array_size(list), bytes = 0;

	if (!list)
		return 0;
	ret->argv = cx_mem_array(count + 1, sizeof *ret->argv);
	for (size_t i = 0; i < count; i++) {
		const json_t *word = json_array_get(list, i);

		ret->argv[i] = json_string_value(word);
		bytes += json_string_length(word) + 1;
	}
	if (bytes > CX_SECTION_ARGS_MAX_BYTES)
		return refuse(err, "argv", "the arguments are over 1 MiB "
		              "together; put them into a file, or use "
		              "stdin");
	if (!*ret->argv[0])
		return refuse(err, "argv/0", "the program's name is empty");
	return 0;
}

static void read_commands(const json_t *section, struct cx_section *ret)
{
	const json_t *list = json_object_get(section, "commands");
	const char *command = cx_json_text(section, "command");

	if (command)
		ret->command[ret->command_count++] = command;
	for (size_t i = 0; !command && i < json_array_size(list); i++)
		ret->command[ret->command_count++] =
			json_string_value(json_array_get(list, i));
	ret->is_list = list != NULL;
	ret->keep_going = cx_json_is_true(section, "keepGoing");
}

/* "/workspace", below it, or a path relative to it; what stands
 * there is looked at inside, where no link is followed. */
static int read_cwd(const char *text, struct cx_section *ret,
                    struct cx_err *err)
{
	static const char top[] = "/workspace";
	CX_AUTO_FREE char *path = cx_mem_text(text ? text : top);
	const char *below = path;

	for (size_t end = strlen(path); end > 1 && path[end - 1] == '/'; end--)
		path[end - 1] = '\0';
	if (cx_str_same(path, top) || cx_str_same(path, ".")) {
		ret->cwd = cx_mem_text(top);
		return 0;
	}
	if (cx_str_starts(path, "/workspace/"))
		below = path + sizeof top;
	if (!cx_path_plain(below) || cx_str_has_control(below))
		return refuse(err, "cwd", "the working folder must be "
		              "/workspace or a plain path below it");
	ret->cwd = cx_mem_print("%s/%s", top, below);
	return 0;
}

static int read_input(const json_t *section, struct cx_section *ret,
                      struct cx_err *err)
{
	const json_t *text = json_object_get(section, "stdin");
	const json_t *coded = json_object_get(section, "stdinBase64");

	if (text && coded)
		return refuse(err, "stdinBase64",
		              "stdin and stdinBase64 exclude each other");
	ret->has_input = text || coded;
	if (text)
		cx_buf_add(&ret->input, json_string_value(text),
		           json_string_length(text));
	if (coded && !cx_b64_read(CX_B64_PADDED, json_string_value(coded),
	                          json_string_length(coded), &ret->input))
		return refuse(err, "stdinBase64", "isn't padded base64");
	return 0;
}

static int count_ways(const json_t *section, struct cx_err *err)
{
	static const char *const way[] = { "command", "argv", "commands" };
	const char *first = NULL;

	for (size_t i = 0; i < 3; i++) {
		if (!json_object_get(section, way[i]))
			continue;
		if (first)
			return refuse(err, way[i], "command, argv and "
			              "commands exclude each other");
		first = way[i];
	}
	return 0;
}

int cx_section_read(const json_t *section, struct cx_section *ret,
                    struct cx_err *err)
{
	*ret = (struct cx_section){ 0 };
	if (section && (cx_shape_check(&shape, section, "/run",
	                               CX_E_INPUT_INVALID, err) < 0 ||
	                count_ways(section, err) < 0))
		return -1;
	ret->env = json_object_get(section, "env");
	ret->timeout_ms = (uint64_t)cx_json_number(section, "timeoutMs", 0);
	ret->output_bytes =
		(uint64_t)cx_json_number(section, "maxOutputBytes", 0);
	read_commands(section, ret);
	if (read_argv(json_object_get(section, "argv"), ret, err) < 0 ||
	    read_cwd(cx_json_text(section, "cwd"), ret, err) < 0 ||
	    read_input(section, ret, err) < 0)
		return -1;
	return 0;
}

int cx_section_require(const struct cx_section *section, struct cx_err *err)
{
	if (section->command_count || section->argv)
		return 0;
	cx_err_set(err, CX_E_INPUT_INVALID,
	           "nothing to run: put run.command, run.argv or run.commands "
	           "into the document, or a command behind -c or --");
	return cx_err_at(err, "/run");
}

static void forget(struct cx_section *section)
{
	section->command_count = 0;
	section->is_list = false;
	free(CX_TAKE(section->argv));
}

void cx_section_set_argv(struct cx_section *section, char *const *argv)
{
	size_t count = 0;

	forget(section);
	while (argv[count])
		count++;
	section->argv = cx_mem_array(count + 1, sizeof *section->argv);
	for (size_t i = 0; i < count; i++)
		section->argv[i] = argv[i];
}

void cx_section_set_command(struct cx_section *section, const char *command)
{
	forget(section);
	section->command[section->command_count++] = command;
}

static int refuse_name(struct cx_err *err, const char *name, const char *why)
{
	CX_AUTO_BUF struct cx_buf pointer = { 0 };

	cx_buf_text(&pointer, "/run/env");
	cx_json_token(&pointer, name);
	cx_err_set(err, CX_E_INPUT_INVALID, "%s", why);
	return cx_err_at(err, "%s", pointer.data);
}

static bool is_listed(const char *name, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (cx_str_same(name, list[i]))
			return true;
	return false;
}

static int apply_env(const struct cx_section *section,
                     const char *const *allowed, size_t allowed_count,
                     struct cx_profile *profile, struct cx_err *err)
{
	union { const json_t *given; json_t *taken; } env = { section->env };
	const char *name;
	const json_t *value;

	if (!env.taken)
		return 0;
	json_object_foreach(env.taken, name, value) {
		if (!cx_profile_is_name(name))
			return refuse_name(err, name, "a variable's name must "
			                   "match [A-Za-z_][A-Za-z0-9_]*");
		if (!CX_PROMISE(env_reserved, !cx_profile_is_reserved(name)))
			return refuse_name(err, name, "this variable is the "
			                   "sandbox's own, or acts on loaders "
			                   "and shells; it can't be set");
		if (!CX_PROMISE(env_names, is_listed(name, allowed,
		                                     allowed_count)))
			return refuse_name(err, name, "limits.env_names of "
			                   "the configuration doesn't admit "
			                   "this variable");
		if (!cx_profile_set(profile, name, json_string_value(value)))
			return refuse_name(err, name, "too many variables");
	}
	return 0;
}

static void lower(uint64_t *limit, uint64_t wanted)
{
	if (wanted && CX_PROMISE(limits_lower_only, wanted < *limit))
		*limit = wanted;
}

int cx_section_apply(const struct cx_section *section,
                     const char *const *allowed, size_t allowed_count,
                     struct cx_profile *profile, struct cx_err *err)
{
	if (apply_env(section, allowed, allowed_count, profile, err) < 0)
		return -1;
	free(profile->cwd);
	profile->cwd = cx_mem_text(section->cwd);
	lower(&profile->quota.wall_ms, section->timeout_ms);
	lower(&profile->quota.stdout_bytes, section->output_bytes);
	lower(&profile->quota.stderr_bytes, section->output_bytes);
	return 0;
}

void cx_section_done(struct cx_section *section)
{
	free(section->argv);
	free(section->cwd);
	cx_buf_done(&section->input);
	*section = (struct cx_section){ 0 };
}
