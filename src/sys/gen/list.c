/* list.c - see list.h. */
#include "sys/gen/list.h"

#include <errno.h>

#include "base/count.h"

enum { WORDS_MAX = 64, CALLS_MAX = 512 };

struct number {
	char name[40];
	int number; /* -1: not on this architecture */
};

struct reader {
	const char *path;
	int line;
	struct number call[CALLS_MAX];
	size_t calls;
	bool explained; /* a comment stands above this group */
	struct cx_list *list;
};

static const struct {
	const char *name;
	uint32_t number;
} error[] = {
	{ "EPERM", EPERM }, { "ENOSYS", ENOSYS }, { "EINVAL", EINVAL },
	{ "ENOMEM", ENOMEM },
	{ "EAFNOSUPPORT", EAFNOSUPPORT },
};

uint32_t cx_list_error(const char *name)
{
	for (size_t i = 0; i < CX_COUNT(error); i++)
		if (strcmp(error[i].name, name) == 0)
			return error[i].number;
	return 0;
}

static _Noreturn void fail(const struct reader *reader, const char *what,
                           const char *word)
{
	fprintf(stderr, "%s:%d: %s: %s\n", reader->path, reader->line, what,
	        word);
	exit(1);
}

static FILE *open_text(const char *path)
{
	FILE *file = fopen(path, "re");

	if (!file) {
		fprintf(stderr, "%s: can't be opened\n", path);
		exit(1);
	}
	return file;
}

static void read_numbers(const char *path, const char *arch,
                         struct reader *reader)
{
	FILE *file = open_text(path);
	char line[128];
	char column[2][16];

	while (fgets(line, sizeof line, file)) {
		struct number *call = &reader->call[reader->calls];
		const char *text;

		if (line[0] == '#' ||
		    sscanf(line, "%39s %15s %15s", call->name, column[0],
		           column[1]) != 3)
			continue;
		text = column[strcmp(arch, "x86_64") != 0];
		call->number = text[0] == '-' ? -1
		                              : (int)strtol(text, NULL, 10);
		if (++reader->calls == CALLS_MAX)
			fail(reader, "too many numbers", path);
	}
	fclose(file);
}

static int find_number(const struct reader *reader, const char *name)
{
	for (size_t i = 0; i < reader->calls; i++)
		if (strcmp(reader->call[i].name, name) == 0)
			return reader->call[i].number;
	fail(reader, "no such system call", name);
}

static struct cx_list_rule *find_rule(const struct reader *reader,
                                      const char *name)
{
	for (size_t i = 0; i < reader->list->count; i++)
		if (strcmp(reader->list->rule[i].name, name) == 0)
			return &reader->list->rule[i];
	return NULL;
}

static struct cx_list_rule *add_rule(const struct reader *reader,
                                     const char *name,
                                     enum cx_list_verdict verdict)
{
	struct cx_list_rule *rule = &reader->list->rule[reader->list->count++];

	if (reader->list->count == CX_LIST_RULES_MAX)
		fail(reader, "too many rules", name);
	snprintf(rule->name, sizeof rule->name, "%s", name);
	rule->number = find_number(reader, name);
	rule->verdict = verdict;
	return rule;
}

static void add_plain(const struct reader *reader, char **word, size_t count,
                      enum cx_list_verdict verdict, uint32_t number)
{
	for (size_t i = 0; i < count; i++) {
		if (find_rule(reader, word[i]))
			fail(reader, "judged twice", word[i]);
		add_rule(reader, word[i], verdict)->error = number;
	}
}

static uint32_t take_value(const struct reader *reader, const char *word)
{
	char *end;
	unsigned long value = strtoul(word, &end, 0);

	if (*end || end == word || value > UINT32_MAX)
		fail(reader, "not a 32-bit number", word);
	return (uint32_t)value;
}

/* "argN [& MASK] = VALUE..." up to "and" or the end; the words used. */
static size_t take_test(const struct reader *reader, char **word, size_t count,
                        struct cx_list_test *ret)
{
	size_t at = 1;

	if (count < 3 || strlen(word[0]) != 4 ||
	    strncmp(word[0], "arg", 3) != 0 || word[0][3] < '0' ||
	    word[0][3] > '5')
		fail(reader, "not argN and a comparison", word[0]);
	ret->arg = (unsigned)(word[0][3] - '0');
	ret->mask = UINT32_MAX;
	if (strcmp(word[at], "&") == 0) {
		ret->mask = take_value(reader, word[at + 1]);
		at += 2;
	}
	if (at >= count || (strcmp(word[at], "=") && strcmp(word[at], "!=")))
		fail(reader, "neither = nor !=", word[0]);
	ret->differs = word[at++][0] == '!';
	for (; at < count && strcmp(word[at], "and"); at++) {
		if (ret->count == CX_LIST_VALUES_MAX)
			fail(reader, "too many values", word[at]);
		ret->value[ret->count++] = take_value(reader, word[at]);
	}
	if (ret->count == 0)
		fail(reader, "no value", word[0]);
	return at;
}

