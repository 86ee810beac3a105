/* Builds the request from the command line (docs/protocol.md), and decides whether this client can handle the command. */

#define _GNU_SOURCE
#include "native.h"
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_LINE_BYTES = 1024 * 1024 };

/* Commands that the Python client runs itself, or for which it may have to end the daemon; and commands that read standard
 * input if they have no argument. */
/* generated: names of commands */
static const char *const LEFT_TO_PYTHON[] = {"base-branch", "config", "demo", "design-keep", "doctor", "eureka", "field-report", "http-auth", "load-times", "preamble", "qa-report", "restart", "review-dashboard", "review-log", "run", "secret-set", "setup", "skill", "skills", "skills-check", "skills-install", "skills-remove", "stop", "test-bootstrap", "trace", "update-snooze", "upgrade", "version", NULL};
static const char *const READS_STDIN[] = {"batch", "chain", "fill-form", "load-html", NULL};
/* end of names of commands */

static bool fence;               /* whether text of pages is to be marked (--fence) */
static const char *context = ""; /* name of the browser context (--as); "" for the default one */
static const char *piped;        /* text of standard input, if the command reads it; else NULL */

/* Return the next code point, and move behind it; -1 for bytes that are not UTF-8 (RFC 3629: no overlong forms, no surrogates).
 * Does not move beyond the final NUL, which is no continuation byte. */
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

/* Append a code point as an escape of JSON. */
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

/* Append `text` as a JSON string in ASCII. Text that is not UTF-8 is left to the Python client. */
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
            exec_python_client();
        append_escaped(line, point);
    }
    append_text(line, "\"");
}

/* Append the environment variables that restrict commands (RULES and HOME_VARIABLE of protocol.py), for a daemon that was
 * started without them. */
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

struct bytes build_request(const char *cwd)
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
    if (piped) {
        append_text(&line, ",\"stdin\":");
        append_quoted(&line, piped);
    }
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
        exec_python_client();
    return line;
}

/* Whether a list of names, which ends with NULL, contains this one. */
static bool contains_name(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name))
        names++;
    return *names != NULL;
}

/* Whether a word of the command is this one. */
static bool has_word(const char *wanted)
{
    for (char **word = words + 2; *word; word++)
        if (!strcmp(*word, wanted))
            return true;
    return false;
}

/* Whether the command reads standard input in place of an argument: it is one of READS_STDIN and has only options. */
static bool reads_stdin(void)
{
    for (char **word = words + 2; *word; word++)
        if (**word != '-')
            return false;
    return contains_name(READS_STDIN, words[1]) && !has_word("--help") && !has_word("-h");
}

void read_piped_input(void)
{
    if (!reads_stdin())
        return;
    static char part[262144]; /* as main.py reads it: an error names the size that was read */
    struct bytes text = {0};
    int copy = memfd_create("stdin", MFD_CLOEXEC);
    ssize_t size = copy < 0 ? -1 : read(STDIN_FILENO, part, sizeof part);
    if (size < 0)
        exec_python_client();
    for (; size > 0 && text.size <= MAX_LINE_BYTES; size = read(STDIN_FILENO, part, sizeof part))
        append(&text, part, (size_t)size);
    write_all(copy, text.at, text.size);
    if (size < 0 || lseek(copy, 0, SEEK_SET) || dup2(copy, STDIN_FILENO) < 0)
        fail(FAILED, "Standard input cannot be read");
    append(&text, "", 1);
    if (memchr(text.at, '\0', text.size - 1))
        exec_python_client();
    piped = text.at;
}

const char *first_argument(void)
{
    return piped ? piped : words[2];
}

bool is_plain_command(const char *cmd)
{
    if (!cmd || !isalnum((unsigned char)*cmd))
        return false;
    for (const char *at = cmd; *at; at++)
        if (!isascii(*at) || !(isalnum((unsigned char)*at) || *at == '-'))
            return false;
    /* The Python client prints replies that come in parts (--follow), decides whether "-" means standard input, and says what is missing
     * where that is a terminal. */
    return !contains_name(LEFT_TO_PYTHON, cmd) && !has_word("-") && !has_word("--follow") &&
           !(reads_stdin() && isatty(STDIN_FILENO));
}

/* Set the browser context by name. Invalid names are left to the Python client, which reports them: `parse_context_name` of protocol.py. */
static void set_context(const char *name)
{
    size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_");
    if (!size || name[size] || size > 40 || *name == '-' || *name == '_')
        exec_python_client();
    context = strcmp(name, "default") ? name : "";
}

void read_options(void)
{
    const char *named = getenv("BROWSE_AS");
    if (named && *named)
        set_context(named);
    const char *wanted = getenv("BROWSE_FENCE"); /* the daemon may have been started without it */
    fence = wanted && !strcmp(wanted, "1");
    for (;; words++) {
        if (words[1] && (!strcmp(words[1], "--fence") || !strcmp(words[1], "--no-fence")))
            fence = !strcmp(words[1], "--fence");
        else if (words[1] && !strncmp(words[1], "--as=", 5))
            set_context(words[1] + 5);
        else if (words[1] && words[2] && !strcmp(words[1], "--as"))
            set_context((++words)[1]);
        else
            return;
    }
}
