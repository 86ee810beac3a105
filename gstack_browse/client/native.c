/* The command `gbrowse` without Python's start-up: one request out, one reply in.
 *
 * Does what client/main.py does when a daemon listens and nothing is unusual, byte for byte the same. Everything else
 * (other options before the command than `--as`, `--fence` and `--no-fence`, anything that is refused, `stop`, standard input, replies in parts) it leaves to the Python
 * client by execv; so too where there is no daemon, but for a first `goto` (`native_start.c`). That is only done while the daemon has not been asked, or when it says that it did not run the request:
 * a request is never sent twice. Linux; libc only. See docs/decisions/0005-native-client.md and docs/protocol.md.
 */

#define _GNU_SOURCE
#include "native.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { FAILED = 1, BUSY = 8, NO_ANSWER = 9, BROKEN_PIPE = 141 };
enum { MAX_LINE_BYTES = 1024 * 1024, SILENCE_SECONDS = 2, ANSWER_SECONDS = 5, MOST_SECONDS = 60 };

/* Commands of which the client has more to do than to ask: it runs them itself, or may have to end the daemon; and those that
 * read standard input where they have no argument. */
/* generated: commands left to Python */
static const char *const LEFT_TO_PYTHON[] = {"base-branch", "config", "doctor", "eureka", "field-report", "http-auth", "load-times", "preamble", "qa-report", "restart", "review-dashboard", "review-log", "secret-set", "setup", "skill", "skills", "skills-check", "skills-install", "skills-remove", "stop", "test-bootstrap", "update-snooze", "upgrade", NULL};
static const char *const READS_STDIN[] = {"batch", "chain", "fill-form", "load-html", NULL};
/* end of commands left to Python */

static char **typed; /* as typed, the program first */
static char **words; /* words[1] is the command */
static bool fence;   /* whether the caller wants text of pages marked */
static const char *context = ""; /* the browser context that is meant, by name; "" for the default one */
static bool refused; /* whether the daemon read no further before the request was sent whole */
static bool asked;   /* whether the daemon may have seen any of the request */
static pid_t daemon_pid;

_Noreturn static void fail(int code, const char *message);
_Noreturn static void leave_to_python(void);
static void say(const char *text);
static void say_error(void);

/* -- bytes ------------------------------------------------------------------------------------------------------- */

static void append(struct bytes *to, const void *from, size_t size)
{
    if (size > to->room - to->size) {
        size_t room = (to->size + size) * 2;
        char *grown = realloc(to->at, room);
        if (!grown && !asked)
            leave_to_python();
        if (!grown)
            fail(NO_ANSWER, "There is not enough memory for the reply");
        to->at = grown;
        to->room = room;
    }
    if (size)
        memcpy(to->at + to->size, from, size);
    to->size += size;
}

static void append_text(struct bytes *to, const char *text)
{
    append(to, text, strlen(text));
}

/* Write to what may be a pipe, a terminal, or set not to wait. Ends the process if nobody can read it. */
static void write_all(int fd, const char *at, size_t size)
{
    while (size) {
        ssize_t written = write(fd, at, size);
        if (written >= 0) {
            at += written;
            size -= (size_t)written;
        } else if (errno == EAGAIN) {
            poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
        } else if (errno == EPIPE) {
            _exit(BROKEN_PIPE);
        } else if (errno != EINTR && fd == STDERR_FILENO) {
            return; /* where should we say it? */
        } else if (errno != EINTR) {
            const char *reason = strerror(errno);
            say_error();
            say(" The output cannot be written: ");
            say(reason);
            say("\n");
            _exit(FAILED);
        }
    }
}

static void say(const char *text)
{
    write_all(STDERR_FILENO, text, strlen(text));
}

/* Whether somebody looks at a terminal there on which a line can be written anew. */
static bool is_terminal(int fd)
{
    const char *terminal = getenv("TERM");
    return isatty(fd) && terminal && strcmp(terminal, "dumb");
}

/* Whether that is a terminal, and nobody has asked for text without colour (no-color.org). */
static bool takes_colour(int fd)
{
    const char *without = getenv("NO_COLOR");
    return is_terminal(fd) && !(without && *without);
}

/* Begin a failure: in red, where somebody looks. */
static void say_error(void)
{
    say(takes_colour(STDERR_FILENO) ? "\033[31mError:\033[0m" : "Error:");
}

_Noreturn static void fail(int code, const char *message)
{
    say_error();
    say(" ");
    say(message);
    say("\n");
    _exit(code);
}

