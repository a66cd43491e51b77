#include "openapi.h"

// Clang's #embed is C23's; the depfile names openapi.json, so that a change of it is compiled.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char document[] = {
#embed "openapi.json"
};

const unsigned char *openapi_document(void) { return document; }

size_t openapi_document_size(void) { return sizeof document; }
