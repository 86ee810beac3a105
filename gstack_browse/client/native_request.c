/* From the words to the line that the daemon reads (docs/protocol.md), and whether the words are plain enough for this client. */

#define _GNU_SOURCE
#include "native.h"
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LINE_BYTES = 1024 * 1024 };

/* Commands of which the client has more to do than to ask: it runs them itself, or may have to end the daemon; and those that
 * read standard input where they have no argument. */
/* generated: names of commands */
static const char *const LEFT_TO_PYTHON[] = {"base-branch", "config", "demo", "design-keep", "doctor", "eureka", "field-report", "http-auth", "load-times", "preamble", "qa-report", "restart", "review-dashboard", "review-log", "run", "secret-set", "setup", "skill", "skills", "skills-check", "skills-install", "skills-remove", "stop", "test-bootstrap", "trace", "update-snooze", "upgrade", "version", NULL};
static const char *const READS_STDIN[] = {"batch", "chain", "fill-form", "load-html", NULL};
/* end of names of commands */

static bool fence;               /* whether the caller wants text of pages marked */
static const char *context = ""; /* the browser context that is meant, by name; "" for the default one */

/* The next code point, and moves on behind it; -1 for bytes that are not UTF-8 (RFC 3629: nothing overlong, no
 * surrogates). Never moves beyond the final NUL: that is no continuation byte. */
static int32_t next_code_point(const unsigned char **at)
{
    static const int32_t least[] = {0, 0x80, 0x800, 0x10000};
    unsigned char first = *(*at)++;
    int more = first < 0x80 ? 0 : first < 0xc0 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf8 ? 3 : -1;
    if (more < 0)
        return -1;
    int32_t point = more ? first & (0x3f >> more) : first;
    for (int i = 0; i < more; i++) {
        if ((**at & 0xc0) != 0x80)
            return -1;
        point = point << 6 | (*(*at)++ & 0x3f);
    }
    bool surrogate = point >= 0xd800 && point <= 0xdfff;
    return point < least[more] || point > 0x10ffff || surrogate ? -1 : point;
}

static void append_escaped(struct bytes *line, int32_t point)
{
    static const char special[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    char text[16];
    const char *found = point < 0x80 ? strchr(special, point) : NULL;
    if (found)
        snprintf(text, sizeof text, "\\%c", letter[found - special]);
    else if (point < 0x10000)
        snprintf(text, sizeof text, "\\u%04x", (unsigned)point);
    else
        snprintf(text, sizeof text, "\\u%04x\\u%04x", 0xd7c0u + ((unsigned)point >> 10), 0xdc00u | (point & 0x3ff));
    append_text(line, text);
}

/* `text` as a JSON string in ASCII. What is no text the wire cannot carry. */
static void append_quoted(struct bytes *line, const char *text)
{
    append_text(line, "\"");
    const unsigned char *at = (const unsigned char *)text;
    for (;;) {
        const unsigned char *plain = at;
        while (*at >= ' ' && *at <= '~' && *at != '"' && *at != '\\')
            at++;
        append(line, plain, (size_t)(at - plain));
        if (!*at)
            break;
        int32_t point = next_code_point(&at);
        if (point < 0)
            leave_to_python();
        append_escaped(line, point);
    }
    append_text(line, "\"");
}

/* What the environment forbids: RULES in protocol.py, and HOME_VARIABLE. The daemon may have been started without. */
static void append_rules(struct bytes *line)
{
    static const char *const names[] = {"BROWSE_ALLOW", "BROWSE_ALLOW_RESOURCES", "BROWSE_CONFIRM", "GSTACK_HOME"};
    bool any = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (!value || !*value)
            continue;
        append_text(line, any ? "," : ",\"rules\":{");
        append_quoted(line, names[i]);
        append_text(line, ":");
        append_quoted(line, value);
        any = true;
    }
    append_text(line, any ? "}" : "");
}

struct bytes request_line(const char *cwd)
{
    struct bytes line = {0};
    append_text(&line, "{\"cmd\":");
    append_quoted(&line, words[1]);
    for (char **word = words + 2; *word; word++) {
        append_text(&line, word == words + 2 ? ",\"args\":[" : ",");
        append_quoted(&line, *word);
    }
    append_text(&line, words[2] ? "],\"cwd\":" : ",\"cwd\":");
    append_quoted(&line, cwd);
    append_text(&line, ",\"status\":true,\"stderr\":true");
    append_text(&line, fence ? ",\"fence\":true" : "");
    if (*context) {
        append_text(&line, ",\"as\":");
        append_quoted(&line, context);
    }
    append_text(&line, is_terminal(STDERR_FILENO) ? ",\"progress\":true" : "");
    append_text(&line, takes_colour(STDOUT_FILENO) ? ",\"colour\":true" : "");
    append_rules(&line);
    append_text(&line, "}\n");
    if (line.size > MAX_LINE_BYTES)
        leave_to_python();
    return line;
}

static bool is_among(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name))
        names++;
    return *names != NULL;
}

/* Whether the reply comes in parts, which are to be printed as they come. */
static bool is_followed(void)
{
    for (char **word = words + 2; *word; word++)
        if (!strcmp(*word, "--follow"))
            return true;
    return false;
}

/* Whether standard input may be part of the command: a word is "-", or a command that reads it has no argument. */
static bool may_read_stdin(void)
{
    bool has_argument = false;
    for (char **word = words + 2; *word; word++) {
        if (!strcmp(*word, "-"))
            return true;
        has_argument |= **word != '-';
    }
    return !has_argument && is_among(READS_STDIN, words[1]);
}

bool is_plain_command(const char *cmd)
{
    if (!cmd || !isalnum((unsigned char)*cmd))
        return false;
    for (const char *at = cmd; *at; at++)
        if (!isascii(*at) || !(isalnum((unsigned char)*at) || *at == '-'))
            return false;
    return !is_among(LEFT_TO_PYTHON, cmd) && !may_read_stdin() && !is_followed();
}

/* Have commands run in that browser context: `context_name` in protocol.py, which also says what is wrong with other words. */
static void mean_context(const char *name)
{
    size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_");
    if (!size || name[size] || size > 40 || *name == '-' || *name == '_')
        leave_to_python();
    context = strcmp(name, "default") ? name : "";
}

void read_options(void)
{
    const char *named = getenv("BROWSE_AS");
    if (named && *named)
        mean_context(named);
    const char *wanted = getenv("BROWSE_FENCE"); /* also where the daemon was started without */
    fence = wanted && !strcmp(wanted, "1");
    for (;; words++) {
        if (words[1] && (!strcmp(words[1], "--fence") || !strcmp(words[1], "--no-fence")))
            fence = !strcmp(words[1], "--fence");
        else if (words[1] && !strncmp(words[1], "--as=", 5))
            mean_context(words[1] + 5);
        else if (words[1] && words[2] && !strcmp(words[1], "--as"))
            mean_context((++words)[1]);
        else
            return;
    }
}
