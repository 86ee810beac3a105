/* Sends the request and reads the reply: its notes, its body, its exit code. The format: docs/protocol.md. */

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

bool request_sent;
static bool peer_stopped_reading; /* whether the daemon has closed its side before it had read the whole request */

enum { SOH = 1, STX = 2, SYN = 0x16 };
enum piece { BODY, NOTE, TRAILER, PIECES };

static struct bytes reply[PIECES], failure;
static enum piece inside;

/* Whether a byte is a control character that separates parts of the reply. */
static bool is_mark(unsigned char byte)
{
    if (byte > SYN)
        return false;
    return byte == SYN || (inside == BODY && (byte == SOH || !byte)) || (inside == NOTE && byte == STX);
}

/* Print a note, unless it is the error message: that is kept, to be printed after the body, or not at all if the request is sent again. */
static void print_note(void)
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

/* Handle a mark: another part of the reply begins, or the daemon is still working (SYN). */
static void handle_mark(unsigned char mark)
{
    if (mark == SYN)
        return;
    if (mark == STX)
        print_note();
    inside = mark == SOH ? NOTE : mark == STX ? BODY : TRAILER;
}

/* Add received bytes to the parts of the reply. */
static void parse_reply(const char *at, const char *end)
{
    while (at < end) {
        const char *mark = at;
        while (mark < end && !is_mark((unsigned char)*mark))
            mark++;
        append(&reply[inside], at, (size_t)(mark - at));
        if (mark < end)
            handle_mark((unsigned char)*mark++);
        at = mark;
    }
}

/* Return the exit code at the end of the reply; -1 if it was not received yet. */
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

/* Print what was received of a reply that was cut off, and end with NO_ANSWER. */
_Noreturn static void fail_cut_off(void)
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

/* Send more of the request, or receive more of the reply. Returns false where the caller has to wait for the socket. */
static bool transfer(int sock, struct bytes *line, size_t *sent)
{
    static char received[262144];
    ssize_t size;
    request_sent = true;
    if (*sent < line->size) {
        size = send(sock, line->at + *sent, line->size - *sent, MSG_NOSIGNAL);
        if (size >= 0)
            *sent += (size_t)size;
        else if (errno == EPIPE || errno == ECONNRESET)
            peer_stopped_reading = true, *sent = line->size; /* the reason may be in its reply */
        return size >= 0 || errno != EAGAIN;
    }
    size = recv(sock, received, sizeof received, 0);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return errno == EINTR;
    if (size <= 0 && peer_stopped_reading)
        exec_python_client(); /* an incomplete line did not run, so it may be sent again */
    if (size <= 0)
        fail_cut_off();
    parse_reply(received, received + size);
    return true;
}

int exchange(int sock, struct bytes line)
{
    size_t sent = 0;
    struct silence silence = {0};
    while (exit_code() < 0) {
        if (transfer(sock, &line, &sent)) {
            silence = (struct silence){0};
            continue;
        }
        struct pollfd wait = {.fd = sock, .events = sent < line.size ? POLLOUT : POLLIN};
        int seconds = silence.seconds ? 1 : SILENCE_SECONDS;
        if (!poll(&wait, 1, seconds * 1000))
            handle_silence(&silence, seconds);
    }
    return exit_code();
}

_Noreturn void print_reply_and_exit(int code)
{
    if (code == BUSY)
        exec_python_client(); /* the command did not run: the Python client sends it again after a while */
    write_all(STDOUT_FILENO, reply[BODY].at, reply[BODY].size);
    if (failure.size > 6) {
        print_error_label();
        write_all(STDERR_FILENO, failure.at + 6, failure.size - 6);
    }
    _exit(code);
}

int read_started_reply(int from_daemon)
{
    static char received[65536];
    while (exit_code() < 0) {
        ssize_t size = read(from_daemon, received, sizeof received);
        if (size > 0)
            parse_reply(received, received + size);
        else if (!size || errno != EINTR)
            return -1;
    }
    return exit_code();
}
