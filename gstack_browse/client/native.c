/* The command `gbrowse` without Python's start-up: one request out, one reply in.
 *
 * Does what client/main.py does when a daemon listens and nothing is unusual, byte for byte the same. Everything else is left to
 * the Python client by execv: other options before the command than `--as`, `--fence` and `--no-fence`, anything that is refused,
 * `stop`, an argument "-", replies in parts; so too where there is no daemon, but for a first command that needs a browser
 * (`native_start.c`). That is only done while nothing was sent to the daemon, or when it says that it did not run the request: a request is never sent twice.
 * Linux; libc only. See docs/decisions/0006-native-client.md and docs/protocol.md.
 */

#define _GNU_SOURCE
#include "native.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char **typed; /* the words as typed, the program's name first */
char **words;

_Noreturn void exec_python_client(void)
{
    static char path[PATH_MAX + sizeof PYTHON_CLIENT];
    ssize_t size = readlink("/proc/self/exe", path, PATH_MAX - 1); /* proc(5): never a link, unlike argv[0] */
    char *slash = size > 0 ? strrchr(path, '/') : NULL;
    if (slash) {
        strcpy(slash + 1, PYTHON_CLIENT); /* fits: that is what the array has besides PATH_MAX */
        typed[0] = path;
        execv(path, typed);
    }
    if (size < 0 && errno == ENOENT)
        fail(FAILED, "There is no /proc here, which gbrowse and Chromium need\nMount it: mount -t proc proc /proc");
    fail(FAILED, "The Python client beside gbrowse cannot be run; install gstack-browse again");
}

/* Start a daemon for this request, and print its reply; or connect to one that another client has just started. Returns the
 * socket; runs the Python client where neither works. */
static int start_daemon_and_connect(const char *directory, const struct bytes *line)
{
    static char workspace[PATH_MAX + sizeof "/.gstack"];
    const char *moved = getenv("BROWSE_STATE_FILE");
    if (!needs_browser(words[1], first_argument()) || (moved && *moved))
        exec_python_client();
    int lock = take_start_lock(directory);
    if (lock < 0)
        exec_python_client();
    int sock = connect_to_daemon(directory);
    if (sock >= 0)
        return sock;
    size_t size = strlen(directory) - strlen("/.gstack");
    snprintf(workspace, sizeof workspace, "%.*s", size ? (int)size : 1, directory);
    int from_daemon = start_daemon(workspace, line);
    enum start_signal signal = from_daemon < 0 ? NOTHING : read_start_signal(from_daemon);
    int code = signal == REPLY ? read_started_reply(from_daemon) : -1;
    if (code >= 0)
        print_reply_and_exit(code);
    sock = signal == READY ? connect_to_daemon(directory) : -1;
    close(lock);
    if (sock < 0)
        exec_python_client();
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
            exec_python_client(); /* a standard stream is closed: the socket must not get its number */
    if (!words[1] || !is_plain_command(words[1]) || !getcwd(path, PATH_MAX) || *path != '/')
        exec_python_client();
    read_piped_input();
    struct bytes line = build_request(path);
    find_state_directory(path, PATH_MAX);
    signal(SIGPIPE, SIG_IGN);
    int sock = connect_to_daemon(path);
    if (sock < 0)
        sock = start_daemon_and_connect(path, &line);
    print_reply_and_exit(exchange(sock, line));
}
