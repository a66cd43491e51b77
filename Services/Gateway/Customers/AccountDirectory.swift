import BusService
import EventLoop
import Logging
import StoreModels

/// Customers as PaymentQueue knows them now: a session's token says where they shopped when it was made.
///
/// An answer is shown while the testers' settings and the app, whose catalogue says what testers do by default, have the
/// versions it was asked for at, for a second at most: however many requests there are, they share the question of the
/// versions. With PaymentQueue away the last answer counts, and without one the session's word.
final class AccountDirectory: Sendable {
    static let freshFor = Duration.seconds(1)
    /// Customers that are remembered. At the bound those not asked for lately are forgotten, or else all.
    static let rememberedMax = 10_000

    fileprivate struct Entry {
        var account: AccountReply
        /// Nil for what was not asked for as a whole.
        var versions: Versions?
        var freshUntil: ContinuousClock.Instant
    }

    /// What an account's answer depends on.
    fileprivate struct Versions: Hashable {
        var app: AppVersion
        var testers: TestersVersion
    }

    fileprivate struct State {
        var entries: [CustomerReference: Entry] = [:]
        /// Grows with everything forgotten, so that an answer that was under way meanwhile is not kept.
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

    /// The session's customer.
    func shopper(_ call: Call) async -> Shopper {
        let session = call.session
        let deadline = call.optionalDeadline
        async let app = try? versions.app(session.bundleId, until: deadline)
        async let testers = try? versions.testers(until: deadline)
        let (appVersion, testersVersion) = await (app, testers)
        // PaymentQueue is away, and would not answer about the account either.
        guard let testersVersion else {
            return Shopper(bundleId: session.bundleId, account: lastKnown(session), appVersion: appVersion)
        }
        let known = appVersion.map { Versions(app: $0, testers: testersVersion) }
        return Shopper(
            bundleId: session.bundleId, account: await account(of: session, at: known, call), appVersion: appVersion)
    }

    /// Where the customer shopped when anybody last heard of it, without asking.
    func lastKnownStorefront(of session: Session) -> String {
        state.withLock { $0.entries[session.customer]?.account.storefront } ?? session.storefront
    }

    /// Another answer of PaymentQueue's says where the customer shops. The rest of what is known is as old as it was.
    func note(_ storefront: String, of session: Session) {
        state.withLock { state in
            var account = state.entries[session.customer]?.account ?? AccountReply(session)
            account.storefront = storefront
            state.remember(account, of: session.customer, at: nil, since: state.generation, freshUntil: .now)
        }
    }

    /// The next question goes to PaymentQueue. For what happens often: unlike ``forget(_:)`` it disturbs no answer that
    /// is under way for somebody else.
    func expire(_ customer: CustomerReference) {
        state.withLock { $0.entries[customer]?.freshUntil = .now }
    }

    /// The customer has changed: the next question goes to PaymentQueue, and no answer from before is kept.
    func forget(_ customer: CustomerReference) {
        state.withLock { state in
            state.generation += 1
            state.entries[customer]?.freshUntil = .now
        }
    }

    private func lastKnown(_ session: Session) -> AccountReply {
        state.withLock { $0.entries[session.customer]?.account } ?? AccountReply(session)
    }

    /// - Parameter versions: Asked for before, so never newer than the answer; nil when Catalog is away.
    private func account(of session: Session, at versions: Versions?, _ call: Call) async -> AccountReply {
        let customer = session.customer
        let (kept, generation) = state.withLock { ($0.entries[customer], $0.generation) }
        if let kept, kept.freshUntil > .now, let versions, kept.versions == versions { return kept.account }
        let account = await ask(session, call) ?? kept?.account ?? AccountReply(session)
        state.withLock { $0.remember(account, of: customer, at: versions, since: generation) }
        return account
    }

    /// - Returns: nil when there is no answer. It may not use up the time of what the request is about.
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
    /// What a session's token says of its customer.
    fileprivate init(_ session: Session) {
        self.init(
            customerIdentifier: session.customerIdentifier, account: session.account, storefront: session.storefront,
            canMakePayments: true)
    }
}
