/* The request out, and the reply in: its parts, its exit code, and what is said where the reply is cut off. */

#define _GNU_SOURCE
#include "native.h"
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUSY = 8, SILENCE_SECONDS = 2 };

bool asked;
static bool refused; /* whether the daemon read no further before the request was sent whole */

enum { SOH = 1, STX = 2, SYN = 0x16 };
enum piece { BODY, NOTE, TRAILER, PIECES };

static struct bytes reply[PIECES], failure;
static enum piece inside;

static bool is_mark(unsigned char byte)
{
    if (byte > SYN)
        return false;
    return byte == SYN || (inside == BODY && (byte == SOH || !byte)) || (inside == NOTE && byte == STX);
}

/* Print the remark, unless it is the failure: that comes after the result, or not at all if we ask again. */
static void take_note(void)
{
    struct bytes *note = &reply[NOTE];
    if (note->size >= 7 && !memcmp(note->at, "Error: ", 7)) {
        failure.size = 0;
        append(&failure, note->at, note->size);
    } else {
        write_all(STDERR_FILENO, note->at, note->size);
    }
    note->size = 0;
}

static void take_mark(unsigned char mark)
{
    if (mark == SYN)
        return; /* still working */
    if (mark == STX)
        take_note();
    inside = mark == SOH ? NOTE : mark == STX ? BODY : TRAILER;
}

static void take(const char *at, const char *end)
{
    while (at < end) {
        const char *mark = at;
        while (mark < end && !is_mark((unsigned char)*mark))
            mark++;
        append(&reply[inside], at, (size_t)(mark - at));
        if (mark < end)
            take_mark((unsigned char)*mark++);
        at = mark;
    }
}

/* The exit code at the reply's end, -1 if it has not come. */
static int exit_code(void)
{
    const struct bytes *trailer = &reply[TRAILER];
    int code = 0;
    if (trailer->size < 2 || trailer->size > 4 || trailer->at[trailer->size - 1] != '\n')
        return -1;
    for (size_t i = 0; i + 1 < trailer->size; i++) {
        if (!isdigit((unsigned char)trailer->at[i]))
            return -1;
        code = code * 10 + (trailer->at[i] - '0');
    }
    return code;
}

_Noreturn static void cut_off(void)
{
    const struct bytes *body = &reply[BODY];
    bool failed = body->size >= 7 && !memcmp(body->at, "Error: ", 7);
    write_all(failed ? STDERR_FILENO : STDOUT_FILENO, body->at, body->size);
    char text[512];
    snprintf(text, sizeof text,
             "The daemon ended before it had answered; '%.99s' may or may not have run\n"
             "See where things stand: gbrowse status",
             words[1]);
    fail(NO_ANSWER, text);
}

/* Send what is left of the line, or take in what has come. Returns whether anything moved; if not, wait. */
static bool move_on(int sock, struct bytes *line, size_t *sent)
{
    static char received[262144];
    ssize_t size;
    asked = true;
    if (*sent < line->size) {
        size = send(sock, line->at + *sent, line->size - *sent, MSG_NOSIGNAL);
        if (size >= 0)
            *sent += (size_t)size;
        else if (errno == EPIPE || errno == ECONNRESET)
            refused = true, *sent = line->size; /* it reads no further; why not, it may have said */
        return size >= 0 || errno != EAGAIN;
    }
    size = recv(sock, received, sizeof received, 0);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return errno == EINTR;
    if (size <= 0 && refused)
        leave_to_python(); /* a line without its end is no request: it did not run, and may be sent again */
    if (size <= 0)
        cut_off();
    take(received, received + size);
    return true;
}

int converse(int sock, struct bytes line)
{
    size_t sent = 0;
    struct silence silence = {0};
    while (exit_code() < 0) {
        if (move_on(sock, &line, &sent)) {
            silence = (struct silence){0};
            continue;
        }
        struct pollfd wait = {.fd = sock, .events = sent < line.size ? POLLOUT : POLLIN};
        int seconds = silence.seconds ? 1 : SILENCE_SECONDS;
        if (!poll(&wait, 1, seconds * 1000))
            after_silence(&silence, seconds);
    }
    return exit_code();
}

_Noreturn void finish(int code)
{
    if (code == BUSY)
        leave_to_python(); /* it did not run: the Python client asks again, for as long as is sensible */
    write_all(STDOUT_FILENO, reply[BODY].at, reply[BODY].size);
    if (failure.size > 6) {
        say_error();
        write_all(STDERR_FILENO, failure.at + 6, failure.size - 6);
    }
    _exit(code);
}

int take_reply(int from_daemon)
{
    static char received[65536];
    while (exit_code() < 0) {
        ssize_t size = read(from_daemon, received, sizeof received);
        if (size > 0)
            take(received, received + size);
        else if (!size || errno != EINTR)
            return -1;
    }
    return exit_code();
}
