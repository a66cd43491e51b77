import BusService
import EventLoop
import ServiceTesting
import StoreModels
import StorebusTesting

@testable import PaymentQueue

/// A customer's app on a device.
struct CustomerApp: Sendable {
    let store: TestStore
    let customer: String
    let device: String

    private var bundleId: String { Catalogue.bundleId }

    func add(
        _ product: String, key: String, quantity: Int = 1, username: String? = nil, within time: Duration = .seconds(5)
    ) async throws -> AddPaymentReply {
        let payment = Payment(
            requestIdentifier: key, productIdentifier: product, quantity: quantity, applicationUsername: username)
        return try await add(payment, within: time)
    }

    func add(_ payment: Payment, within time: Duration = .seconds(5)) async throws -> AddPaymentReply {
        try await store.caller.call(
            PaymentEndpoints.addPayment,
            AddPaymentRequest(bundleId: bundleId, customerIdentifier: customer, deviceId: device, payment: payment),
            context: CallContext(deadline: .now + time))
    }

    /// Begins a purchase whose outcome stays unknown: the same key is sent until an answer says so. On a machine that
    /// is busy the first answers may come too late, and after five of those the next is not asked for at
    /// once.
    func begin(_ product: String, key: String) async throws -> AddPaymentReply {
        var begun: AddPaymentReply?
        try await eventually("the purchase has begun", within: .seconds(120)) {
            do {
                begun = try await add(product, key: key, within: .milliseconds(400))
                return true
            } catch let error as StoreError where [.deadlineExceeded, .serviceUnavailable].contains(error.code) {
                return false
            }
        }
        guard let begun, begun.status == 202 else {
            throw StoreError(.internal, "the test makes the processor answer nothing")
        }
        return begun
    }

    func snapshot(launches: Bool = false, after: String? = nil, limit: Int = 100) async throws -> Snapshot {
        try await store.caller.call(
            PaymentEndpoints.snapshot,
            SnapshotRequest(
                bundleId: bundleId, customerIdentifier: customer, deviceId: device, countsDelivery: launches,
                after: after,
                limit: limit))
    }

    func changes(after: Int64 = 0, limit: Int = 100) async throws -> ChangesReply {
        try await store.caller.call(
            PaymentEndpoints.changes,
            ChangesRequest(bundleId: bundleId, customerIdentifier: customer, after: after, limit: limit))
    }

    func get(_ id: String) async throws -> PaymentTransaction {
        try await store.caller.call(PaymentEndpoints.getTransaction, request(id))
    }

    @discardableResult
    func finish(_ id: String) async throws -> PaymentTransaction {
        try await store.caller.call(PaymentEndpoints.finishTransaction, request(id))
    }

    func history(after: String? = nil, limit: Int = 100) async throws -> TransactionsPage {
        try await store.caller.call(
            PaymentEndpoints.history,
            HistoryRequest(bundleId: bundleId, customerIdentifier: customer, after: after, limit: limit))
    }

    func offerSummary() async throws -> OfferSummary {
        let request = OfferSummariesRequest(bundleId: bundleId, customerIdentifiers: [customer])
        let summaries = try await store.caller.call(PaymentEndpoints.offerSummaries, request).summaries
        guard let summary = summaries[0] else { throw StoreError(.notFound, "no such customer") }
        return summary
    }

    /// What decides about offers, by group.
    func offers() async throws -> [SubscriptionGroupHistory] {
        let summary = try await offerSummary()
        let groups = Set(summary.history.subscriptions.flatMap(\.groups) + summary.history.offers.flatMap(\.groups))
        return groups.sorted().compactMap { group in
            let question = SubscriptionHistory.Question(of: "", inGroup: group, sharesGroup: { _ in false })
            return summary.history.group(of: question, at: summary.businessNow)
        }
    }

