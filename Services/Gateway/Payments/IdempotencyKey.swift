import HTTPTypes
import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The `Idempotency-Key` header: exactly one, of 1 to 255 printable ASCII characters.
enum IdempotencyKey {
    static let lengthMax = 255

    /// - Throws: `idempotencyKeyInvalid`.
    static func read(_ headers: HTTPFields) throws(StoreError) -> String {
        let values = headers[values: .idempotencyKey]
        guard values.count == 1, let key = values.first else {
            throw StoreError(
                .idempotencyKeyInvalid,
                values.isEmpty ? "the Idempotency-Key header is missing" : "there is more than one Idempotency-Key")
        }
        guard (1...lengthMax).contains(key.utf8.count), key.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw StoreError(.idempotencyKeyInvalid, "an Idempotency-Key is 1 to 255 printable ASCII characters")
        }
        return key
    }

    /// Reads the key of a request that may lack one.
    /// - Returns: Nil when there is none.
    /// - Throws: `idempotencyKeyInvalid`.
    static func readIfPresent(_ headers: HTTPFields) throws(StoreError) -> String? {
        headers[values: .idempotencyKey].isEmpty ? nil : try read(headers)
    }

    /// Creates a unique key for a request that came without one.
    static func make() -> String { "gateway-\(UUID().uuidString.lowercased())" }
}
