#ifndef STOREBUS_OPENAPI_H
#define STOREBUS_OPENAPI_H

#include <stddef.h>

/// Returns the first byte of `openapi.json`, which lives as long as the process.
const unsigned char *openapi_document(void);

/// Returns how many bytes `openapi.json` has.
size_t openapi_document_size(void);

#endif
