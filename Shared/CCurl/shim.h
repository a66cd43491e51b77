// libcurl as Debian 12 ships it (7.88.1, with OpenSSL). Only CurlLoop imports this module.
#pragma once
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// Swift calls no variadic function, so each type of an option has a function of its own.

static inline CURLcode curl_easy_set_number(CURL *easy, CURLoption option, long value)
{
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode curl_easy_set_text(CURL *easy, CURLoption option, const char *value)
{
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode curl_easy_set_pointer(CURL *easy, CURLoption option, void *value)
{
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode curl_easy_set_size(CURL *easy, CURLoption option, curl_off_t value)
{
    return curl_easy_setopt(easy, option, value);
}

// Of CURLOPT_HEADERFUNCTION and CURLOPT_WRITEFUNCTION.
static inline CURLcode curl_easy_set_write(CURL *easy, CURLoption option, curl_write_callback value)
{
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode curl_easy_set_read(CURL *easy, curl_read_callback value)
{
    return curl_easy_setopt(easy, CURLOPT_READFUNCTION, value);
}

static inline CURLcode curl_easy_set_before_request(CURL *easy, curl_prereq_callback value)
{
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode curl_easy_set_open_socket(CURL *easy, curl_opensocket_callback value)
{
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}

static inline long curl_easy_get_number(CURL *easy, CURLINFO info)
{
    long value = 0;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

static inline void curl_multi_set_callbacks(CURLM *multi, curl_socket_callback socket, curl_multi_timer_callback timer, void *owner)
{
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, owner);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, owner);
}

static inline void curl_multi_set_number(CURLM *multi, CURLMoption option, long value)
{
    curl_multi_setopt(multi, option, value);
}