/* word: NAME "if" TEST ["and" TEST]... */
static void add_choice(const struct reader *reader, char **word, size_t count)
{
	struct cx_list_rule *rule = find_rule(reader, word[0]);
	struct cx_list_choice *choice;
	size_t at = 2;

	if (rule && rule->verdict != CX_LIST_JUDGE)
		fail(reader, "judged twice", word[0]);
	if (!rule)
		rule = add_rule(reader, word[0], CX_LIST_JUDGE);
	if (rule->count == CX_LIST_CHOICES_MAX)
		fail(reader, "too many lines", word[0]);
	choice = &rule->choice[rule->count++];
	for (;;) {
		if (choice->count == CX_LIST_TESTS_MAX)
			fail(reader, "too many tests", word[0]);
		at += take_test(reader, word + at, count - at,
		                &choice->test[choice->count++]);
		if (at >= count)
			return;
		at++;
	}
}

static void set_otherwise(const struct reader *reader, char **word,
                          size_t count)
{
	struct cx_list_rule *rule = count == 2 ? find_rule(reader, word[1])
	                                       : NULL;

	if (!rule || rule->verdict != CX_LIST_JUDGE || rule->error)
		fail(reader, "nothing to say otherwise of", word[count - 1]);
	rule->error = cx_list_error(word[0]);
	if (!rule->error)
		fail(reader, "no such error", word[0]);
}

static void take_rule(const struct reader *reader, char **word, size_t count)
{
	bool allow = strcmp(word[0], "allow") == 0;

	if (!reader->explained)
		fail(reader, "a rule without a reason above it", word[0]);
	if (count < 2)
		fail(reader, "a rule of one word", word[0]);
	if (allow && count > 2 && strcmp(word[2], "if") == 0)
		add_choice(reader, word + 1, count - 1);
	else if (allow)
		add_plain(reader, word + 1, count - 1, CX_LIST_ALLOW, 0);
	else if (strcmp(word[0], "otherwise") == 0)
		set_otherwise(reader, word + 1, count - 1);
	else if (strcmp(word[0], "refuse") == 0 && cx_list_error(word[1]))
		add_plain(reader, word + 2, count - 2, CX_LIST_REFUSE,
		          cx_list_error(word[1]));
	else
		fail(reader, "no such rule", word[0]);
}

static void take_line(struct reader *reader, char *line)
{
	char *word[WORDS_MAX];
	size_t count = 0;
	char *rest = line;
	char *at;

	while ((at = strsep(&rest, " \n"))) {
		if (*at && count == WORDS_MAX)
			fail(reader, "too many words", at);
		if (*at)
			word[count++] = at;
	}
	if (count == 0)
		reader->explained = false;
	else if (word[0][0] == '#')
		reader->explained = true;
	else if (word[0][0] != '[')
		take_rule(reader, word, count);
}

static int by_number(const void *a, const void *b)
{
	const struct cx_list_rule *one = a;
	const struct cx_list_rule *two = b;

	return (one->number > two->number) - (one->number < two->number);
}

/* Those that this architecture doesn't have sort to the front and go. */
static void finish(struct reader *reader)
{
	struct cx_list *list = reader->list;
	size_t absent = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->rule[i].verdict == CX_LIST_JUDGE &&
		    !list->rule[i].error)
			fail(reader, "says nothing otherwise",
			     list->rule[i].name);
	qsort(list->rule, list->count, sizeof list->rule[0], by_number);
	while (absent < list->count && list->rule[absent].number < 0)
		absent++;
	list->count -= absent;
	memmove(list->rule, list->rule + absent,
	        list->count * sizeof list->rule[0]);
}

void cx_list_read(const char *list, const char *numbers, const char *arch,
                  struct cx_list *ret)
{
	static struct reader reader;
	FILE *file = open_text(list);
	char line[256];

	memset(ret, 0, sizeof *ret);
	memset(&reader, 0, sizeof reader);
	reader.path = list;
	reader.list = ret;
	read_numbers(numbers, arch, &reader);
	while (fgets(line, sizeof line, file)) {
		reader.line++;
		take_line(&reader, line);
	}
	fclose(file);
	finish(&reader);
}