/* Run the Python client with the same words in this process's place. */
_Noreturn static void leave_to_python(void)
{
    static char path[PATH_MAX + sizeof PYTHON_CLIENT];
    ssize_t size = readlink("/proc/self/exe", path, PATH_MAX - 1); /* proc(5): never a link, unlike argv[0] */
    char *slash = size > 0 ? strrchr(path, '/') : NULL;
    if (slash) {
        strcpy(slash + 1, PYTHON_CLIENT); /* fits: that is what the array has besides PATH_MAX */
        typed[0] = path;
        execv(path, typed);
    }
    fail(FAILED, "The Python client beside gbrowse cannot be run; install gstack-browse again");
}

/* -- the request ------------------------------------------------------------------------------------------------- */

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

/* What the environment forbids: RULES in protocol.py. The daemon may have been started without. */
static void append_rules(struct bytes *line)
{
    static const char *const names[] = {"BROWSE_ALLOW", "BROWSE_ALLOW_RESOURCES", "BROWSE_CONFIRM"};
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

static struct bytes request_line(const char *cwd)
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

/* Whether the first word is a command that needs no more of a client than one request. Its name must also be one that
 * can be shown as it is. */
static bool is_plain_command(const char *cmd)
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

/* Move on behind the options before the command that are ours to read. */
static void read_options(void)
{
    const char *named = getenv("BROWSE_AS");
    if (named && *named)
        mean_context(named);
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

/* -- the daemon -------------------------------------------------------------------------------------------------- */

/* Cut `path` (absolute) down to the nearest directory that holds `.git`, if one does. */
static void find_workspace(char *path)
{
    char tried[PATH_MAX + sizeof "/.git"];
    struct stat found;
    for (size_t size = strlen(path);; size--) {
        if (size > 1 && path[size] != '/' && path[size] != '\0')
            continue;
        snprintf(tried, sizeof tried, "%.*s/.git", size > 1 ? (int)size : 0, path);
        if (!stat(tried, &found) && (S_ISDIR(found.st_mode) || S_ISREG(found.st_mode))) {
            path[size] = '\0';
            return;
        }
        if (size <= 1)
            return;
    }
}

static char socket_name[80] = "browse.sock";

/* Call the socket after the state file that the user has named: mine.sock beside mine.json. */
static void name_socket(const char *state_file)
{
    size_t size = strlen(state_file);
    if (!size || size > 60 || !strcmp(state_file, ".") || !strcmp(state_file, ".."))
        leave_to_python(); /* which refuses it */
    if (size > 5 && !strcmp(state_file + size - 5, ".json"))
        size -= 5;
    snprintf(socket_name, sizeof socket_name, "%.*s.sock", (int)size, state_file);
}

/* The path of the state directory, in `path`, which is the caller's directory and has room for more. */
static void find_state_directory(char *path, size_t room)
{
    const char *moved = getenv("BROWSE_STATE_FILE");
    if (!moved || !*moved) {
        find_workspace(path);
        strcat(path, strcmp(path, "/") ? "/.gstack" : ".gstack");
        return;
    }
    if (*moved != '/' || strlen(moved) >= room)
        leave_to_python();
    strcpy(path, moved);
    char *end = strrchr(path, '/');
    name_socket(end + 1);
    while (end > path && end[-1] == '/')
        end--;
    end[end == path] = '\0';
}

/* A connection to the daemon, whose user the kernel says is ours; -1 where there is none. The repository may be hostile: nothing
 * in its way may be a link, or somebody else's. */
static int connect_to_daemon(const char *directory)
{
    struct stat found;
    int at = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (at < 0 && errno == ENOENT)
        return -1;
    if (at < 0 || fstat(at, &found) || found.st_uid != geteuid() || found.st_mode & (S_IWGRP | S_IWOTH))
        leave_to_python();
    bool is_there = !fstatat(at, socket_name, &found, AT_SYMLINK_NOFOLLOW);
    if (!is_there && errno == ENOENT) {
        close(at);
        return -1;
    }
    if (!is_there || !S_ISSOCK(found.st_mode) || found.st_uid != geteuid())
        leave_to_python();
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", at, socket_name); /* short, however deep */
    int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool is_connected = sock >= 0 && !connect(sock, (struct sockaddr *)&address, sizeof address);
    if (!is_connected && (sock < 0 || errno != ECONNREFUSED))
        leave_to_python();
    close(at);
    if (!is_connected) {
        close(sock);
        return -1;
    }
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.uid != geteuid())
        leave_to_python();
    daemon_pid = peer.pid;
    return sock;
}

/* What the kernel tells about the daemon in a file of its /proc; "" when it has ended, or the kernel tells nothing. */
static void read_proc(const char *name, char *text, size_t room)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)daemon_pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? 0 : read(fd, text, room - 1);
    if (fd >= 0)
        close(fd);
    text[size > 0 ? size : 0] = '\0';
}

