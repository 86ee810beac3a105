/* Starts a daemon for a first command that needs a browser.
 *
 * Does what client/start.py does where nothing is unusual, without a Python for the client. Everything else is left to the Python client:
 * whoever gets -1 or NOTHING from here runs that, and nothing has happened yet. The daemon is this process's child.
 * See docs/decisions/0007-chromium-starts-before-the-imports.md.
 */

#define _GNU_SOURCE
#include "native.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Descriptors that a daemon inherits: to read the request from, to write the reply to. As in daemon/process/starter.py. */
enum { REQUEST_FD = 0, REPLY_FD = 1, FIRST_FREE_FD = 3 };
enum { MAX_ENTRIES = 1000 }; /* in a state directory: more were planted; the Python client checks only the names that it uses */

#define START_LOCK "browse-start.lock"

/* generated: names of commands */
static const char *const NEEDS_BROWSER[] = {"accessibility", "attrs", "audit", "back", "blur", "box", "check", "click", "closetab", "cookie-clear", "cookie-delete", "cookie-import", "cookie-import-browser", "cookie-list", "cookie-set", "cookies", "cookies-clear", "copy", "count", "coverage", "coverage-start", "css", "data", "design-extract", "design-verify", "device", "dialog-accept", "dialog-dismiss", "dialog-hold", "diff", "diff-image", "download", "drag", "drop", "emulate", "eval", "expect", "fill", "fill-form", "focus", "forms", "forward", "frame", "generate-locator", "go-back", "go-forward", "goto", "handoff", "har-replay", "har-start", "har-stop", "header", "headers", "hover", "html", "http-auth", "init-script", "init-scripts", "is", "js", "key", "keydown", "keyup", "links", "load-html", "locator", "media", "memory", "mouse", "navigate", "newtab", "open", "paste", "pdf", "perf", "pick", "press", "reload", "responsive", "route", "routes", "screenshot", "scroll", "scrollinto", "scrollintoview", "security", "select", "select-text", "snapshot", "state-load", "state-save", "storage", "storage-clear", "storage-delete", "storage-set", "styles", "tab", "tab-close", "tab-list", "tab-new", "tab-select", "table", "tabs", "text", "throttle", "title", "type", "uncheck", "unroute", "upload", "url", "useragent", "value", "viewport", "wait", NULL};
static const char *const CHAINS[] = {"batch", "chain", NULL};
/* end of names of commands */
/* Imports the package, from the given directory in a checkout. Ends silently without the package: the Python client reports that. */
static const char BOOT_SCRIPT[] = "import sys\n"
                           "place = sys.argv[1]\n"
                           "del sys.argv[:2]\n"
                           "if place and place not in sys.path:\n"
                           "    sys.path.insert(0, place)\n"
                           "try:\n"
                           "    import gstack_browse\n"
                           "except ModuleNotFoundError:\n"
                           "    sys.exit()\n"
                           "import gstack_browse.daemon.__main__\n";

static pid_t daemon_process;

/* Whether `word` is one of the names, or begins with one that white space or a quote follows. */
static bool begins_with_name(const char *const *names, const char *word)
{
    size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyz-");
    while (*names && (strlen(*names) != length || strncmp(*names, word, length)))
        names++;
    return *names && strchr(" \t\r\n\"", word[length]); /* finds the final NUL, too */
}

bool needs_browser(const char *command, const char *argument)
{
    if (begins_with_name(CHAINS, command) && argument)
        command = argument + strspn(argument, " \t\r\n[\""); /* the first step, of a JSON list or a line */
    return begins_with_name(NEEDS_BROWSER, command);
}

/* -- the state directory ----------------------------------------------------------------------------------------- */

/* Whether an entry of a directory is a file, socket or directory of this user. Anything else is left to the Python client,
 * which refuses it. */
static bool is_own_entry(int at, const char *name)
{
    struct stat found;
    if (fstatat(at, name, &found, AT_SYMLINK_NOFOLLOW) || found.st_uid != geteuid())
        return false;
    return S_ISDIR(found.st_mode) || S_ISSOCK(found.st_mode) || (S_ISREG(found.st_mode) && found.st_nlink == 1);
}

/* Whether all entries of a directory are own ones (see is_own_entry), and not too many. */
static bool has_only_own_entries(int at)
{
    DIR *entries = fdopendir(dup(at));
    if (!entries)
        return false;
    bool all = true;
    int left = MAX_ENTRIES;
    for (struct dirent *entry; all && (entry = readdir(entries));)
        all = left-- && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") || is_own_entry(at, entry->d_name));
    closedir(entries);
    return all;
}

/* Open a directory, created if missing, that only this user can write, with own entries only. Returns its descriptor, or -1.
 * A new one is removed again if it is not so: its file system keeps no owners or permissions. */
static int open_own_directory(const char *path)
{
    struct stat found;
    bool is_new = !mkdir(path, 0700);
    if (!is_new && errno != EEXIST)
        return -1;
    int at = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (at < 0)
        return -1;
    bool ours = !fstat(at, &found) && found.st_uid == geteuid() && !(found.st_mode & (S_IWGRP | S_IWOTH));
    if (ours && has_only_own_entries(at))
        return at;
    close(at);
    if (is_new && !ours)
        rmdir(path);
    return -1;
}

