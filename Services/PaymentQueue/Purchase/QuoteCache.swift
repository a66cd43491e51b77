import StoreModels
import Synchronization

/// Catalog's quotes, kept with the catalogue version they belong to.
///
/// A quote is used without asking for a second, unless an answer about the app has shown a newer catalogue meanwhile. Its
/// own age counts and not its version's, because more than the catalogue decides whether a product is for sale: the app's
/// agreements, the limit of unfinished transactions, a date. When Catalog is away the last quote is used for another
/// minute: the price was true then, and a purchase is charged what it was quoted. Without one the purchase is refused
/// before any commit.
package final class QuoteCache: Sendable {
    /// How old a quote may be.
    static let freshFor: Duration = .seconds(1)
    /// How old it may be while Catalog is away.
    static let usableFor: Duration = .seconds(60)
    /// Quotes kept; when there are more, all go: the next purchases ask again.
    static let quotesMax = 10_000

    private struct Entry {
        var quote: Quote
        var asked: ContinuousClock.Instant
    }

    private struct Contents {
        var entries: [QuoteRequest: Entry] = [:]
        /// The latest version of each app's catalogue that an answer has shown.
        var versions: [String: Int64] = [:]
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

    /// A quote that may be used without asking.
    package func fresh(_ request: QuoteRequest) -> Quote? { cached(request, notOlderThan: Self.freshFor) }

    private func cached(_ request: QuoteRequest, notOlderThan age: Duration) -> Quote? {
        let now = now()
        return contents.withLock { contents in
            guard let entry = contents.entries[request], now - entry.asked <= age,
                contents.versions[request.bundleId] == entry.quote.catalogVersion
            else { return nil }
            return entry.quote
        }
    }

    private func keep(_ quote: Quote, for request: QuoteRequest) {
        let now = now()
        contents.withLock { contents in
            if contents.entries.count >= Self.quotesMax { contents = Contents() }
            contents.entries[request] = Entry(quote: quote, asked: now)
            contents.versions[request.bundleId] = quote.catalogVersion
        }
    }
}
