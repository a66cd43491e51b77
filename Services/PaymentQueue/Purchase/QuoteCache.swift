import BusService
import EventLoop
import StoreModels

/// Requests a quote with each purchase, and keeps the last ones for Catalog's absence.
///
/// Concurrent requests for the same quote share one request. A change of the catalogue or a setting that was
/// acknowledged to the operator applies to the next purchase (ADR 0021). While Catalog is away, a quote is used for a
/// minute, unless Catalog has announced a change of the app: the price was true, and a purchase is charged what it was
/// quoted. Without a quote the purchase is refused before any commit.
final class QuoteCache: Sendable {
    /// Maximum age of a quote while Catalog is away.
    static let usableFor: Duration = .seconds(60)
    /// Maximum number of cached quotes; when it is reached, the cache is emptied.
    static let quotesMax = 10_000

    private struct Entry {
        var quote: Quote
        /// When Catalog was asked.
        var asked: ContinuousClock.Instant
    }

    private struct Contents {
        var entries: [QuoteRequest: Entry] = [:]
        /// The latest catalogue version of each app that a reply has shown.
        var versions: [ExactText: Int64] = [:]
        /// The number of changes Catalog has announced; a quote from before the last one is not kept.
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
            // Prevents a sale at another product's price, even if Catalog has mistaken one for the other.
            guard quote.product?.productIdentifier.isExactly(request.productIdentifier) ?? true else {
                throw StoreError(
                    .internal,
                    """
                    the catalogue quoted '\(quote.product?.productIdentifier ?? "")' \
                    for '\(request.productIdentifier)'
                    """
                )
            }
            return quote
        }
    }

    /// Requests a quote.
    /// - Throws: `serviceUnavailable` when Catalog is away and the cache has no usable quote; what Catalog refuses.
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

    /// Removes an app's quotes, also for while Catalog is away.
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
