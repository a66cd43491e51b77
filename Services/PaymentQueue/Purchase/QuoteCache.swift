import StoreModels
import Synchronization

/// Catalog's quotes, kept with the catalogue version they belong to.
///
/// A quote is used without asking when its version was seen in force at most a second ago; any answer about an app
/// vouches for all quotes of the same version. When Catalog is away the last quote is used for another minute: the price
/// was true then, and a purchase is charged what it was quoted. Without one the purchase is refused before any commit.
package final class QuoteCache: Sendable {
    /// How old the check of a version may be.
    static let freshFor: Duration = .seconds(1)
    /// How old it may be while Catalog is away.
    static let usableFor: Duration = .seconds(60)
    /// Quotes kept; when there are more, all go: the next purchases ask again.
    static let quotesMax = 10_000

    private struct Version {
        var number: Int64
        var checked: ContinuousClock.Instant
    }

    private struct Contents {
        var quotes: [QuoteRequest: Quote] = [:]
        var versions: [String: Version] = [:]
    }

    private let contents = Mutex(Contents())
    private let now: @Sendable () -> ContinuousClock.Instant
    private let fetch: @Sendable (QuoteRequest, ContinuousClock.Instant) async throws(StoreError) -> Quote

    package init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        fetch: @escaping @Sendable (QuoteRequest, ContinuousClock.Instant) async throws(StoreError) -> Quote
    ) {
        self.now = now
        self.fetch = fetch
    }

    /// - Throws: `serviceUnavailable` when Catalog is away and the cache cannot help; what Catalog refuses.
    package func quote(
        _ request: QuoteRequest, until deadline: ContinuousClock.Instant
    ) async throws(StoreError) -> Quote {
        if let quote = cached(request, notOlderThan: Self.freshFor) { return quote }
        do {
            let quote = try await fetch(request, deadline)
            keep(quote, for: request)
            return quote
        } catch  where error.code == .serviceUnavailable || error.code == .deadlineExceeded {
            if let quote = cached(request, notOlderThan: Self.usableFor) { return quote }
            throw StoreError(.serviceUnavailable, "the catalogue is away and no price is known; nothing was charged")
        }
    }

    private func cached(_ request: QuoteRequest, notOlderThan age: Duration) -> Quote? {
        let now = now()
        return contents.withLock { contents in
            guard let quote = contents.quotes[request], let version = contents.versions[request.bundleId],
                version.number == quote.catalogVersion, now - version.checked <= age
            else { return nil }
            return quote
        }
    }

    private func keep(_ quote: Quote, for request: QuoteRequest) {
        let now = now()
        contents.withLock { contents in
            if contents.quotes.count >= Self.quotesMax { contents = Contents() }
            contents.quotes[request] = quote
            contents.versions[request.bundleId] = Version(number: quote.catalogVersion, checked: now)
        }
    }
}