    func restore(
        key: String = "restore", username: String? = nil, within time: Duration = .seconds(5)
    ) async throws -> Restore {
        try await store.caller.call(
            PaymentEndpoints.startRestore,
            StartRestoreRequest(
                bundleId: bundleId, customerIdentifier: customer, deviceId: device, requestIdentifier: key,
                applicationUsername: username),
            context: CallContext(deadline: .now + time))
    }

    func restored(_ id: String) async throws -> Restore {
        try await store.caller.call(PaymentEndpoints.getRestore, restoreRequest(id))
    }

    func acknowledge(_ id: String) async throws {
        _ = try await store.caller.call(PaymentEndpoints.acknowledgeRestore, restoreRequest(id))
    }

    private func restoreRequest(_ id: String) -> RestoreRequest {
        RestoreRequest(bundleId: bundleId, customerIdentifier: customer, deviceId: device, restoreIdentifier: id)
    }

    func download(_ id: String) async throws -> DownloadReply {
        try await store.caller.call(
            PaymentEndpoints.getDownload,
            DownloadRequest(bundleId: bundleId, customerIdentifier: customer, deviceId: device, downloadId: id))
    }

    @discardableResult
    func update(_ id: String, _ action: DownloadAction, error: SKErrorCode? = nil) async throws -> Download {
        try await store.caller.call(
            PaymentEndpoints.updateDownload,
            UpdateDownloadRequest(
                bundleId: bundleId, customerIdentifier: customer, deviceId: device, downloadId: id, action: action,
                error: error)
        ).download
    }

    private func request(_ id: String) -> TransactionRequest {
        TransactionRequest(bundleId: bundleId, customerIdentifier: customer, deviceId: device, id: id)
    }

    /// The same device with another customer's identifier.
    func named(_ customer: String) -> CustomerApp { CustomerApp(store: store, customer: customer, device: device) }

    func on(device: String) -> CustomerApp { CustomerApp(store: store, customer: customer, device: device) }
}

extension TestStore {
    func customerApp(_ account: String = "alice", device: String = "phone") async throws -> CustomerApp {
        let reply = try await caller.call(
            PaymentEndpoints.openAccount,
            OpenAccountRequest(bundleId: Catalogue.bundleId, account: account, deviceId: device))
        return CustomerApp(store: self, customer: reply.customerIdentifier, device: device)
    }

    /// The processor's whole ledger, after everything that was committed is captured, without authorizations that no
    /// commit has used: those lapse or are voided, and nothing is paid.
    func charges() async throws -> [Charge] {
        try await ledger().filter { $0.authorizedUntil == nil }
    }

    /// The processor's whole ledger, after everything that was committed is captured while the payment queue lives.
    func ledger() async throws -> [Charge] {
        _ = try await alive?.service.captures.captureAll()
        return try await caller.call(ProcessorEndpoints.listCharges, ChargeListRequest(limit: 500)).charges
    }

    /// Every transaction of the store, as the operator sees them.
    func transactions() async throws -> [PaymentTransaction] {
        try await caller.call(PaymentEndpoints.listTransactions, TransactionListRequest()).transactions
    }

    /// Sweeps until nothing is left purchasing.
    func settle() async throws {
        let janitor = current.service.purchases
        try await eventuallySettled { try await janitor.sweep(now: .now + .seconds(60)) == 0 }
    }

    /// Waits for the first charge. On a slow machine the request of a `begin` may end on its way: it is asked for again.
    func awaitCharge() async throws {
        do {
            try await eventually("the charge was made", within: .seconds(20)) { try await charges().count == 1 }
        } catch is NeverHappened {
            _ = try await current.service.purchases.sweep(now: .now + .seconds(60))
            try await eventually("the charge was made, asked for again") { try await charges().count == 1 }
        }
    }

    var now: Timestamp { Timestamp(milliseconds: wall.withLock { $0 }) }

    func advance(by time: Duration) { wall.withLock { $0 += time.components.seconds * 1000 } }
}
