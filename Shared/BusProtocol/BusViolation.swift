/// An operation or frame that SBP/1 does not allow. Decoders throw it for what the peer sent, encoders for what the
/// caller was about to send.
package struct BusViolation: Error, Equatable, Sendable, CustomStringConvertible {
    /// The code the broker answers with.
    package var code: BusErrorCode
    /// A sentence for people; names the member, never quotes a secret.
    package var reason: String

    package init(_ code: BusErrorCode, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    package var description: String { "\(code.rawValue): \(reason)" }
}
