#ifndef STOREBUS_OPENAPI_H
#define STOREBUS_OPENAPI_H

#include <stddef.h>

/// Returns the first byte of `openapi.json`, which is valid for the lifetime of the process.
const unsigned char *openapi_document(void);

/// Returns the size of `openapi.json` in bytes.
size_t openapi_document_size(void);

#endif
