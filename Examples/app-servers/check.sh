#!/usr/bin/env bash
set -euo pipefail
encode() { basenc --base64url --wrap 0 | tr -d =; }
input=$(printf '{"alg":"ES256","kid":"%s","typ":"JWT"}' "$KEY_ID" | encode).$(
    printf '{"iss":"%s","iat":%d,"exp":%d,"aud":"appstoreconnect-v1","bid":"%s"}' \
        "$ISSUER_ID" "$(date +%s)" "$(($(date +%s) + 600))" "$BUNDLE_ID" | encode)
# openssl writes the signature's two numbers as DER, a JWT has them in 32 bytes each.
signature=$(printf %s "$input" | openssl dgst -sha256 -sign AuthKey.p8 | openssl asn1parse -inform DER |
    sed -n 's/.*INTEGER *://p' | while read -r number; do printf '%64s' "$number" | tr ' ' 0; done | basenc --base16 -d | encode)
curl --silent --fail-with-body -H "Authorization: Bearer $input.$signature" "$STOREBUS_URL/inApps/v1/transactions/$1" >transaction.json ||
    { cat transaction.json >&2; exit 1; }
storebus verify transaction.json --root root.cer --url "$STOREBUS_URL" -o json | sed 's/.*"productId":"\([^"]*\)".*/\1/'
