import BusService
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

    /// An app has changed: its quotes from before are not used any more, even while Catalog is away.
    /// - Parameter bundleId: Nil when any app may have changed.
    func forget(_ bundleId: String?) {
        quotes.invalidate { request in bundleId.map { request.bundleId.isExactly($0) } ?? true }
    }
}
