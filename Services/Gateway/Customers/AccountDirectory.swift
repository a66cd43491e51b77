import BusService
import EventLoop
import Logging
import StoreModels

/// Cache of customers as PaymentQueue knows them. A session's token has only the storefront of the time it was issued.
///
/// A reply is reused for at most a second, while the testers' settings and the app have the versions it was requested
/// at (the app's catalogue sets the testers' defaults). Simultaneous requests share one request for the versions. While
/// PaymentQueue is away the last reply is used, and without one the session's claims.
final class AccountDirectory: Sendable {
    static let freshFor = Duration.seconds(1)
    /// Maximum number of cached customers. At the bound stale entries are dropped, or else all.
    static let rememberedMax = 10_000

    fileprivate struct Entry {
        var account: AccountReply
        /// Nil for an entry that was not requested as a whole.
        var versions: Versions?
        var freshUntil: ContinuousClock.Instant
    }

    /// Versions an account reply depends on.
    fileprivate struct Versions: Hashable {
        var app: AppVersion
        var testers: TestersVersion
    }

    fileprivate struct State {
        var entries: [CustomerReference: Entry] = [:]
        /// Grows with every invalidation, so that a reply that was in flight meanwhile is not cached.
        var generation = 0
    }

    private let services: ServiceCaller
    private let versions: CurrentVersions
    private let logger: Logger
    private let state = Locked(State())

    init(services: ServiceCaller, versions: CurrentVersions, logger: Logger) {
        self.services = services
        self.versions = versions
        self.logger = logger
    }

    /// Returns the session's customer.
    func shopper(_ call: Call) async -> Shopper {
        let session = call.session
        let deadline = call.optionalDeadline
        async let app = try? versions.app(session.bundleId, until: deadline)
        async let testers = try? versions.testers(until: deadline)
        let (appVersion, testersVersion) = await (app, testers)
        // PaymentQueue is away, so a request for the account would fail too.
        guard let testersVersion else {
            return Shopper(bundleId: session.bundleId, account: lastKnown(session), appVersion: appVersion)
        }
        let known = appVersion.map { Versions(app: $0, testers: testersVersion) }
        return Shopper(
            bundleId: session.bundleId, account: await account(of: session, at: known, call), appVersion: appVersion)
    }

    /// Storefront of the customer according to the cache, without a request; else the session's.
    func lastKnownStorefront(of session: Session) -> String {
        state.withLock { $0.entries[session.customer]?.account.storefront } ?? session.storefront
    }

    /// Stores the storefront that another reply of PaymentQueue contains. The rest of the entry keeps its age.
    func note(_ storefront: String, of session: Session) {
        state.withLock { state in
            var account = state.entries[session.customer]?.account ?? AccountReply(session)
            account.storefront = storefront
            state.remember(account, of: session.customer, at: nil, since: state.generation, freshUntil: .now)
        }
    }

    /// Marks the entry as stale, so that the next request goes to PaymentQueue. For frequent use: unlike ``forget(_:)``
    /// it does not discard replies in flight for other customers.
    func expire(_ customer: CustomerReference) {
        state.withLock { $0.entries[customer]?.freshUntil = .now }
    }

    /// Invalidates a changed customer: the next request goes to PaymentQueue, and no earlier reply is cached.
    func forget(_ customer: CustomerReference) {
        state.withLock { state in
            state.generation += 1
            state.entries[customer]?.freshUntil = .now
        }
    }

    private func lastKnown(_ session: Session) -> AccountReply {
        state.withLock { $0.entries[session.customer]?.account } ?? AccountReply(session)
    }

    /// - Parameter versions: Requested earlier, so never newer than the reply; nil when Catalog is away.
    private func account(of session: Session, at versions: Versions?, _ call: Call) async -> AccountReply {
        let customer = session.customer
        let (kept, generation) = state.withLock { ($0.entries[customer], $0.generation) }
        if let kept, kept.freshUntil > .now, let versions, kept.versions == versions { return kept.account }
        let account = await ask(session, call) ?? kept?.account ?? AccountReply(session)
        state.withLock { $0.remember(account, of: customer, at: versions, since: generation) }
        return account
    }

    /// - Returns: Nil when there is no reply. The request gets only part of the time of the client's request.
    private func ask(_ session: Session, _ call: Call) async -> AccountReply? {
        let request = GetAccountRequest(
            bundleId: session.bundleId, customerIdentifier: session.customerIdentifier)
        do {
            return try await services.call(
                PaymentEndpoints.getAccount, request, context: call.context(deadline: call.optionalDeadline))
        } catch {
            logger.debug("a customer is taken as last known", metadata: ["code": "\(error.code)"])
            return nil
        }
    }
}

extension AccountDirectory.State {
    fileprivate mutating func remember(
        _ account: AccountReply, of customer: CustomerReference, at versions: AccountDirectory.Versions?,
        since known: Int,
        freshUntil: ContinuousClock.Instant = .now + AccountDirectory.freshFor
    ) {
        guard generation == known else { return }
        if entries.count >= AccountDirectory.rememberedMax, entries[customer] == nil { makeRoom() }
        entries[customer] = .init(account: account, versions: versions, freshUntil: freshUntil)
    }

    private mutating func makeRoom() {
        let now = ContinuousClock.now
        entries = entries.filter { $0.value.freshUntil > now }
        if entries.count >= AccountDirectory.rememberedMax { entries.removeAll() }
    }
}

extension AccountReply {
    /// Creates a reply from the claims of a session's token.
    fileprivate init(_ session: Session) {
        self.init(
            customerIdentifier: session.customerIdentifier, account: session.account, storefront: session.storefront,
            canMakePayments: true)
    }
}
