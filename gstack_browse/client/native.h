/* What the parts of the native client share: `native.c` leads from one to the next. */

#ifndef GBROWSE_NATIVE_H
#define GBROWSE_NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifndef PYTHON_CLIENT
#define PYTHON_CLIENT "gbrowse-python" /* what runs the Python client, seen from this program's directory */
#endif

enum { NO_ANSWER = 9 };

extern char **words; /* words[1] is the command */
extern bool asked;   /* whether the daemon may have seen any of the request */

/* Run the Python client with the same words in this process's place. */
_Noreturn void leave_to_python(void);

/* -- output: native_output.c */

struct bytes {
    char *at;
    size_t size, room;
};

void append(struct bytes *to, const void *from, size_t size);
void append_text(struct bytes *to, const char *text);

/* Write to what may be a pipe, a terminal, or set not to wait. Ends the process if nobody can read it. */
void write_all(int fd, const char *at, size_t size);

/* Say something on standard error. */
void say(const char *text);

/* Begin a failure: in red, where somebody looks. */
void say_error(void);

/* Report a failure, and end with that exit code. */
_Noreturn void fail(int code, const char *message);

/* Whether somebody looks at a terminal there on which a line can be written anew. */
bool is_terminal(int fd);

/* Whether that is a terminal, and nobody has asked for text without colour (no-color.org). */
bool takes_colour(int fd);

/* -- the request: native_request.c */

/* Move on behind the options before the command that are ours to read. */
void read_options(void);

/* Whether the first word is a command that needs no more of a client than one request. Its name must also be one that
 * can be shown as it is. */
bool is_plain_command(const char *cmd);

/* The request as a line of JSON. */
struct bytes request_line(const char *cwd);

/* -- the daemon: native_daemon.c */

/* How long the daemon has said nothing, and how much of that counts: see client/daemon_watchdog.py. */
struct silence {
    int seconds, counted;
    double held_up;
};

/* The path of the state directory, in `path`, which is the caller's directory and has room for more. */
void find_state_directory(char *path, size_t room);

/* A connection to the daemon, whose user the kernel says is ours; -1 where there is none. The repository may be hostile: nothing
 * in its way may be a link, or somebody else's. */
int connect_to_daemon(const char *directory);

/* The daemon took the request and has said nothing for so many seconds more, not even that it is still working. */
void after_silence(struct silence *silence, int seconds);

/* -- the reply: native_reply.c */

/* Send the request and take in the reply. Returns its exit code. */
int converse(int sock, struct bytes line);

/* Take in the reply of a daemon that was started for it and ends. Returns its exit code; -1 if it is cut off. */
int take_reply(int from_daemon);

/* Print the reply, and end with its code. */
_Noreturn void finish(int code);

enum answer { NOTHING, READY, REPLY };

/* -- a first daemon: native_start.c */

/* Whether a daemon that is started for this command, with its arguments, starts a browser. */
bool needs_browser(char *const *command);

/* Take the lock of those who start a daemon in this state directory, which is made if missing. Returns its descriptor; -1 where
 * somebody else has it, or where anything there is not as it usually is. */
int take_start_lock(const char *directory);

/* Start a daemon for the request in `line`. What it says is to be read from the descriptor that is returned; -1 where none can be
 * started in this way. */
int start_daemon(const char *workspace, const struct bytes *line);

/* What it says first: that it listens, or that its reply follows; NOTHING where it has ended without a word. */
enum answer first_word(int from_daemon);

#endif
