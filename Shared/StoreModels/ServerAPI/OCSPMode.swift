/// The ways in which the OCSP responder can answer, for tests of clients' online checks.
public enum OCSPMode: String, CaseIterable, Sendable, Codable {
    /// Every certificate is good but those that were issued as revoked.
    case good
    /// Every certificate is revoked.
    case revoked
    /// The responder knows no certificate.
    case unknown
    /// A good response that was to be replaced half a day ago.
    case stale
    /// A response signed by a certificate of the issuer's that is not an OCSP responder's.
    case wrongSigner
    /// Half of a good response.
    case malformed
    /// No response: the gateway answers 503 without asking the responder, which would say `tryLater`.
    case unavailable
    /// A good response that the gateway delays beyond clients' timeouts. The responder itself does not wait.
    case slow
}