/* Whether the daemon is stopped by SIGSTOP or the like: state T in proc_pid_stat(5). */
static bool is_stopped(void)
{
    char stat[1024];
    read_proc("stat", stat, sizeof stat);
    char *name_end = strrchr(stat, ')');
    return name_end && !strncmp(name_end, ") T", 3);
}

/* How many seconds the daemon has been ready to run and got no processor: the second number of its schedstat. */
static double seconds_held_up(void)
{
    char text[128];
    unsigned long long ran, waited = 0;
    read_proc("schedstat", text, sizeof text);
    return sscanf(text, "%llu %llu", &ran, &waited) == 2 ? (double)waited / 1e9 : 0;
}

/* How long the daemon has said nothing, and how much of that counts: see client/silence.py. */
struct silence {
    int seconds, counted;
    double held_up;
};

/* The daemon took the request and has said nothing for so many seconds more, not even that it is still working. */
static void after_silence(struct silence *silence, int seconds)
{
    char text[512];
    double held_up = seconds_held_up();
    if (!silence->seconds || held_up - silence->held_up <= seconds / 2.0)
        silence->counted += seconds;
    silence->seconds += seconds;
    silence->held_up = held_up;
    if (daemon_pid > 0 && is_stopped()) {
        kill(daemon_pid, SIGCONT);
        snprintf(text, sizeof text, "Note: the daemon (process %d) had been stopped by a signal; it was told to continue\n",
                 (int)daemon_pid);
        say(text);
    } else if (silence->counted >= ANSWER_SECONDS || silence->seconds >= MOST_SECONDS) {
        snprintf(text, sizeof text,
                 "The daemon (process %d) has not answered for %d s; '%.99s' may or may not have run\n"
                 "See whether it answers now: gbrowse status. If not, replace it: gbrowse restart",
                 (int)daemon_pid, silence->seconds, words[1]);
        fail(NO_ANSWER, text);
    }
}

/* -- the reply --------------------------------------------------------------------------------------------------- */

enum { SOH = 1, STX = 2, SYN = 0x16 };
enum piece { BODY, NOTE, TRAILER, PIECES };

static struct bytes reply[PIECES], failure;
static enum piece inside;

static bool is_mark(unsigned char byte)
{
    if (byte > SYN)
        return false;
    return byte == SYN || (inside == BODY && (byte == SOH || !byte)) || (inside == NOTE && byte == STX);
}

/* Print the remark, unless it is the failure: that comes after the result, or not at all if we ask again. */
static void take_note(void)
{
    struct bytes *note = &reply[NOTE];
    if (note->size >= 7 && !memcmp(note->at, "Error: ", 7)) {
        failure.size = 0;
        append(&failure, note->at, note->size);
    } else {
        write_all(STDERR_FILENO, note->at, note->size);
    }
    note->size = 0;
}

static void take_mark(unsigned char mark)
{
    if (mark == SYN)
        return; /* still working */
    if (mark == STX)
        take_note();
    inside = mark == SOH ? NOTE : mark == STX ? BODY : TRAILER;
}

static void take(const char *at, const char *end)
{
    while (at < end) {
        const char *mark = at;
        while (mark < end && !is_mark((unsigned char)*mark))
            mark++;
        append(&reply[inside], at, (size_t)(mark - at));
        if (mark < end)
            take_mark((unsigned char)*mark++);
        at = mark;
    }
}

/* The exit code at the reply's end, -1 if it has not come. */
static int exit_code(void)
{
    const struct bytes *trailer = &reply[TRAILER];
    int code = 0;
    if (trailer->size < 2 || trailer->size > 4 || trailer->at[trailer->size - 1] != '\n')
        return -1;
    for (size_t i = 0; i + 1 < trailer->size; i++) {
        if (!isdigit((unsigned char)trailer->at[i]))
            return -1;
        code = code * 10 + (trailer->at[i] - '0');
    }
    return code;
}

