#include "openapi.h"

// #embed is a C23 feature that Clang warns about; the depfile names openapi.json, so that changing it triggers a build.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char document[] = {
#embed "openapi.json"
};

const unsigned char *openapi_document(void) { return document; }

size_t openapi_document_size(void) { return sizeof document; }
