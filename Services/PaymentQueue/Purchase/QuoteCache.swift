import BusService
import StoreModels

/// Requests a quote with each purchase, and keeps the last ones for Catalog's absence.
///
/// Concurrent requests for the same quote share one request. A change of the catalogue or a setting that was
/// acknowledged to the operator applies to the next purchase (ADR 0021). While Catalog is away, a quote is used for a
/// minute, unless Catalog has announced a change of the app. The price was true, and a purchase is charged its quoted
/// price. Without a quote the purchase is refused before any commit.
final class QuoteCache: Sendable {
    /// Maximum age of a quote while Catalog is away.
    static let usableFor: Duration = .seconds(60)
    /// Maximum number of cached quotes. When it is reached, the cache is emptied.
    static let quotesMax = 10_000

    private let quotes: ExpiringCache<QuoteRequest, Quote>
    /// The latest version of each app's catalogue that a quote has shown.
    private let versions = ExpiringCache<ExactText, Int64>(max: quotesMax)
    private let requests: SharedRequest<QuoteRequest, Quote>

    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        fetch: @escaping @Sendable (QuoteRequest, ContinuousClock.Instant) async throws(StoreError) -> Quote
    ) {
        quotes = ExpiringCache(max: Self.quotesMax, freshFor: .zero, now: now)
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
    /// - Throws: `serviceUnavailable` when Catalog is away and the cache has no usable quote, or Catalog's refusal.
    func quote(
        _ request: QuoteRequest, until deadline: ContinuousClock.Instant
    ) async throws(StoreError) -> Quote {
        let ticket = quotes.ticket()
        do {
            let quote = try await requests.ask(request, until: deadline)
            if quotes.insert(quote, for: request, ticket) {
                versions.insert(quote.catalogVersion, for: ExactText(request.bundleId))
            }
            return quote
        } catch  where error.code == .serviceUnavailable || error.code == .deadlineExceeded {
            let version = versions.last(ExactText(request.bundleId))
            if let quote = quotes.last(request, within: Self.usableFor, where: { $0.catalogVersion == version }) {
                return quote
            }
            throw StoreError(.serviceUnavailable, "the catalogue is away and no price is known; nothing was charged")
        }
    }

    /// Removes an app's quotes, also for while Catalog is away.
    /// - Parameter bundleId: Nil when any app may have changed.
    func forget(_ bundleId: String?) {
        quotes.invalidate { request in bundleId.map { request.bundleId.isExactly($0) } ?? true }
    }
}
