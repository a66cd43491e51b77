import StoreModels

/// Asks Catalog for the shopper's new storefront, when an answer needs it.
struct StorefrontLookup: Sendable {
    let storefronts: @Sendable (ContinuousClock.Instant) async throws(StoreError) -> [Storefront]

    /// Runs a commit, and once more with the storefront it needs.
    /// - Throws: The error of `body`, or `serviceUnavailable` when Catalog does not reply.
    func retrying<Output: Sendable>(
        until deadline: ContinuousClock.Instant, _ body: @Sendable (Storefront?) async throws -> Output
    ) async throws -> Output {
        do {
            return try await body(nil)
        } catch let moved as StorefrontMoved {
            let all: [Storefront]
            do {
                all = try await storefronts(deadline)
            } catch {
                throw StoreError(
                    .serviceUnavailable,
                    "the catalogue, which knows the shopper's new storefront, is away; nothing was changed",
                    retryAfterMs: error.retryAfterMs)
            }
            // Catalog had it when the shopper moved. For a storefront it has lost since, the identifier is empty.
            return try await body(
                all.first { $0.countryCode == moved.countryCode }
                    ?? Storefront(countryCode: moved.countryCode, identifier: ""))
        }
    }
}
