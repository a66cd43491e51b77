import BusService
import EventLoop
import Logging
import StoreModels

/// Customers as PaymentQueue knows them now: a session's token says where they shopped when it was made.
///
/// An answer is kept for a second, so that a customer's requests cost one question a second, however many there are.
/// With PaymentQueue away the last answer counts, and without one the session's word.
final class AccountDirectory: Sendable {
    static let freshFor = Duration.seconds(1)
    /// Customers that are remembered. At the bound those not asked for lately are forgotten, or else all.
    static let rememberedMax = 10_000

    fileprivate struct Entry {
        var account: AccountReply
        var freshUntil: ContinuousClock.Instant
    }

    fileprivate struct State {
        var entries: [CustomerReference: Entry] = [:]
        /// Grows with everything forgotten, so that an answer that was under way meanwhile is not kept.
        var generation = 0
    }

    private let services: ServiceCaller
    private let logger: Logger
    private let state = Locked(State())

    init(services: ServiceCaller, logger: Logger) {
        self.services = services
        self.logger = logger
    }

    /// The session's customer.
    func shopper(_ call: Call) async -> Shopper {
        let session = call.session
        return Shopper(bundleId: session.bundleId, account: await account(of: session, call))
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
            state.remember(account, of: session.customer, since: state.generation, freshUntil: .now)
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

    /// As ``forget(_:)``, for an account's customers in every app.
    func forget(account: String) {
        state.withLock { state in
            state.generation += 1
            for (customer, entry) in state.entries where entry.account.account == account {
                state.entries[customer]?.freshUntil = .now
            }
        }
    }

    private func account(of session: Session, _ call: Call) async -> AccountReply {
        let customer = session.customer
        let (kept, generation) = state.withLock { ($0.entries[customer], $0.generation) }
        if let kept, kept.freshUntil > .now { return kept.account }
        let account = await ask(session, call) ?? kept?.account ?? AccountReply(session)
        state.withLock { $0.remember(account, of: customer, since: generation) }
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
        _ account: AccountReply, of customer: CustomerReference, since known: Int,
        freshUntil: ContinuousClock.Instant = .now + AccountDirectory.freshFor
    ) {
        guard generation == known else { return }
        if entries.count >= AccountDirectory.rememberedMax, entries[customer] == nil { makeRoom() }
        entries[customer] = .init(account: account, freshUntil: freshUntil)
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
