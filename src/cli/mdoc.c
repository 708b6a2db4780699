/* mdoc.c - see mdoc.h. */
#include "cli/mdoc.h"

#include "base/mem.h"
#include "base/str.h"

enum { LINE = 78 };

static void word(const char *text, size_t length, struct cx_buf *ret)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\\')
			cx_buf_text(ret, "\\e");
		else
			cx_buf_byte(ret, text[i]);
	}
}

/* Text on lines of its own: nothing in it may be read as a request. */
static void text_line(const char *text, struct cx_buf *ret)
{
	size_t used = 0;

	while (*text) {
		size_t length = strcspn(text, " ");

		if (used && used + 1 + length > LINE) {
			cx_buf_byte(ret, '\n');
			used = 0;
		}
		if (used)
			cx_buf_byte(ret, ' ');
		else if (*text == '.' || *text == '\'')
			cx_buf_text(ret, "\\&");
		word(text, length, ret);
		used += length + (used > 0);
		text += length + strspn(text + length, " ");
	}
	cx_buf_byte(ret, '\n');
}

static void begin(const char *section, struct cx_buf *ret)
{
	cx_buf_print(ret, ".\\\" made from tables: %s\n.Sh %s\n", section,
	             section);
}

static void end(const char *section, struct cx_buf *ret)
{
	cx_buf_print(ret, ".\\\" end of %s\n", section);
}

/* One operand without its brackets, as macro arguments. */
static void operand(const char *text, size_t length, struct cx_buf *ret)
{
	bool many = length > 3 && strncmp(text + length - 3, "...", 3) == 0;

	if (many)
		length -= 3;
	if (length == 2 && strncmp(text, "--", 2) == 0)
		cx_buf_text(ret, " Fl -");
	else
		cx_buf_print(ret, " Ar %.*s", (int)length, text);
	if (many)
		cx_buf_text(ret, " ...");
}

/* "[-- ARGV...]" or "KEY KEY" as .Op and .Ar lines. */
static void operands(const char *text, struct cx_buf *ret)
{
	bool inside = false;

	while (*text) {
		size_t length = strcspn(text, " ");
		bool opens = *text == '[';
		bool closes = text[length - 1] == ']';

		if (opens)
			cx_buf_text(ret, ".Op");
		else if (!inside)
			cx_buf_text(ret, ".");
		operand(text + opens, length - opens - closes, ret);
		inside = (inside || opens) && !closes;
		if (!inside)
			cx_buf_byte(ret, '\n');
		text += length + strspn(text + length, " ");
	}
}

static void synopsis(const struct cx_tool *tool, struct cx_buf *ret)
{
	begin("SYNOPSIS", ret);
	for (size_t i = 0; i < tool->cmd_count; i++) {
		const struct cx_cmd *cmd = &tool->cmd[i];

		cx_buf_print(ret, ".Nm\n.Cm %s\n", cmd->name);
		for (size_t k = 0; k < cmd->opt_count; k++) {
			const struct cx_opt *opt = &cmd->opt[k];

			if (opt->hidden)
				continue;
			cx_buf_print(ret, ".Op Fl -%s", opt->name);
			if (opt->value)
				cx_buf_print(ret, " Ar %s", opt->value);
			cx_buf_byte(ret, '\n');
		}
		if (cmd->operands)
			operands(cmd->operands, ret);
	}
	end("SYNOPSIS", ret);
}

static void commands(const struct cx_tool *tool, struct cx_buf *ret)
{
	begin("COMMANDS", ret);
	cx_buf_text(ret, ".Bl -tag -width Ds\n");
	for (size_t i = 0; i < tool->cmd_count; i++) {
		cx_buf_print(ret, ".It Cm %s\n", tool->cmd[i].name);
		text_line(tool->cmd[i].about, ret);
	}
	cx_buf_text(ret, ".El\n");
	end("COMMANDS", ret);
}

/* The same option: one entry serves all verbs that have it. */
static bool same(const struct cx_opt *a, const struct cx_opt *b)
{
	return cx_str_same(a->name, b->name) && a->letter == b->letter &&
	       cx_str_same(a->about, b->about) && a->min == b->min &&
	       a->max == b->max && a->word == b->word;
}

static bool has(const struct cx_cmd *cmd, const struct cx_opt *opt)
{
	for (size_t i = 0; i < cmd->opt_count; i++)
		if (same(&cmd->opt[i], opt))
			return true;
	return false;
}

