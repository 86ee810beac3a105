/* Finds and connects to the daemon: state directory and socket; and decides by /proc whether a silent daemon still works. */

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

enum { MAX_COUNTED_SECONDS = 5, MAX_SILENCE_SECONDS = 60 };

static pid_t daemon_pid;

/* Return whether a `.git` belongs to us, to root, or to the owner of the directory that contains it: anybody can make /tmp/.git. */
static bool is_git_trusted(const char *directory, const char *git)
{
    struct stat above, found;
    if (lstat(git, &found) || stat(*directory ? directory : "/", &above))
        return false;
    return found.st_uid == geteuid() || found.st_uid == 0 || found.st_uid == above.st_uid;
}

/* Cut an absolute path to the nearest directory that contains a trusted `.git`; leave it as it is if none does. */
static void find_workspace(char *path)
{
    char directory[PATH_MAX], tried[PATH_MAX + sizeof "/.git"];
    struct stat found;
    for (size_t size = strlen(path);; size--) {
        if (size > 1 && path[size] != '/' && path[size] != '\0')
            continue;
        snprintf(directory, sizeof directory, "%.*s", size > 1 ? (int)size : 0, path);
        snprintf(tried, sizeof tried, "%s/.git", directory);
        bool is_git = !stat(tried, &found) && (S_ISDIR(found.st_mode) || S_ISREG(found.st_mode));
        if (is_git && is_git_trusted(directory, tried)) {
            path[size] = '\0';
            return;
        }
        if (size <= 1)
            return;
    }
}

static char socket_name[80] = "browse.sock";

/* Name the socket after the state file of BROWSE_STATE_FILE: mine.sock beside mine.json. */
static void set_socket_name(const char *state_file)
{
    size_t size = strlen(state_file);
    if (!size || size > 60 || !strcmp(state_file, ".") || !strcmp(state_file, ".."))
        exec_python_client(); /* it reports what is wrong */
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
        exec_python_client();
    strcpy(path, moved);
    char *end = strrchr(path, '/');
    set_socket_name(end + 1);
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
        exec_python_client();
    bool is_there = !fstatat(at, socket_name, &found, AT_SYMLINK_NOFOLLOW);
    if (!is_there && errno == ENOENT) {
        close(at);
        return -1;
    }
    if (!is_there || !S_ISSOCK(found.st_mode) || found.st_uid != geteuid())
        exec_python_client();
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", at, socket_name); /* short, however long the path is */
    int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool is_connected = sock >= 0 && !connect(sock, (struct sockaddr *)&address, sizeof address);
    if (!is_connected && (sock < 0 || errno != ECONNREFUSED))
        exec_python_client();
    close(at);
    if (!is_connected) {
        close(sock);
        return -1;
    }
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.uid != geteuid())
        exec_python_client();
    daemon_pid = peer.pid;
    return sock;
}

/* Read a file of the daemon's /proc directory into `text`; "" if the daemon has ended, or there is no such file. */
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

/* Return how many seconds all threads of the daemon together have waited for a processor: the second numbers of their schedstat
 * files. Of all threads, since the one that answers may wait for a lock of another one. */
static double seconds_without_processor(void)
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

void handle_silence(struct silence *silence, int seconds)
{
    char text[512];
    double waited = seconds_without_processor();
    if (!silence->seconds || waited - silence->waited_for_processor <= seconds / 2.0)
        silence->counted += seconds;
    silence->seconds += seconds;
    silence->waited_for_processor = waited;
    if (daemon_pid > 0 && is_stopped()) {
        kill(daemon_pid, SIGCONT);
        snprintf(text, sizeof text, "Note: the daemon (process %d) had been stopped by a signal; it was told to continue\n",
                 (int)daemon_pid);
        write_stderr(text);
    } else if (silence->counted >= MAX_COUNTED_SECONDS || silence->seconds >= MAX_SILENCE_SECONDS) {
        snprintf(text, sizeof text,
                 "The daemon (process %d) has not answered for %d s; '%.99s' may or may not have run\n"
                 "See whether it answers now: gbrowse status. If not, replace it: gbrowse restart",
                 (int)daemon_pid, silence->seconds, words[1]);
        fail(NO_ANSWER, text);
    }
}
