/* A growing byte buffer, and the output of the native client. */

#define _GNU_SOURCE
#include "native.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BROKEN_PIPE = 141 };

void append(struct bytes *to, const void *from, size_t size)
{
    if (size > to->room - to->size) {
        size_t room = (to->size + size) * 2;
        char *grown = realloc(to->at, room);
        if (!grown && !request_sent)
            exec_python_client();
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
            return; /* there is no place to report it */
        } else if (errno != EINTR) {
            const char *reason = strerror(errno);
            print_error_label();
            write_stderr(" The output cannot be written: ");
            write_stderr(reason);
            write_stderr("\n");
            _exit(FAILED);
        }
    }
}

void write_stderr(const char *text)
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

void print_error_label(void)
{
    write_stderr(takes_colour(STDERR_FILENO) ? "\033[31mError:\033[0m" : "Error:");
}

_Noreturn void fail(int code, const char *message)
{
    print_error_label();
    write_stderr(" ");
    write_stderr(message);
    write_stderr("\n");
    _exit(code);
}
