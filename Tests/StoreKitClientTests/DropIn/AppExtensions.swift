import StoreKitClient

// What apps add to StoreKit's types for their logs. A conformance of the library's own would be in their way.

extension SKPaymentTransactionState: @retroactive CustomStringConvertible {
    public var description: String { "state \(rawValue)" }
}

extension SKError.Code: @retroactive CustomStringConvertible {
    public var description: String { "code \(rawValue)" }
}

extension SKError: LocalizedError {}
