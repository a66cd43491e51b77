import BusService
import EventLoop
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting

@testable import PaymentQueue

/// Purchases whose batches a test composes, on the database of a store's payment queue.
///
/// The processor is the test's, and has no deadline. All requests are handled on one loop, as in a process of its own.
/// One purchase goes ahead, and its authorization is held until all others that are authorized have arrived, so those
/// are one batch. It ends before a commit.
final class ComposedBatches: Sendable {
    /// A purchase, with the processor's answer to it.
    struct Order: Sendable {
        var customer: CustomerReference
        var payment: Payment
        var quote: Quote
        /// The storefront that the quote is for.
        var storefront: String
        /// The answer to the authorization, or nil if the processor refuses the charge.
        var answer: Charge.Outcome?

        fileprivate var request: AddPaymentRequest {
            AddPaymentRequest(
                bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, deviceId: "phone",
                payment: payment)
        }

        /// The amount that is authorized, as of a customer who is not known to have subscribed.
        fileprivate var amount: Money? { PurchaseAuthorization.amount(of: request, quote, hasSubscribed: false) }
    }

    private struct Contents {
        /// The purchases that have arrived at the authorization.
        var arrived = 0
        /// The purchases whose authorization is still to come, in their order.
        var orders: [Order] = []
        var losesReplies = false
        var holder: CheckedContinuation<Void, Never>?
        var authorized: [Int] = []
        var captured: [String] = []
        var voided: [String] = []
    }

    /// Whether this is the task of the purchase that goes ahead.
    @TaskLocal private static var isOpener = false
    /// The customer of that purchase, who is unknown.
    private static let opener = CustomerReference(bundleId: Catalogue.bundleId, customerIdentifier: "c_opener")

    let store: TestStore
    let database: any SQLDatabase
    let purchases: NewPurchases
    /// Captures and voids at the test's processor.
    let captures: CaptureService
    private let loop: UVLoop
    private let contents: Locked<Contents>

    /// - Parameter queue: The payment queue whose database it has, as one more part of it. Nil for the store's.
    init(_ store: TestStore, on queue: TestStore.Queue? = nil) throws {
        let context = (queue ?? store.current).service.context
        let contents = Locked(Contents())
        var collaborators = context.collaborators
        collaborators.authorize = { request, _ async throws(StoreError) in
            try await ComposedBatches.answer(request, contents)
        }
        collaborators.capture = { request, _ in
            contents.withLock { $0.captured += request.chargeKeys }
            return CaptureChargesReply()
        }
        collaborators.cancelCharge = { request, _ in
            contents.withLock { $0.voided.append(request.chargeKey) }
            return BatchSample.charge(request.chargeKey, nil, .cancelled)
        }
        loop = try TestDatabase.loop
        let own = QueueContext(
            database: context.database, executor: loop, clock: context.clock, claims: context.claims,
            collaborators: collaborators, quotes: context.quotes, defaults: context.defaults,
            leases: context.leases,
            checkpoint: { place in
                if place == .beforeAuthorization { contents.withLock { $0.arrived += 1 } }
                if place == .beforeFirstCommit, ComposedBatches.isOpener {
                    throw StoreError(.notFound, "no such customer")
                }
                try context.checkpoint(place)
            }, record: context.record, logger: context.logger)
        captures = CaptureService(context: own)
        purchases = NewPurchases(context: own, captures: captures)
        database = context.database
        self.store = store
        self.contents = contents
    }

    /// The sizes of the authorized batches.
    var authorized: [Int] { contents.withLock { $0.authorized } }
    /// The keys of captured charges.
    var captured: [String] { contents.withLock { $0.captured } }
    /// The keys of voided charges.
    var voided: [String] { contents.withLock { $0.voided } }

    /// Loses the replies of the processor from now on.
    func loseReplies() { contents.withLock { $0.losesReplies = true } }

    /// A purchase at the catalogue's price.
    func order(
        _ customer: CustomerReference, key: String, product: String = "coins", quantity: Int = 1,
        answer: Charge.Outcome? = .authorized
    ) -> Order {
        let request = QuoteRequest(
            bundleId: customer.bundleId, productIdentifier: product, storefront: "USA")
        return Order(
            customer: customer,
            payment: Payment(requestIdentifier: key, productIdentifier: product, quantity: quantity),
            quote: store.catalogue.quote(request), storefront: "USA", answer: answer)
    }

