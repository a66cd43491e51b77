<?php
function must(bool $holds, string $what): void { if (!$holds) { fwrite(STDERR, "$what\n"); exit(1); } }
function decoded(string $text): string { return base64_decode(strtr($text, '-_', '+/')); }
function pem(string $base64): string { return "-----BEGIN CERTIFICATE-----\n" . chunk_split($base64, 64, "\n") . "-----END CERTIFICATE-----\n"; }

$parts = explode('.', json_decode(stream_get_contents(STDIN), true)['signedPayload']);
[$header, $payload] = [json_decode(decoded($parts[0]), true), json_decode(decoded($parts[1]), true)];
$root = base64_encode(file_get_contents('root.cer'));
must($header['alg'] === 'ES256' && count($header['x5c'] ?? []) === 3 && $header['x5c'][2] === $root, 'chain');
$chain = array_map('pem', $header['x5c']);
must(openssl_x509_verify($chain[0], $chain[1]) === 1 && openssl_x509_verify($chain[1], $chain[2]) === 1, 'issuer');
$read = array_map('openssl_x509_parse', $chain);
foreach ($read as $one) must($one['validFrom_time_t'] <= $payload['signedDate'] / 1000 && $payload['signedDate'] / 1000 <= $one['validTo_time_t'], 'validity');
must(isset($read[0]['extensions']['1.2.840.113635.100.6.11.1'], $read[1]['extensions']['1.2.840.113635.100.6.2.1']) && str_contains($read[1]['extensions']['basicConstraints'], 'CA:TRUE'), 'purpose');
// OpenSSL reads DER: two integers, each without leading zeros and with one where its first bit is set.
$integer = function (string $bytes): string { $bytes = ltrim($bytes, "\0"); $bytes = ord($bytes[0]) > 127 ? "\0$bytes" : $bytes; return "\x02" . chr(strlen($bytes)) . $bytes; };
$der = implode(array_map($integer, str_split(decoded($parts[2]), 32)));
must(openssl_verify("$parts[0].$parts[1]", "\x30" . chr(strlen($der)) . $der, $chain[0], OPENSSL_ALGO_SHA256) === 1, 'signature');
$about = $payload['data'] ?? $payload['summary'];
must($about['bundleId'] === getenv('BUNDLE_ID') && $about['environment'] === 'Sandbox', 'app');
echo $payload['notificationType'], "\n";
