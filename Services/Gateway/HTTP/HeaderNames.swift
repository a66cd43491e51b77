import HTTPTypes

extension HTTPField.Name {
    // `Name(_:)` fails only for text that is not a token (RFC 9110 §5.1); a test checks each of these.
    static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
    static let idempotentReplayed = HTTPField.Name("Idempotent-Replayed")!
    static let sbTimeout = HTTPField.Name("Sb-Timeout")!
    static let accelBuffering = HTTPField.Name("X-Accel-Buffering")!
}
