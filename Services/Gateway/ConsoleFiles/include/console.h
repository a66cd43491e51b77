#ifndef STOREBUS_CONSOLE_H
#define STOREBUS_CONSOLE_H

#include <stddef.h>

/// A file of the web console, compiled into the gateway; all of it is valid for the lifetime of the process.
struct console_file {
    /// The path below `/console/`, such as `pages/time.js`.
    const char *path;
    const unsigned char *bytes;
    size_t size;
};

/// Returns the first of the console's files, and their number in `count`.
const struct console_file *console_files(size_t *count);

#endif
