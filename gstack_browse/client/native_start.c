/* Starts a daemon for a first `goto`, and Chromium before it: Python takes longer to begin than all that is done here.
 *
 * Does what client/start.py does, and the first act of daemon/starter.py, where nothing is unusual. Everything else is left to the
 * Python client: whoever gets -1 or NOTHING from here runs that, and nothing has happened yet. The daemon, which is this process's
 * child, compares the Chromium that it finds with the one that it would have started, and ends it where they differ.
 * See docs/decisions/0207-chromium-before-python.md.
 */

#define _GNU_SOURCE
#include "native.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where a daemon finds what it inherits; in Chromium's process 3 and 4 are its own ends of the pipes. As in daemon/starter.py. */
enum { LINE = 0, ANSWER = 1, TO_BROWSER = 3, FROM_BROWSER = 4, SCRATCH_LOCK = 5, ABOVE_ALL = 6 };
enum { MOST_ENTRIES = 1000 }; /* in a state directory: more were planted, and Python looks only at the names that it uses */
enum { MOST_BYTES = 64 << 10, MOST_WORDS = 512, LONGEST_BASE = 41 };

#define SCRATCH_PREFIX "gbrowse-run-"
#define START_LOCK "browse-start.lock"
#define PROFILE "--user-data-dir="

static const char *const CHROMIUM_FIRST[] = {"goto", "open", "navigate", NULL};
/* As in browser/launch/known_start.py; what decides about flags, and what a daemon takes out of its environment. */
static const char *const PREFIXES[] = {"BROWSE_", "PLAYWRIGHT", "PW_", "PWTEST", NULL};
static const char *const VARIABLES[] = {"CI",         "container",  "DEBUG",       "http_proxy", "https_proxy", "all_proxy",
                                        "no_proxy",   "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",  "NO_PROXY",    NULL};
static const char *const WITHOUT_INFLUENCE[] = {"BROWSE_AS", "BROWSE_IDLE_TIMEOUT", "BROWSE_FENCE", "BROWSE_STATE_FILE", NULL};
/* With any of these Python decides whether Chromium comes first. */
static const char *const OTHER_STARTS[] = {"BROWSE_WIRE", "BROWSE_PERSIST", "BROWSE_EXTENSIONS_DIR", "BROWSE_ALLOW",
                                           "BROWSE_ALLOW_RESOURCES", "BROWSE_CA_CERT", "BROWSE_HEADED", "BROWSE_INSECURE", "BROWSE_PROFILE",
                                           "BROWSE_PROXY", "BROWSE_REMOTE", NULL};
/* What Chromium does not inherit: two are replaced, two taken out as in the daemon. */
static const char *const NOT_INHERITED[] = {"TMPDIR", "DBUS_SESSION_BUS_ADDRESS", "NODE_OPTIONS", "PWDEBUG", NULL};

/* The package as Python finds it; a place is given in a checkout. Without the package it ends, and the Python client says so. */
static const char BOOT[] = "import sys\n"
                           "place = sys.argv[1]\n"
                           "del sys.argv[:2]\n"
                           "if place and place not in sys.path:\n"
                           "    sys.path.insert(0, place)\n"
                           "try:\n"
                           "    import gstack_browse\n"
                           "except ModuleNotFoundError:\n"
                           "    sys.exit()\n"
                           "import gstack_browse.daemon.__main__\n";

struct chromium {
    pid_t pid;
    int to, from, lock;
    char scratch[LONGEST_BASE + sizeof "/" SCRATCH_PREFIX "00000000"];
    uint32_t checksum; /* of what was remembered of its start */
};

extern char **environ;
static pid_t daemon_process;

bool is_chromium_first(const char *cmd)
{
    const char *const *name = CHROMIUM_FIRST;
    while (*name && strcmp(*name, cmd))
        name++;
    return *name != NULL;
}

/* -- the state directory ----------------------------------------------------------------------------------------- */

