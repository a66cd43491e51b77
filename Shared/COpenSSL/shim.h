// OpenSSL as Debian 12 ships it (3.0). EventLoop imports this module for TLS, Cryptography for the server's keys,
// signatures and certificates, and SignedData for a device's.
#pragma once
#include <openssl/err.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// Swift cannot call macros, so those that are needed have a function each.

static inline void tls_context_configure(SSL_CTX *context)
{
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(context, 0);
}

// Its chain: the context counts a reference of its own.
static inline int tls_add_to_chain(SSL_CTX *context, X509 *certificate)
{
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

static inline void tls_set_server_name(SSL *ssl, const char *name) { SSL_set_tlsext_host_name(ssl, name); }

// The bytes that wait in a memory BIO.
static inline size_t tls_memory(BIO *bio, const char **bytes) { return (size_t)BIO_get_mem_data(bio, (char **)bytes); }

static inline void tls_forget(BIO *bio) { BIO_reset(bio); }

static inline SSL *tls_of_store(X509_STORE_CTX *store)
{
    return (SSL *)X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
}

static inline int tls_set_owner(SSL *ssl, void *owner) { return SSL_set_app_data(ssl, owner); }
static inline void *tls_owner(const SSL *ssl) { return SSL_get_app_data(ssl); }

static inline int tls_print_name(BIO *bio, const X509_NAME *name) { return X509_NAME_print_ex(bio, name, 0, XN_FLAG_ONELINE); }