int take_start_lock(const char *directory)
{
    int at = open_own_directory(directory);
    if (at < 0)
        return -1;
    struct stat held, named;
    int lock = openat(at, START_LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    bool mine = lock >= 0 && !flock(lock, LOCK_EX | LOCK_NB) && !fstat(lock, &held) && S_ISREG(held.st_mode) &&
                !fstatat(at, START_LOCK, &named, AT_SYMLINK_NOFOLLOW) && held.st_dev == named.st_dev &&
                held.st_ino == named.st_ino;
    close(at);
    if (mine)
        return lock;
    if (lock >= 0)
        close(lock);
    return -1;
}

/* -- the daemon -------------------------------------------------------------------------------------------------- */

/* Store the directory of this program in `path`, without a final slash. Returns false where it is not known. */
static bool find_program_directory(char *path)
{
    ssize_t size = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[size > 0 ? size : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

/* Store the directory that contains the package in `place`: of a checkout; "" for an installed package, which Python finds. */
static bool find_package_directory(const char *programs, char *place)
{
    static const char client[] = PYTHON_CLIENT;
    char path[PATH_MAX + sizeof client + sizeof "/.."];
    const char *slash = strrchr(client, '/');
    *place = '\0';
    if (!slash)
        return true;
    snprintf(path, sizeof path, "%s/%.*s/..", programs, (int)(slash - client), client);
    return realpath(path, place) != NULL;
}

/* Close all descriptors from this one on, so that the daemon does not hold what the caller left open. */
static void close_from(int first)
{
#ifdef SYS_close_range
    if (!syscall(SYS_close_range, (unsigned)first, ~0u, 0u))
        return;
#endif
    long most = sysconf(_SC_OPEN_MAX);
    for (int fd = first; fd < (most > 0 && most < 65536 ? most : 65536); fd++)
        close(fd);
}

/* Duplicate descriptors to the numbers from `first` on, whatever numbers they have. */
static bool renumber_from(int first, const int *fds, int count)
{
    int above[8];
    for (int i = 0; i < count; i++)
        if ((above[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, first + count)) < 0)
            return false;
    for (int i = 0; i < count; i++)
        if (dup2(above[i], first + i) < 0)
            return false;
    return true;
}

/* In the forked process: leave the caller's session, and execute Python with the daemon. */
_Noreturn static void become_daemon(const char *programs, const char *workspace, int line, int answer)
{
    static char python[PATH_MAX + sizeof "/python"], place[PATH_MAX];
    sigset_t none;
    setsid();
    signal(SIGCHLD, SIG_DFL); /* a caller that ignores it passes that on, and the daemon could not wait for children */
    signal(SIGPIPE, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    snprintf(python, sizeof python, "%s/python", programs);
    int standard[] = {line, answer};
    if (!find_package_directory(programs, place) || !renumber_from(FIRST_FREE_FD, standard, 2))
        _exit(127);
    dup2(FIRST_FREE_FD, REQUEST_FD);
    dup2(FIRST_FREE_FD + 1, REPLY_FD);
    close_from(FIRST_FREE_FD);
    const char *arguments[] = {python, "-E", "-P", "-X", "utf8", "-c", BOOT_SCRIPT, place, "gbrowse-daemon", workspace, "--in-place", NULL};
    execv(python, (char *const *)arguments);
    _exit(127);
}

/* Write the request to the daemon. Returns false where it has ended without reading. */
static bool write_line(int fd, const struct bytes *line)
{
    for (size_t sent = 0; sent < line->size;) {
        ssize_t size = write(fd, line->at + sent, line->size - sent);
        if (size < 0 && errno != EINTR)
            return false;
        sent += size > 0 ? (size_t)size : 0;
    }
    return true;
}

int start_daemon(const char *workspace, const struct bytes *line)
{
    static char programs[PATH_MAX], python[PATH_MAX + sizeof "/python"];
    int request[2], answer[2];
    if (!find_program_directory(programs))
        return -1;
    snprintf(python, sizeof python, "%s/python", programs);
    if (access(python, X_OK) || pipe2(request, O_CLOEXEC) || pipe2(answer, O_CLOEXEC))
        return -1;
    daemon_process = fork();
    if (!daemon_process)
        become_daemon(programs, workspace, request[0], answer[1]);
    close(request[0]);
    close(answer[1]);
    if (daemon_process > 0)
        write_line(request[1], line);
    close(request[1]);
    return answer[0];
}

enum start_signal read_start_signal(int from_daemon)
{
    static const char ready[] = "ready\n", reply[] = "reply\n";
    char received[sizeof ready] = "";
    size_t size = 0;
    while (size < sizeof ready - 1) {
        ssize_t more = read(from_daemon, received + size, sizeof ready - 1 - size);
        if (more < 0 && errno == EINTR)
            continue;
        if (more <= 0)
            break;
        size += (size_t)more;
    }
    if (!strcmp(received, ready))
        return READY;
    if (!strcmp(received, reply))
        return REPLY;
    if (daemon_process > 0)
        waitpid(daemon_process, NULL, 0);
    return NOTHING;
}
