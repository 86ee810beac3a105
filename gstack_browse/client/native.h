/* Shared by the parts of the native client; `native.c` has main(). */

#ifndef GBROWSE_NATIVE_H
#define GBROWSE_NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifndef PYTHON_CLIENT
#define PYTHON_CLIENT "gbrowse-python" /* what runs the Python client, seen from this program's directory */
#endif

enum { FAILED = 1, NO_ANSWER = 9 }; /* exit codes */

extern char **words; /* the command line: words[1] is the command */
extern bool request_sent;   /* whether the daemon may have seen any of the request */

/* Replace this process by the Python client with the same command line. */
_Noreturn void exec_python_client(void);

/* -- output: native_output.c */

struct bytes {
    char *at;
    size_t size, room;
};

void append(struct bytes *to, const void *from, size_t size);
void append_text(struct bytes *to, const char *text);

/* Write all bytes to a descriptor, which may be non-blocking. Ends the process if they cannot be written. */
void write_all(int fd, const char *at, size_t size);

/* Write a text to standard error. */
void write_stderr(const char *text);

/* Write "Error:" to standard error, in red on a terminal. */
void print_error_label(void);

/* Write an error message, and end with that exit code. */
_Noreturn void fail(int code, const char *message);

/* Whether a descriptor is a terminal on which a line can be overwritten. */
bool is_terminal(int fd);

/* Whether a descriptor is a terminal, and NO_COLOR is not set (no-color.org). */
bool takes_colour(int fd);

/* -- the request: native_request.c */

/* Read the options before the command that this client knows, and move `words` behind them. */
void read_options(void);

/* Whether this client can run a command by one request, with standard input if the command reads it. */
bool is_plain_command(const char *cmd);

/* Read standard input, up to the limit of a request, if the command reads it in place of an argument. A copy is put in the place of
 * standard input: the Python client may have to read it again. */
void read_piped_input(void);

/* The first word after the command; standard input if that was read; NULL for neither. */
const char *first_argument(void);

/* Build the request: a line of JSON. */
struct bytes build_request(const char *cwd);

/* -- the daemon: native_daemon.c */

/* How long the daemon has been silent, and how much of that it had a processor: see client/daemon_watchdog.py. */
struct silence {
    int seconds, counted;
    double waited_for_processor; /* seconds, since the daemon started */
};

/* Replace `path`, the caller's directory, by that of the state directory. `room`: its size in bytes. */
void find_state_directory(char *path, size_t room);

/* Connect to the daemon. Returns the socket, -1 where no daemon listens. The repository may be hostile: the directory and the
 * socket must be no links and belong to this user, and so must the process that listens. */
int connect_to_daemon(const char *directory);

/* Handle so many further seconds of silence of the daemon: continue it if it was stopped, give up after too many. */
void handle_silence(struct silence *silence, int seconds);

/* -- the reply: native_reply.c */

/* Send the request, and read the reply. Returns its exit code. */
int exchange(int sock, struct bytes line);

/* Read the reply of a daemon that was started for it and ends. Returns its exit code; -1 if the reply is cut off. */
int read_started_reply(int from_daemon);

/* Print the reply, and end with its exit code. */
_Noreturn void print_reply_and_exit(int code);

/* What a started daemon tells first: nothing, that it listens, or that its reply follows. */
enum start_signal { NOTHING, READY, REPLY };

/* -- a first daemon: native_start.c */

/* Whether a command needs a browser; for a chain, whether its first step does. `argument`: the text of the steps. */
bool needs_browser(const char *command, const char *argument);

/* Lock the start of a daemon in a state directory, which is created if missing. Returns the lock's descriptor; -1 where another
 * client has it, or anything in the directory is unusual. */
int take_start_lock(const char *directory);

/* Start a daemon with the request in `line`. Returns the descriptor to read its start signal and reply from; -1 where that fails. */
int start_daemon(const char *workspace, const struct bytes *line);

/* Read the start signal of a daemon; NOTHING where it has ended without one. */
enum start_signal read_start_signal(int from_daemon);

#endif
