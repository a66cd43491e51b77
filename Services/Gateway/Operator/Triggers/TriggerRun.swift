import BusService
import FoundationEssentials
import StoreHTTP
import StoreModels

/// Performs a plan's steps by the services' own requests, and keeps account of them.
///
/// Steps are not undone when a later one fails: the error names those that were done.
struct TriggerRun {
    /// The customer that steps are about.
    struct Customer: Sendable {
        var bundleId: String
        var account: String
        /// Whether the run makes the account.
        var isNew: Bool
        /// The app's defaults for an account without settings.
        var defaults: TesterSettings?

        /// Names an object of the customer's store.
        func scoped(_ id: String) -> ScopedIdentifier { ScopedIdentifier(id, in: IsolationScope(of: bundleId)) }
    }

    private let services: ServiceCaller
    private let outside: OutsidePurchaseArea
    private let customer: Customer
    private let context: CallContext
    private var subject: TriggerPlan.Subject?
    private(set) var steps: [TriggerStep] = []
    /// The settings of an account that was there before, to be put back.
    private var former: TesterSettings?
    private var refundRequest: String?
    /// The response to the last purchase.
    private var bought: PaymentTransaction?

    init(
        _ services: ServiceCaller, _ outside: OutsidePurchaseArea, _ customer: Customer,
        about subject: TriggerPlan.Subject?, _ context: CallContext
    ) {
        self.services = services
        self.outside = outside
        self.customer = customer
        self.subject = subject
        self.context = context
    }

    /// Performs a plan.
    /// - Throws: The error of the step that failed, with the steps that were done.
    mutating func perform(_ plan: TriggerPlan) async throws -> TriggerCause {
        var before: TriggerState?
        do {
            if customer.isNew, !plan.setsFirst { try await perform(.set(TriggerPlan.settings)) }
            for step in plan.preparation { try await perform(step) }
            if subject != nil { before = try await state() }
            for step in plan.cause { try await perform(step) }
            // A purchase that is dated back is answered as it was bought, before anything of it fell due.
            if before == nil, let bought, case .buyBefore? = plan.cause.last {
                before = TriggerState(transaction: bought)
            }
            let after = try await state(latest: !plan.isAboutTransaction)
            try await putBack()
            return TriggerCause(
                account: customer.account, isNewAccount: customer.isNew, steps: steps, before: before, after: after)
        } catch let error as StoreError {
            try? await putBack()
            throw failure(error)
        }
    }

    /// Puts the settings back of an account that was there before.
    private mutating func putBack() async throws {
        guard let former else { return }
        try await set(former)
        self.former = nil
    }

    private func failure(_ error: StoreError) -> StoreError {
        var failure = error
        let done = steps.map(\.action.rawValue).joined(separator: ", ")
        let what =
            steps.isEmpty
            ? "nothing was done before" : "done before: \(done), of account '\(customer.account)'; that stays"
        failure.message = "step \(steps.count + 1) failed: \(error.message) (\(what))"
        failure.details["account"] = .string(customer.account)
        if let json = try? StoreJSON.encode(steps), let value = try? StrictJSON.parse(json) {
            failure.details["steps"] = value
        }
        return failure
    }

    // MARK: Steps

    private mutating func perform(_ step: TriggerPlan.Step) async throws {
        switch step {
        case .set(let settings):
            if !customer.isNew, former == nil {
                former = try await ask(PaymentEndpoints.getTester, customer.scoped(customer.account)).settings
            }
            try await set(settings)
        case .buy(let product, let offer): try await buy(product, offer: offer)
        case .buyBefore(let product, let past): try await buy(product, past: past)
        case .choose(let product): try await choose(product)
        case .operate(let operation, let days, let reason): try await operate(operation, days: days, reason)
        case .refund: try await takeBack(SubscriptionEndpoints.refund, .refund)
        case .revoke: try await takeBack(SubscriptionEndpoints.revoke, .revoke)
        case .reverseRefund: try await takeBack(ServerAPIEndpoints.reverseRefund, .reverseRefund)
        case .requestRefund:
            let made = try await ask(
                ServerAPIEndpoints.openRefundRequest,
                OpenRefundRequest(customer.scoped(try known().id), reason: .unintendedPurchase))
            refundRequest = made.refundRequestIdentifier
            note(.requestRefund, of: made)
        case .declineRefund:
            guard let refundRequest else { throw StoreError(.internal, "no refund was requested") }
            let made = try await ask(ServerAPIEndpoints.declineRefundRequest, customer.scoped(refundRequest))
            note(.declineRefund, of: made)
        case .extendAll: try await extendAll()
        }
    }

    private mutating func note(_ action: TriggerStep.Action, _ change: (inout TriggerStep) -> Void = { _ in }) {
        steps.append(with(TriggerStep(action), change))
    }

    private mutating func note(_ action: TriggerStep.Action, of request: CustomerRefundRequest) {
        note(action) {
            $0.transactionIdentifier = request.transactionIdentifier
            $0.refundRequestIdentifier = request.refundRequestIdentifier
        }
    }

    private mutating func set(_ settings: TesterSettings) async throws {
        _ = try await ask(
            PaymentEndpoints.putTester, PutTesterRequest(customer.scoped(customer.account), settings: settings))
        note(.settings) { $0.settings = settings }
    }

