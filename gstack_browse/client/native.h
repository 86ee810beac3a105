/* What the two parts of the native client share: `native.c` speaks with a daemon, `native_start.c` starts one. */

#ifndef GBROWSE_NATIVE_H
#define GBROWSE_NATIVE_H

#include <stdbool.h>
#include <stddef.h>

#ifndef PYTHON_CLIENT
#define PYTHON_CLIENT "gbrowse-python" /* what runs the Python client, seen from this program's directory */
#endif

struct bytes {
    char *at;
    size_t size, room;
};

enum answer { NOTHING, READY, REPLY };

/* Whether a daemon that is started for this command begins with Chromium. */
bool is_chromium_first(const char *cmd);

/* Take the lock of those who start a daemon in this state directory, which is made if missing. Returns its descriptor; -1 where
 * somebody else has it, or where anything there is not as it usually is. */
int take_start_lock(const char *directory);

/* Start a daemon for the request in `line`. What it says is to be read from the descriptor that is returned; -1 where none can be
 * started in this way. */
int start_daemon(const char *workspace, const struct bytes *line);

/* What it says first: that it listens, or that its reply follows; NOTHING where it has ended without a word. */
enum answer first_word(int from_daemon);

#endif