_Noreturn static void cut_off(void)
{
    const struct bytes *body = &reply[BODY];
    bool failed = body->size >= 7 && !memcmp(body->at, "Error: ", 7);
    write_all(failed ? STDERR_FILENO : STDOUT_FILENO, body->at, body->size);
    char text[512];
    snprintf(text, sizeof text,
             "The daemon ended before it had answered; '%.99s' may or may not have run\n"
             "See where things stand: gbrowse status",
             words[1]);
    fail(NO_ANSWER, text);
}

/* Send what is left of the line, or take in what has come. Returns whether anything moved; if not, wait. */
static bool move_on(int sock, struct bytes *line, size_t *sent)
{
    static char received[262144];
    ssize_t size;
    asked = true;
    if (*sent < line->size) {
        size = send(sock, line->at + *sent, line->size - *sent, MSG_NOSIGNAL);
        if (size >= 0)
            *sent += (size_t)size;
        else if (errno == EPIPE || errno == ECONNRESET)
            refused = true, *sent = line->size; /* it reads no further; why not, it may have said */
        return size >= 0 || errno != EAGAIN;
    }
    size = recv(sock, received, sizeof received, 0);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return errno == EINTR;
    if (size <= 0 && refused)
        leave_to_python(); /* a line without its end is no request: it did not run, and may be sent again */
    if (size <= 0)
        cut_off();
    take(received, received + size);
    return true;
}

static int converse(int sock, struct bytes line)
{
    size_t sent = 0;
    struct silence silence = {0};
    while (exit_code() < 0) {
        if (move_on(sock, &line, &sent)) {
            silence = (struct silence){0};
            continue;
        }
        struct pollfd wait = {.fd = sock, .events = sent < line.size ? POLLOUT : POLLIN};
        int seconds = silence.seconds ? 1 : SILENCE_SECONDS;
        if (!poll(&wait, 1, seconds * 1000))
            after_silence(&silence, seconds);
    }
    return exit_code();
}

/* Print the reply, and end with its code. */
_Noreturn static void finish(int code)
{
    if (code == BUSY)
        leave_to_python(); /* it did not run: the Python client asks again, for as long as is sensible */
    write_all(STDOUT_FILENO, reply[BODY].at, reply[BODY].size);
    if (failure.size > 6) {
        say_error();
        write_all(STDERR_FILENO, failure.at + 6, failure.size - 6);
    }
    _exit(code);
}

/* -- no daemon --------------------------------------------------------------------------------------------------- */

/* Take in the reply of a daemon that was started for it and ends; false if it is cut off. */
static bool take_reply(int from_daemon)
{
    static char received[65536];
    while (exit_code() < 0) {
        ssize_t size = read(from_daemon, received, sizeof received);
        if (size > 0)
            take(received, received + size);
        else if (!size || errno != EINTR)
            return false;
    }
    return true;
}

/* A connection to a daemon that is started for this request, or that somebody else has just started. */
static int start_and_connect(const char *directory, const struct bytes *line)
{
    static char workspace[PATH_MAX + sizeof "/.gstack"];
    const char *moved = getenv("BROWSE_STATE_FILE");
    if (!is_chromium_first(words[1]) || (moved && *moved))
        leave_to_python();
    int lock = take_start_lock(directory);
    if (lock < 0)
        leave_to_python();
    int sock = connect_to_daemon(directory);
    if (sock >= 0)
        return sock;
    size_t size = strlen(directory) - strlen("/.gstack");
    snprintf(workspace, sizeof workspace, "%.*s", size ? (int)size : 1, directory);
    int from_daemon = start_daemon(workspace, line);
    enum answer said = from_daemon < 0 ? NOTHING : first_word(from_daemon);
    if (said == REPLY && take_reply(from_daemon))
        finish(exit_code());
    sock = said == READY ? connect_to_daemon(directory) : -1;
    close(lock);
    if (sock < 0)
        leave_to_python();
    return sock;
}

int main(int count, char **arguments)
{
    static char path[PATH_MAX + sizeof "/.gstack"];
    words = typed = arguments;
    if (count < 1)
        return FAILED;
    read_options();
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            leave_to_python(); /* closed: the socket must not become our standard output */
    if (!words[1] || !is_plain_command(words[1]) || !getcwd(path, PATH_MAX) || *path != '/')
        leave_to_python();
    struct bytes line = request_line(path);
    find_state_directory(path, PATH_MAX);
    signal(SIGPIPE, SIG_IGN);
    int sock = connect_to_daemon(path);
    if (sock < 0)
        sock = start_and_connect(path, &line);
    finish(converse(sock, line));
}