    /// Begins purchases as one batch of authorizations, and one of commits. Those that are not authorized are committed
    /// before it.
    func begin(_ orders: [Order]) async throws -> [Task<PurchaseCommand.Outcome, any Error>] {
        let authorized = orders.filter { ($0.amount?.minorUnits ?? 0) > 0 }
        let before = contents.withLock { contents in
            contents.orders = authorized
            return contents.arrived
        }
        let first = Self.$isOpener.withValue(true) { start(order(Self.opener, key: "opener")) }
        try await eventually("the first one is held") { contents.withLock { $0.holder != nil } }
        let tasks = orders.map(start)
        try await eventually("the others have arrived") {
            contents.withLock { $0.arrived } == before + 1 + authorized.count
        }
        let holder = contents.withLock { contents in
            defer { contents.holder = nil }
            return contents.holder
        }
        holder?.resume()
        _ = await first.result
        return tasks
    }

    /// Buys as one batch.
    func buy(_ orders: [Order]) async throws -> [Result<PurchaseCommand.Outcome, any Error>] {
        var results: [Result<PurchaseCommand.Outcome, any Error>] = []
        for task in try await begin(orders) { results.append(await task.result) }
        return results
    }

    private func start(_ order: Order) -> Task<PurchaseCommand.Outcome, any Error> {
        let fingerprint = RequestFingerprint.of(order.payment)
        return Task(executorPreference: loop) { [purchases] in
            try await purchases.begin(
                order.request, order.quote, in: order.storefront, fingerprint, authorizing: order.amount,
                until: .now + .seconds(600)
            ).output
        }
    }

    /// The number of rows of a table.
    func count(_ table: String) async throws -> Int {
        try await database.read { reader in
            try await reader.queryOne("SELECT COUNT(*) AS n FROM \(table)")?["n"] ?? 0
        }
    }

    // MARK: Processor

    private static func answer(
        _ request: AuthorizeChargesRequest, _ contents: Locked<Contents>
    ) async throws(StoreError) -> AuthorizeChargesReply {
        if request.charges.first?.customerIdentifier == opener.customerIdentifier {
            await withCheckedContinuation { continuation in contents.withLock { $0.holder = continuation } }
            return AuthorizeChargesReply(charges: request.charges.map { _ in refused })
        }
        let (orders, isLost) = contents.withLock { contents in
            let orders = Array(contents.orders.prefix(request.charges.count))
            contents.orders.removeFirst(orders.count)
            contents.authorized.append(request.charges.count)
            return (orders, contents.losesReplies)
        }
        if isLost { throw StoreError(.deadlineExceeded, "ordered by the test") }
        guard request.charges.map(\.customerIdentifier) == orders.map(\.customer.customerIdentifier) else {
            throw StoreError(.internal, "the purchases have not arrived in their order")
        }
        return AuthorizeChargesReply(
            charges: zip(request.charges, orders).map { charge, order in
                guard let outcome = order.answer else { return refused }
                return AuthorizedCharge(charge: BatchSample.charge(charge.chargeKey, charge.amount, outcome))
            })
    }

    private static var refused: AuthorizedCharge {
        AuthorizedCharge(error: StoreError(.requestInvalid, "ordered by the test"))
    }
}

extension CustomerApp {
    var reference: CustomerReference {
        CustomerReference(bundleId: Catalogue.bundleId, customerIdentifier: customer)
    }

    /// The whole journal, page by page.
    func wholeJournal() async throws -> [CustomerChange] {
        var changes: [CustomerChange] = []
        while true {
            let page = try await self.changes(after: Int64(changes.count))
            changes += page.changes
            if page.changes.isEmpty { return changes }
        }
    }
}

extension TestStore {
    /// Opens an account of an isolated store.
    func customer(of app: IsolatedApp) async throws -> CustomerReference {
        let account = try await caller.call(
            PaymentEndpoints.openAccount,
            OpenAccountRequest(bundleId: app.bundleId, account: "alice", deviceId: "phone"))
        return CustomerReference(bundleId: app.bundleId, customerIdentifier: account.customerIdentifier)
    }

    /// The customers of several accounts, `shopper0` and so on.
    func customerApps(_ count: Int) async throws -> [CustomerApp] {
        var customerApps: [CustomerApp] = []
        for number in 0..<count { customerApps.append(try await customerApp("shopper\(number)")) }
        return customerApps
    }
}

extension Result<PurchaseCommand.Outcome, any Error> {
    var outcome: PurchaseCommand.Outcome? { try? get() }

    /// The purchase that was begun and ended.
    var stored: StoredTransaction? { outcome?.stored }

    /// The purchase that was written.
    var begun: StoredTransaction? { outcome?.begun }

    var error: (any Error)? { if case .failure(let error) = self { error } else { nil } }
}
