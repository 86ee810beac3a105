/* Bytes that grow, and what the native client prints: remarks, failures, results. */

#define _GNU_SOURCE
#include "native.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FAILED = 1, BROKEN_PIPE = 141 };

void append(struct bytes *to, const void *from, size_t size)
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

void append_text(struct bytes *to, const char *text)
{
    append(to, text, strlen(text));
}

void write_all(int fd, const char *at, size_t size)
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

void say(const char *text)
{
    write_all(STDERR_FILENO, text, strlen(text));
}

bool is_terminal(int fd)
{
    const char *terminal = getenv("TERM");
    return isatty(fd) && terminal && strcmp(terminal, "dumb");
}

bool takes_colour(int fd)
{
    const char *without = getenv("NO_COLOR");
    return is_terminal(fd) && !(without && *without);
}

void say_error(void)
{
    say(takes_colour(STDERR_FILENO) ? "\033[31mError:\033[0m" : "Error:");
}

_Noreturn void fail(int code, const char *message)
{
    say_error();
    say(" ");
    say(message);
    say("\n");
    _exit(code);
}