    private mutating func buy(_ product: String, offer: RedeemedOffer? = nil, past: PastPurchase? = nil) async throws {
        let reply = try await outside.buyOutside(
            OutsidePurchase(account: customer.account, productIdentifier: product, offer: offer), past: past,
            in: customer.bundleId, defaults: customer.defaults, context)
        guard reply.transactionState == .purchased else {
            throw StoreError(
                .transactionStateInvalid,
                "the purchase of \(product) is \(reply.transactionState.rawValue)"
                    + (reply.error.map { ": \($0.localizedDescription)" } ?? ""))
        }
        bought = reply
        subject = TriggerPlan.Subject(reply)
        note(past == nil ? .purchase : .pastPurchase) {
            ($0.productIdentifier, $0.offer, $0.transactionIdentifier, $0.at) = (
                product, offer, reply.transactionIdentifier, reply.transactionDate
            )
        }
    }

    private mutating func choose(_ product: String) async throws {
        let original = try original()
        let owner = try await ask(
            PaymentEndpoints.getAccount, GetAccountRequest(bundleId: customer.bundleId, account: customer.account))
        _ = try await ask(
            SubscriptionEndpoints.update,
            UpdateSubscriptionRequest(
                bundleId: customer.bundleId, customerIdentifier: owner.customerIdentifier,
                originalTransactionIdentifier: original, autoRenewProductIdentifier: product))
        note(.renewalPreference) { ($0.productIdentifier, $0.transactionIdentifier) = (product, original) }
    }

    private mutating func operate(
        _ operation: OperateSubscriptionRequest.Operation, days: Int?, _ reason: Subscription.ExpirationReason?
    ) async throws {
        let reply = try await ask(
            SubscriptionEndpoints.operate,
            OperateSubscriptionRequest(
                customer.scoped(try known().id), operation: operation, days: days, reason: reason))
        guard let action = TriggerStep.Action(rawValue: operation.rawValue) else {
            throw StoreError(.internal, "\(operation.rawValue) is not a step of a trigger")
        }
        note(action) { ($0.transactionIdentifier, $0.reason) = (reply.subscription.transactionIdentifier, reason) }
    }

    private mutating func takeBack(
        _ endpoint: Endpoint<RefundRequest, PaymentTransaction>, _ action: TriggerStep.Action
    ) async throws {
        let value = try await ask(endpoint, RefundRequest(customer.scoped(try known().id)))
        note(action) { $0.transactionIdentifier = value.transactionIdentifier }
    }

    private mutating func extendAll() async throws {
        let subject = try known()
        var request = ExtendSubscriptionsRequest(
            bundleId: customer.bundleId, productIdentifier: subject.productIdentifier, days: TriggerPlan.days,
            requestIdentifier: UUID().uuidString.lowercased())
        request.only = try original()
        _ = try await ask(ServerAPIEndpoints.extendAll, request)
        note(.extendAll) {
            ($0.productIdentifier, $0.transactionIdentifier) = (subject.productIdentifier, request.only)
        }
    }

    private func ask<Request, ServiceReply>(
        _ endpoint: Endpoint<Request, ServiceReply>, _ request: Request
    ) async throws(StoreError) -> ServiceReply {
        try await services.call(endpoint, request, context: context)
    }

    private func known() throws -> TriggerPlan.Subject {
        guard let subject else { throw StoreError(.internal, "nothing was bought that the step is about") }
        return subject
    }

    private func original() throws -> String {
        guard let original = try known().originalTransactionIdentifier else {
            throw StoreError(.internal, "a step about a subscription without one")
        }
        return original
    }

    // MARK: States

    /// Reads the state of the subject.
    /// - Parameter latest: Whether the subscription's latest transaction is read, instead of the one it began with.
    private func state(latest: Bool = false) async throws -> TriggerState {
        let subject = try known()
        var subscription: Subscription?
        if let original = subject.originalTransactionIdentifier {
            let page = try await ask(
                SubscriptionEndpoints.search,
                SubscriptionListRequest(bundleId: customer.bundleId, account: customer.account))
            subscription = page.subscriptions.first { $0.originalTransactionIdentifier.isExactly(original) }
        }
        let id = latest ? subscription?.id ?? subject.id : subject.id
        let found = try await ask(PaymentEndpoints.findTransaction, customer.scoped(id))
        return TriggerState(transaction: found.transaction, subscription: subscription)
    }
}

extension TriggerPlan {
    /// Whether it begins with settings of its own.
    fileprivate var setsFirst: Bool { if case .set? = (preparation + cause).first { true } else { false } }

    /// Whether it is about a transaction rather than a subscription.
    fileprivate var isAboutTransaction: Bool {
        switch cause.last {
        case .refund, .reverseRefund, .revoke, .requestRefund, .declineRefund: true
        default: false
        }
    }
}

extension TriggerPlan.Subject {
    init(_ value: PaymentTransaction) {
        self.init(
            id: value.id, productIdentifier: value.payment.productIdentifier,
            originalTransactionIdentifier: value.subscriptionGroupIdentifier == nil
                ? nil : value.originalTransactionIdentifier ?? value.transactionIdentifier)
    }
}