static void values(const struct cx_opt *opt, struct cx_buf *ret)
{
	if (opt->kind == CX_OPT_WORD) {
		cx_buf_text(ret, "One of\n");
		for (size_t i = 0; opt->word[i]; i++)
			cx_buf_print(ret, ".Cm %s%s\n", opt->word[i],
			             opt->word[i + 1] ? " ," : " .");
	} else if (opt->kind == CX_OPT_NUMBER) {
		cx_buf_print(ret, "From %ju", (uintmax_t)opt->min);
		if (opt->max < INT64_MAX)
			cx_buf_print(ret, " to %ju", (uintmax_t)opt->max);
		cx_buf_text(ret, ".\n");
	} else if (opt->kind == CX_OPT_LIST || opt->kind == CX_OPT_FILES) {
		cx_buf_text(ret, "May be repeated.\n");
	}
}

/* "For mint and open." where the option isn't every verb's. */
static void verbs_of(const struct cx_tool *tool, const struct cx_opt *opt,
                     struct cx_buf *ret)
{
	size_t count = 0, seen = 0;

	for (size_t i = 0; i < tool->cmd_count; i++)
		count += has(&tool->cmd[i], opt);
	if (count == tool->cmd_count)
		return;
	cx_buf_text(ret, "For\n");
	for (size_t i = 0; i < tool->cmd_count; i++) {
		if (!has(&tool->cmd[i], opt))
			continue;
		seen++;
		cx_buf_print(ret, ".Cm %s%s\n", tool->cmd[i].name,
		             seen == count ? " ." :
		             seen + 1 == count ? "" : " ,");
		if (seen + 1 == count)
			cx_buf_text(ret, "and\n");
	}
}

static void option(const struct cx_tool *tool, const struct cx_opt *opt,
                   struct cx_buf *ret)
{
	CX_AUTO_FREE char *about = cx_mem_print("%s.", opt->about);

	cx_buf_text(ret, ".It");
	if (opt->letter)
		cx_buf_print(ret, " Fl %c ,", opt->letter);
	cx_buf_print(ret, " Fl -%s", opt->name);
	if (opt->value)
		cx_buf_print(ret, " Ar %s", opt->value);
	cx_buf_byte(ret, '\n');
	text_line(about, ret);
	values(opt, ret);
	verbs_of(tool, opt, ret);
}

/* Whether a verb before cmd has the option already. */
static bool told(const struct cx_tool *tool, size_t cmd,
                 const struct cx_opt *opt)
{
	for (size_t i = 0; i < cmd; i++)
		if (has(&tool->cmd[i], opt))
			return true;
	return false;
}

static void options(const struct cx_tool *tool, struct cx_buf *ret)
{
	begin("OPTIONS", ret);
	cx_buf_text(ret, "Every verb knows\n.Fl -help\nand, where it reads or "
	            "writes documents,\n.Fl -schema ;\nthe tool itself knows\n"
	            ".Fl -help\nand\n.Fl -version .\n"
	            "A long option's value follows as the next word or after\n"
	            ".Ql = ;\nits name has to be spelled out.\n.Ql --\n"
	            "ends the options.\n"
	            ".Bl -tag -width Ds\n");
	for (size_t i = 0; i < tool->cmd_count; i++)
		for (size_t k = 0; k < tool->cmd[i].opt_count; k++) {
			const struct cx_opt *opt = &tool->cmd[i].opt[k];

			if (!opt->hidden && !told(tool, i, opt))
				option(tool, opt, ret);
		}
	cx_buf_text(ret, ".El\n");
	end("OPTIONS", ret);
}

static void exit_status(struct cx_buf *ret)
{
	static const struct { const char *status, *about; } code[] = {
		{ "0", "Done." },
		{ "1", "With many documents: at least one was refused or "
		  "failed." },
		{ "64", "The command line is wrong." },
		{ "65", "The input document is refused." },
		{ "66", "A named file, repository or revision isn't there." },
		{ "69", "Something that is needed isn't available." },
		{ "70", "A fault of the tool's own." },
		{ "71", "The system failed: memory, clock, randomness." },
		{ "73", "A file can't be created." },
		{ "74", "An input or output error." },
		{ "75", "Busy: try again." },
		{ "77", "Refused by policy, identity or provenance." },
		{ "78", "The configuration or a key is refused." },
		{ "128+n", "Ended by signal n, after cleaning up." },
	};

	begin("EXIT STATUS", ret);
	cx_buf_text(ret, ".Bl -tag -width 128+n\n");
	for (size_t i = 0; i < CX_COUNT(code); i++)
		cx_buf_print(ret, ".It %s\n%s\n", code[i].status,
		             code[i].about);
	cx_buf_text(ret, ".El\n.Pp\nThe error classes behind them are in\n"
	            ".Xr cx-errors 7 .\n");
	end("EXIT STATUS", ret);
}

void cx_mdoc_write(const struct cx_tool *tool, struct cx_buf *ret)
{
	begin("NAME", ret);
	cx_buf_print(ret, ".Nm %s\n.Nd %s\n", tool->name, tool->about);
	end("NAME", ret);
	synopsis(tool, ret);
	commands(tool, ret);
	options(tool, ret);
	exit_status(ret);
}
