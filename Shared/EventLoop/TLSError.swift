/// The reason why TLS failed: an unusable file, or a failed handshake.
///
/// The sentences name the found and the wanted value. Callers that know the settings add remedies.
package enum TLSError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A file that does not exist, cannot be read or has other content.
    case file(TLSFiles.Kind, path: String, problem: String)
    /// The peer's first byte belongs to no TLS.
    case notTLS
    /// The certificate is for other names. `names` are the certificate's, separated by commas.
    case wrongName(wanted: String, names: String)
    /// The certificate, or one above it, is no longer valid.
    case expired(subject: String, on: String)
    /// The certificate, or one above it, is not valid yet.
    case notYetValid(subject: String, from: String)
    /// No authority that is trusted here has signed the certificate.
    case unknownIssuer(String)
    /// OpenSSL does not accept the certificate for another reason, which it names.
    case untrusted(String)
    /// The peer asks for a certificate, and this side has none.
    case certificateRequired
    /// The peer does not accept this side's certificate. OpenSSL's words for the alert.
    case certificateRefused(String)
    /// Another failure, in OpenSSL's words.
    case failed(String)

    /// The sentence, without a full stop.
    package var description: String {
        switch self {
        case .file(let kind, let path, let problem): "the file of the \(kind.rawValue), \(path), \(problem)"
        case .notTLS: "the peer does not speak TLS"
        case .wrongName(let wanted, let names): "the certificate is for \(names), not for \(wanted)"
        case .expired(let subject, let date): "the certificate of \(subject) expired on \(date)"
        case .notYetValid(let subject, let date): "the certificate of \(subject) is valid from \(date) on"
        case .unknownIssuer(let issuer): "the certificate is signed by \(issuer), which is not trusted here"
        case .untrusted(let reason): "the certificate is not accepted: \(reason)"
        case .certificateRequired: "the peer asks for a certificate"
        case .certificateRefused(let reason): "the peer does not accept the certificate: \(reason)"
        case .failed(let reason): "TLS failed: \(reason)"
        }
    }
}
