import HTTPTypes

extension HTTPField.Name {
    // `Name(_:)` fails only for text that is no token (RFC 9110 §5.1); these are, and a test looks at each.
    static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
    static let idempotentReplayed = HTTPField.Name("Idempotent-Replayed")!
    static let sbTimeout = HTTPField.Name("Sb-Timeout")!
    static let accelBuffering = HTTPField.Name("X-Accel-Buffering")!
}
