import BusService
import EventLoop
import StoreModels

/// Catalog's quotes: asked for with each purchase, by one request for all that want the same one at the same time, so
/// that a catalogue or a setting that was acknowledged to the operator is in force for the next purchase (ADR 0021).
///
/// The last quotes are kept for when Catalog is away. They are used for a minute then, unless Catalog has said
/// meanwhile that the app has changed: the price was true, and a purchase is charged what it was quoted. Without one
/// the purchase is refused before any commit.
final class QuoteCache: Sendable {
    /// How old a quote may be while Catalog is away.
    static let usableFor: Duration = .seconds(60)
    /// Quotes kept; when there are more, all go.
    static let quotesMax = 10_000

    private struct Entry {
        var quote: Quote
        var asked: ContinuousClock.Instant
    }

    private struct Contents {
        var entries: [QuoteRequest: Entry] = [:]
        /// The latest version of each app's catalogue that an answer has shown.
        var versions: [ExactText: Int64] = [:]
        /// Grows with each change that Catalog has announced, so that no quote from before it is kept.
        var changes = 0
    }

    private let contents = Locked(Contents())
    private let now: @Sendable () -> ContinuousClock.Instant
    private let requests: SharedRequest<QuoteRequest, Quote>

    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        fetch: @escaping @Sendable (QuoteRequest, ContinuousClock.Instant) async throws(StoreError) -> Quote
    ) {
        self.now = now
        requests = SharedRequest { (request, deadline) async throws(StoreError) in
            let quote = try await fetch(request, deadline)
            // Nothing is sold at another product's price, even if Catalog has mistaken one for the other.
            guard quote.product?.productIdentifier.isExactly(request.productIdentifier) ?? true else {
                throw StoreError(
                    .internal,
                    "the catalogue quoted '\(quote.product?.productIdentifier ?? "")' for '\(request.productIdentifier)'"
                )
            }
            return quote
        }
    }

    /// - Throws: `serviceUnavailable` when Catalog is away and the cache cannot help; what Catalog refuses.
    func quote(
        _ request: QuoteRequest, until deadline: ContinuousClock.Instant
    ) async throws(StoreError) -> Quote {
        let (asked, changes) = (now(), contents.withLock { $0.changes })
        do {
            let quote = try await requests.ask(request, until: deadline)
            keep(quote, for: request, asked: asked, since: changes)
            return quote
        } catch  where error.code == .serviceUnavailable || error.code == .deadlineExceeded {
            if let quote = last(request) { return quote }
            throw StoreError(.serviceUnavailable, "the catalogue is away and no price is known; nothing was charged")
        }
    }

    /// An app has changed: its quotes from before are not used any more, even while Catalog is away.
    /// - Parameter bundleId: Nil when any app may have changed.
    func forget(_ bundleId: String?) {
        contents.withLock { contents in
            contents.changes += 1
            guard let bundleId else { return contents.entries = [:] }
            contents.entries = contents.entries.filter { !$0.key.bundleId.isExactly(bundleId) }
        }
    }

    private func last(_ request: QuoteRequest) -> Quote? {
        let now = now()
        return contents.withLock { contents in
            guard let entry = contents.entries[request], now - entry.asked <= Self.usableFor,
                contents.versions[request.bundleId] == entry.quote.catalogVersion
            else { return nil }
            return entry.quote
        }
    }

    private func keep(
        _ quote: Quote, for request: QuoteRequest, asked: ContinuousClock.Instant, since changes: Int
    ) {
        contents.withLock { contents in
            guard contents.changes == changes else { return }
            if contents.entries.count >= Self.quotesMax { contents.entries = [:] }
            contents.entries[request] = Entry(quote: quote, asked: asked)
            contents.versions[request.bundleId] = quote.catalogVersion
        }
    }
}
