/* Where the daemon is, and whether it is still there: the state directory, the socket, and what the kernel says of a daemon that is
 * silent. */

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
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { ANSWER_SECONDS = 5, MOST_SECONDS = 60 };

static pid_t daemon_pid;

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

void find_state_directory(char *path, size_t room)
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

int connect_to_daemon(const char *directory)
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
    char path[320];
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

/* How many seconds threads of the daemon have been ready to run and got no processor: the second numbers of their schedstats. Of all:
   the one that answers may wait for a lock of another one, as while that imports. */
static double seconds_held_up(void)
{
    char path[32], name[300], text[128];
    double seconds = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)daemon_pid);
    DIR *threads = opendir(path);
    for (struct dirent *thread; threads && (thread = readdir(threads));) {
        unsigned long long ran, waited;
        snprintf(name, sizeof name, "task/%s/schedstat", thread->d_name);
        read_proc(name, text, sizeof text);
        if (sscanf(text, "%llu %llu", &ran, &waited) == 2)
            seconds += (double)waited / 1e9;
    }
    if (threads)
        closedir(threads);
    return seconds;
}

void after_silence(struct silence *silence, int seconds)
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
