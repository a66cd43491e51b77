import BusService
import StoreModels

/// Quotes of Catalog, used at the version in force, and the last ones for Catalog's absence.
///
/// A quote is used for a second, while Catalog's lease on the app names the quote's version. So a change of the
/// catalogue or a setting that was acknowledged to the operator applies to the next purchase (ADR 0072). Without a
/// lease each purchase requests its quote, and concurrent requests for the same quote share one request.
///
/// While Catalog is away, a quote is used for a minute, unless Catalog has announced a change of the app. The price was
/// true, and a purchase is charged its quoted price. Without a quote the purchase is refused before any commit.
final class QuoteCache: Sendable {
    /// Maximum age of a quote of the version in force, because products become available by date.
    static let freshFor: Duration = .seconds(1)
    /// Maximum age of a quote while Catalog is away.
    static let usableFor: Duration = .seconds(60)
    /// Maximum number of cached quotes. When it is reached, the cache is emptied.
    static let quotesMax = 10_000

    private let quotes: ExpiringCache<QuoteRequest, Quote>
    /// The latest version of each app that a quote or a lease has shown.
    private let versions = ExpiringCache<ExactText, AppVersion>(max: quotesMax)
    private let leased: @Sendable (_ bundleId: String) -> AppVersion?
    private let requests: SharedRequest<QuoteRequest, Quote>

    /// - Parameter leased: Returns an app's version on a lease. Without one it returns nil, and requests one.
    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        leased: @escaping @Sendable (_ bundleId: String) -> AppVersion? = { _ in nil },
        fetch: @escaping @Sendable (QuoteRequest, ContinuousClock.Instant) async throws(StoreError) -> Quote
    ) {
        quotes = ExpiringCache(max: Self.quotesMax, freshFor: Self.freshFor, now: now)
        self.leased = leased
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

    /// Returns a quote of the version in force.
    /// - Throws: `serviceUnavailable` when Catalog is away and the cache has no usable quote, or Catalog's refusal.
    func quote(
        _ request: QuoteRequest, until deadline: ContinuousClock.Instant
    ) async throws(StoreError) -> Quote {
        let app = ExactText(request.bundleId)
        if let version = leased(request.bundleId) {
            if let quote = quotes.fresh(request, where: { $0.version == version }) { return quote }
            versions.insert(version, for: app)
        }
        let ticket = quotes.ticket()
        do {
            let quote = try await requests.ask(request, until: deadline)
            if quotes.insert(quote, for: request, ticket) { versions.insert(quote.version, for: app) }
            return quote
        } catch  where error.code == .serviceUnavailable || error.code == .deadlineExceeded {
            let latest = versions.last(app)
            if let quote = quotes.last(request, within: Self.usableFor, where: { $0.version == latest }) {
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

extension Quote {
    /// The version that the quote was made at.
    fileprivate var version: AppVersion {
        AppVersion(catalogVersion: catalogVersion, settingsRevision: settingsRevision)
    }
}
