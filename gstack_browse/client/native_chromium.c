/* The Chromium that a first daemon begins with: what is remembered of how it was started last, and the start of it.
 *
 * Does what browser/launch/known_start.py and browser/launch/scratch.py do.
 */

#define _GNU_SOURCE
#include "native.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_BYTES = 64 << 10, MOST_WORDS = 512 };
enum { LEAST_BYTES = 1 << 20, LEAST_FILES = 64 }; /* free on the disk of temporary files */

#define PROFILE "--user-data-dir="

/* As in browser/launch/known_start.py; what decides about flags, and what a daemon takes out of its environment. */
static const char *const PREFIXES[] = {"BROWSE_", "PLAYWRIGHT", "PW_", "PWTEST", NULL};
static const char *const VARIABLES[] = {"CI",         "container",  "DEBUG",       "http_proxy", "https_proxy", "all_proxy",
                                        "no_proxy",   "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",  "NO_PROXY",    NULL};
static const char *const WITHOUT_INFLUENCE[] = {"BROWSE_AS", "BROWSE_DRIVER", "BROWSE_IDLE_TIMEOUT", "BROWSE_FENCE", "BROWSE_STATE_FILE", NULL};
/* With any of these Python decides whether Chromium comes first. */
static const char *const OTHER_STARTS[] = {"BROWSE_WIRE", "BROWSE_PERSIST", "BROWSE_EXTENSIONS_DIR", "BROWSE_ALLOW",
                                           "BROWSE_ALLOW_RESOURCES", "BROWSE_CA_CERT", "BROWSE_CLIENT_CERT", "BROWSE_HEADED", "BROWSE_INSECURE", "BROWSE_PROFILE",
                                           "BROWSE_PROXY", "BROWSE_REMOTE", NULL};
/* What Chromium does not inherit: three are replaced, two taken out as in the daemon. */
static const char *const NOT_INHERITED[] = {"PATH", "TMPDIR", "DBUS_SESSION_BUS_ADDRESS", "NODE_OPTIONS", "PWDEBUG", NULL};

extern char **environ;

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

/* Whether Chromium could write what it must: as in browser/launch/scratch.py. */
static bool has_room(const char *base)
{
    struct statvfs disk;
    if (statvfs(base, &disk))
        return false;
    unsigned long long free = (geteuid() ? disk.f_bavail : disk.f_bfree) * (unsigned long long)disk.f_frsize;
    return free >= LEAST_BYTES && (!disk.f_files || disk.f_favail >= LEAST_FILES);
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
    if (!has_room(base) || mkdir(into->scratch, 0700)) /* fails where anything is, a link included */
        return false;
    char lock[sizeof into->scratch + sizeof "/lock"], new[sizeof lock + sizeof ".new"];
    snprintf(lock, sizeof lock, "%s/lock", into->scratch);
    snprintf(new, sizeof new, "%s.new", lock);
    into->lock = open(new, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (into->lock >= 0 && !flock(into->lock, LOCK_EX) && !rename(new, lock))
        return true;
    unlink(new);
    rmdir(into->scratch);
    return false;
}

void close_from(int first)
{
#ifdef SYS_close_range
    if (!syscall(SYS_close_range, (unsigned)first, ~0u, 0u))
        return;
#endif
    long most = sysconf(_SC_OPEN_MAX);
    for (int fd = first; fd < (most > 0 && most < 65536 ? most : 65536); fd++)
        close(fd);
}

bool number_from(int first, const int *fds, int count)
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

/* Writes what refuse_programs of scratch.py does, where the reasons are. Returns "PATH=…". */
static char *refuse_programs(const char *scratch)
{
    static const char xdg_settings[] = "#!/bin/sh\necho yes\n", usual[] = "/bin:/usr/bin";
    const char *path = getenv("PATH");
    char file[sizeof((struct chromium *)0)->scratch + sizeof "/programs/xdg-settings"];
    char *own = malloc(sizeof "PATH=/programs:" + strlen(scratch) + strlen(path ? path : usual));
    snprintf(file, sizeof file, "%s/programs", scratch);
    bool made = own && !mkdir(file, 0700);
    snprintf(file, sizeof file, "%s/programs/xdg-settings", scratch);
    int fd = made ? open(file, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0700) : -1;
    if (fd < 0 || write(fd, xdg_settings, sizeof xdg_settings - 1) < 0)
        _exit(127);
    close(fd);
    sprintf(own, "PATH=%s/programs:%s", scratch, path ? path : usual);
    return own;
}

static char **environment_in(const char *scratch)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **own = calloc(count + 4, sizeof *own);
    static char tmpdir[sizeof "TMPDIR=" + sizeof((struct chromium *)0)->scratch];
    static char bus[] = "DBUS_SESSION_BUS_ADDRESS=disabled:";
    for (char **entry = environ; own && *entry; entry++)
        if (!is_of(NOT_INHERITED, *entry, false))
            own[kept++] = *entry;
    if (own) {
        snprintf(tmpdir, sizeof tmpdir, "TMPDIR=%s", scratch);
        own[kept++] = tmpdir;
        own[kept++] = bus;
        own[kept] = refuse_programs(scratch);
    }
    return own;
}

/* Begins a profile as `begin_profile` of scratch.py does, where the reasons are. */
static void begin_profile(const char *scratch)
{
    static const char preferences[] = "{\"profile\":{\"cookie_controls_mode\":0,"
                                      "\"default_content_setting_values\":{\"file_system_write_guard\":2}}}";
    char path[sizeof((struct chromium *)0)->scratch + sizeof "/profile/Default/Preferences"];
    snprintf(path, sizeof path, "%s/profile", scratch);
    bool made = !mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/profile/Default", scratch);
    made = made && !mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/profile/Default/Preferences", scratch);
    int fd = made ? open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600) : -1;
    if (fd < 0 || write(fd, preferences, sizeof preferences - 1) < 0)
        _exit(127);
    close(fd);
}

/* In Chromium's process. `word` is what is remembered of a start: the program's place and its arguments. */
_Noreturn static void become_chromium(const char **word, const char *scratch, int their_in, int their_out)
{
    static char profile[sizeof PROFILE + sizeof((struct chromium *)0)->scratch + sizeof "/profile"];
    snprintf(profile, sizeof profile, PROFILE "%s/profile", scratch);
    begin_profile(scratch);
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

bool start_chromium(struct chromium *begun, const char *programs)
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
