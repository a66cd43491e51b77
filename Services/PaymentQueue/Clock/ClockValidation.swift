import StoreModels

/// What a request about a clock has to be.
enum ClockValidation {
    static let bundleIdMax = 155

    /// - Throws: `requestInvalid`.
    static func check(_ bundleId: String) throws(StoreError) {
        guard (1...bundleIdMax).contains(bundleId.utf8.count) else {
            throw StoreError(
                .requestInvalid, "bundleId must have 1 to \(bundleIdMax) characters",
                details: ["path": .string("$.bundleId")])
        }
    }

    /// - Throws: `idempotencyKeyInvalid`.
    static func checkKey(_ key: String) throws(StoreError) {
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw StoreError(.idempotencyKeyInvalid, "a key has 1 to 255 visible ASCII characters")
        }
    }
}
