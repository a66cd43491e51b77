package import StoreModels

/// The error a call is refused with. Nil if it is not refused.
///
/// ```swift
/// #expect(try await refusal { try await alice.add("coins", key: "") }?.code == .idempotencyKeyInvalid)
/// ```
/// - Throws: An error other than `StoreError`.
package func refusal(of call: () async throws -> some Sendable) async throws -> StoreError? {
    do {
        _ = try await call()
        return nil
    } catch let error as StoreError {
        return error
    }
}
