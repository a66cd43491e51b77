import BusService
import StoreModels

/// Looks up at AppStoreServer with what an app's signed data is verified, and the issuer of its server's tokens.
///
/// An answer is reused for a second, so many sessions cost one request. While AppStoreServer is away the last one is
/// used.
package final class TrustDirectory: Sendable {
    /// How long an answer is reused. Another gateway's change of an app's environment is seen after this time.
    static let freshFor = Duration.seconds(1)
    /// Maximum number of apps remembered. At the bound all are dropped.
    static let rememberedMax = 10_000

    private let requests: SharedRequest<ExactText, TrustFacts>
    private let apps = ExpiringCache<ExactText, TrustFacts>(max: rememberedMax, freshFor: freshFor)

    init(services: ServiceCaller) {
        let ask = services.function(SigningEndpoints.trust)
        requests = SharedRequest { (bundleId, deadline) async throws(StoreError) in
            try await ask(AppRequest(bundleId: bundleId.text), deadline)
        }
    }

    /// Returns an app's facts. While AppStoreServer is away they are the last known.
    /// - Throws: `serviceUnavailable` or `deadlineExceeded` for an unseen app while AppStoreServer is away.
    package func facts(
        of bundleId: String, until deadline: ContinuousClock.Instant
    ) async throws(StoreError) -> TrustFacts {
        let key = ExactText(bundleId)
        do {
            return try await apps.value(for: key) { () async throws(StoreError) in
                try await requests.ask(key, until: deadline)
            }
        } catch  where error.meansAway {
            guard let known = apps.last(key) else { throw error }
            // Not asked again for a second either.
            apps.insert(known, for: key)
            return known
        }
    }

    /// Forgets an app whose settings have changed.
    package func forget(_ bundleId: String) { apps.expire(ExactText(bundleId), discardingReplies: true) }
}