/* Whether an entry is a file, a socket or a directory of our own. Anything else the Python client looks at, and refuses. */
static bool is_own(int at, const char *name)
{
    struct stat found;
    if (fstatat(at, name, &found, AT_SYMLINK_NOFOLLOW) || found.st_uid != geteuid())
        return false;
    return S_ISDIR(found.st_mode) || S_ISSOCK(found.st_mode) || (S_ISREG(found.st_mode) && found.st_nlink == 1);
}

static bool has_only_own_entries(int at)
{
    DIR *entries = fdopendir(dup(at));
    if (!entries)
        return false;
    bool all = true;
    int left = MOST_ENTRIES;
    for (struct dirent *entry; all && (entry = readdir(entries));)
        all = left-- && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") || is_own(at, entry->d_name));
    closedir(entries);
    return all;
}

static int open_own_directory(const char *path)
{
    struct stat found;
    if (mkdir(path, 0700) && errno != EEXIST)
        return -1;
    int at = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (at < 0)
        return -1;
    bool ours = !fstat(at, &found) && found.st_uid == geteuid() && !(found.st_mode & (S_IWGRP | S_IWOTH));
    if (ours && has_only_own_entries(at))
        return at;
    close(at);
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

/* -- what is remembered of a start ------------------------------------------------------------------------------- */

/* As binascii.crc32 has it. */
static uint32_t crc32(const void *bytes, size_t size)
{
    uint32_t sum = ~0u;
    for (const unsigned char *at = bytes; size--; at++) {
        sum ^= *at;
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (0xedb88320u & -(sum & 1));
    }
    return ~sum;
}

/* Whether `entry` ("name=value") is of a variable with one of these names, or, with `is_prefix`, with a name that begins so. */
static bool is_of(const char *const *names, const char *entry, bool is_prefix)
{
    for (; *names; names++) {
        size_t size = strlen(*names);
        if (!strncmp(*names, entry, size) && (is_prefix || entry[size] == '='))
            return true;
    }
    return false;
}

static bool has_influence(const char *entry)
{
    return is_of(VARIABLES, entry, false) || (is_of(PREFIXES, entry, true) && !is_of(WITHOUT_INFLUENCE, entry, false));
}

static bool has_other_start(void)
{
    for (const char *const *name = OTHER_STARTS; *name; name++) {
        const char *value = getenv(*name);
        if (value && *value)
            return true;
    }
    return false;
}

/* What was remembered of a start by programs in this directory in an environment like this one; empty if nothing was. */
static struct bytes remembered(const char *programs)
{
    static char content[MOST_BYTES];
    struct bytes found = {.at = content};
    char path[PATH_MAX];
    struct stat folder;
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    uint32_t number = crc32(programs, strlen(programs));
    for (char **entry = environ; *entry; entry++)
        number += has_influence(*entry) ? crc32(*entry, strlen(*entry)) : 0;
    bool has_cache = cache && *cache;
    if (!has_cache && !(home && *home))
        return found;
    int size = snprintf(path, sizeof path, "%s%s/gbrowse/start", has_cache ? cache : home, has_cache ? "" : "/.cache");
    if (size < 0 || (size_t)size > sizeof path - sizeof "/chromium-00000000")
        return found;
    if (stat(path, &folder) || folder.st_uid != geteuid() || folder.st_mode & (S_IWGRP | S_IWOTH))
        return found; /* others could have written what is run next */
    snprintf(path + size, sizeof path - (size_t)size, "/chromium-%08x", (unsigned)number);
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    ssize_t read_in = fd < 0 ? 0 : read(fd, content, sizeof content - 1);
    if (fd >= 0)
        close(fd);
    found.size = read_in > 0 ? (size_t)read_in : 0;
    content[found.size] = '\0';
    return found;
}

/* Whether the program at `path` is the one of which this was noted. */
static bool looks_like(const char *path, const char *noted)
{
    struct stat found;
    char looks[80];
    if (stat(path, &found))
        return false;
    long long written = (long long)found.st_mtim.tv_sec * 1000000000 + found.st_mtim.tv_nsec;
    snprintf(looks, sizeof looks, "%llu %lld %lld", (unsigned long long)found.st_ino, (long long)found.st_size, written);
    return !strcmp(looks, noted);
}

/* The words of what is remembered: circumstances, program, its looks, a word for Python, and the arguments. */
static bool split(struct bytes content, const char **word)
{
    int count = 0;
    for (const char *at = content.at; at <= content.at + content.size; at += strlen(at) + 1) {
        if (count == MOST_WORDS - 1)
            return false;
        word[count++] = at;
    }
    word[count] = NULL;
    return count > 4 && looks_like(word[1], word[2]);
}

/* -- Chromium ---------------------------------------------------------------------------------------------------- */

static bool is_usable_base(const char *path)
{
    return path && *path == '/' && strlen(path) <= LONGEST_BASE && !access(path, W_OK | X_OK);
}

/* A private directory in the temporary one, held by a lock: as in browser/launch/scratch.py. */
static bool make_scratch(struct chromium *into)
{
    static const char *const names[] = {"TMPDIR", "TEMP", "TMP"};
    const char *base = "/tmp";
    uint32_t number;
    for (size_t i = sizeof names / sizeof *names; i--;)
        if (is_usable_base(getenv(names[i])))
            base = getenv(names[i]);
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        return false;
    snprintf(into->scratch, sizeof into->scratch, "%s/" SCRATCH_PREFIX "%08x", base, (unsigned)number);
    if (mkdir(into->scratch, 0700)) /* fails where anything is, a link included */
        return false;
    char lock[sizeof into->scratch + sizeof "/lock"], new[sizeof lock + sizeof ".new"];
    snprintf(lock, sizeof lock, "%s/lock", into->scratch);
    snprintf(new, sizeof new, "%s.new", lock);
    into->lock = open(new, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    return into->lock >= 0 && !flock(into->lock, LOCK_EX) && !rename(new, lock);
}

/* Close all descriptors from this one on: what the caller left open is not for a daemon to hold. */
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

/* Give descriptors the numbers from `first` on, whatever numbers they have now. */
static bool number_from(int first, const int *fds, int count)
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

static char **environment_in(const char *scratch)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **own = calloc(count + 3, sizeof *own);
    static char tmpdir[sizeof "TMPDIR=" + sizeof((struct chromium *)0)->scratch];
    static char bus[] = "DBUS_SESSION_BUS_ADDRESS=disabled:";
    for (char **entry = environ; own && *entry; entry++)
        if (!is_of(NOT_INHERITED, *entry, false))
            own[kept++] = *entry;
    if (own) {
        snprintf(tmpdir, sizeof tmpdir, "TMPDIR=%s", scratch);
        own[kept++] = tmpdir;
        own[kept] = bus;
    }
    return own;
}

/* In Chromium's process. `word` is what is remembered of a start: the program's place and its arguments. */
_Noreturn static void become_chromium(const char **word, const char *scratch, int their_in, int their_out)
{
    static char profile[sizeof PROFILE + sizeof((struct chromium *)0)->scratch + sizeof "/profile"];
    snprintf(profile, sizeof profile, PROFILE "%s/profile", scratch);
    char **own = environment_in(scratch);
    int null = open("/dev/null", O_RDWR);
    int fds[] = {null, null, null, their_in, their_out};
    setpgid(0, 0);
    if (!own || null < 0 || chdir("/") || !number_from(0, fds, 5))
        _exit(127);
    close_from(5);
    word[3] = word[1]; /* argv[0], before the arguments */
    for (const char **at = word + 4; *at; at++)
        if (!strcmp(*at, PROFILE))
            *at = profile;
    execve(word[1], (char *const *)(word + 3), own);
    _exit(127);
}

/* Start the Chromium that is remembered; false where none is, or where it cannot be started. */
static bool start_chromium(struct chromium *begun, const char *programs)
{
    static const char *word[MOST_WORDS];
    int in[2], out[2];
    struct bytes content = has_other_start() ? (struct bytes){0} : remembered(programs);
    if (!content.size || !split(content, word) || pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || !make_scratch(begun))
        return false;
    begun->checksum = crc32(content.at, content.size);
    begun->to = in[1];
    begun->from = out[0];
    begun->pid = fork();
    if (!begun->pid)
        become_chromium(word, begun->scratch, in[0], out[1]);
    return begun->pid > 0;
}

/* -- the daemon -------------------------------------------------------------------------------------------------- */

/* The directory of this program, without a final slash; false where that cannot be told. */
static bool find_programs(char *path)
{
    ssize_t size = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[size > 0 ? size : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

/* Where the package lies, if this is the client of a checkout; else "", and Python knows. */
static bool find_package(const char *programs, char *place)
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

/* In the daemon's process: it leaves the session of the caller, starts Chromium, and becomes Python. */
_Noreturn static void become_daemon(const char *programs, const char *workspace, int line, int answer)
{
    static char python[PATH_MAX + sizeof "/python"], place[PATH_MAX];
    static struct chromium begun;
    char pid[16], checksum[16];
    sigset_t none;
    setsid();
    signal(SIGCHLD, SIG_DFL); /* a caller may ignore it, and nobody would hear how his children end */
    signal(SIGPIPE, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    bool has_chromium = start_chromium(&begun, programs);
    snprintf(python, sizeof python, "%s/python", programs);
    snprintf(pid, sizeof pid, "%d", (int)begun.pid);
    snprintf(checksum, sizeof checksum, "%08x", (unsigned)begun.checksum);
    int standard[] = {line, answer}, inherited[] = {begun.to, begun.from, begun.lock};
    if (!find_package(programs, place) || !number_from(ABOVE_ALL, standard, 2) ||
        (has_chromium && !number_from(TO_BROWSER, inherited, 3)))
        _exit(127);
    dup2(ABOVE_ALL, LINE);
    dup2(ABOVE_ALL + 1, ANSWER);
    close_from(has_chromium ? ABOVE_ALL : TO_BROWSER);
    const char *words[] = {python,       "-E", "-P", "-X", "utf8", "-c", BOOT, place, "gbrowse-daemon", workspace, "--in-place",
                           has_chromium ? pid : NULL, begun.scratch, checksum, NULL};
    execv(python, (char *const *)words);
    _exit(127);
}

static bool write_line(int fd, const struct bytes *line)
{
    for (size_t sent = 0; sent < line->size;) {
        ssize_t size = write(fd, line->at + sent, line->size - sent);
        if (size < 0 && errno != EINTR)
            return false; /* it has ended without reading */
        sent += size > 0 ? (size_t)size : 0;
    }
    return true;
}

int start_daemon(const char *workspace, const struct bytes *line)
{
    static char programs[PATH_MAX], python[PATH_MAX + sizeof "/python"];
    int request[2], answer[2];
    if (!find_programs(programs))
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

enum answer first_word(int from_daemon)
{
    static const char ready[] = "ready\n", reply[] = "reply\n";
    char said[sizeof ready] = "";
    size_t size = 0;
    while (size < sizeof ready - 1) {
        ssize_t more = read(from_daemon, said + size, sizeof ready - 1 - size);
        if (more < 0 && errno == EINTR)
            continue;
        if (more <= 0)
            break;
        size += (size_t)more;
    }
    if (!strcmp(said, ready))
        return READY;
    if (!strcmp(said, reply))
        return REPLY;
    if (daemon_process > 0)
        waitpid(daemon_process, NULL, 0);
    return NOTHING;
}
