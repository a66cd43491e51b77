import BusService
import GatewayEdge
import HTTPTypes
import StoreHTTP
import StoreModels

/// The routes by which an app reads and finishes its customer's transactions.
struct TransactionArea: Area {
    let services: ServiceCaller
    let unfinishedLoader: UnfinishedLoader

    var routes: [Route] {
        [
            Route(TransactionRoutes.unfinished) { try await unfinished($0) },
            Route(TransactionRoutes.get) { try await transaction($0) },
            services.forward(
                TransactionRoutes.finish, to: PaymentEndpoints.finishTransaction(as: Forwarded<PaymentTransaction>.self)
            ) { call, _ in
                try call.ownTransaction()
            } reply: {
                try Reply($0)
            },
            services.forward(TransactionRoutes.answerStorefrontChange, to: PaymentEndpoints.continueTransaction) {
                ContinueTransactionRequest(transaction: try $0.ownTransaction(), shouldContinue: $1.shouldContinue)
            },
            Route(TransactionRoutes.requestRefund) { try await requestRefund($0) },
            // Purchased and restored transactions, finished or not (M23).
            services.forward(TransactionRoutes.history, to: PaymentEndpoints.history) {
                try $0.history(of: $0.session.customer)
            } reply: {
                try Reply($0.withoutRecords)
            },
        ]
    }

    /// Opens the customer's request for a refund. The operator answers it.
    private func requestRefund(_ call: Call) async throws -> Reply<CustomerRefundRequest> {
        let body = try await call.body(of: TransactionRoutes.requestRefund)
        let own = try await services.call(PaymentEndpoints.getTransaction, try call.ownTransaction(), for: call)
        let request = OpenRefundRequest(
            ScopedIdentifier(own.id, in: IsolationScope(of: call.session.bundleId)),
            reason: body.reason ?? .other)
        let opened = try await services.call(
            ServerAPIEndpoints.openRefundRequest, request, for: call,
            else: "the refund was requested, and it is not known whether the request is open; repeat it")
        return try Reply(opened, status: .created)
    }

    /// Lists this device's unfinished transactions. Reading does not count as a delivery.
    private func unfinished(_ call: Call) async throws -> Reply<TransactionsPage> {
        let session = call.session
        let list = SnapshotRequest(
            bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, deviceId: session.deviceId,
            countsDelivery: false, after: try call.after(), limit: try call.limit())
        return try Reply(try await unfinishedLoader.ask(list, call.context()))
    }

    private func transaction(_ call: Call) async throws -> Reply<PaymentTransaction> {
        let transaction = try await services.call(
            PaymentEndpoints.getTransaction(as: PresentedTransaction.self), try call.ownTransaction(), for: call)
        // A transaction that belongs to another device of the customer is visible to that device only.
        guard transaction.isVisible(to: call.session.deviceId) else { throw StoreError.notFound("transaction") }
        return try Reply(transaction)
    }
}

extension TransactionsPage {
    /// The page as customers see it.
    var withoutRecords: TransactionsPage { TransactionsPage(transactions: transactions, after: after) }
}

extension Call {
    /// The page that the query names of a customer's history.
    /// - Throws: `requestInvalid`.
    func history(of customer: CustomerReference) throws(StoreError) -> HistoryRequest {
        HistoryRequest(
            bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, after: try after(),
            limit: try limit())
    }

    /// The transaction that the path names for the session's customer.
    /// - Throws: `notFound`.
    fileprivate func ownTransaction() throws(StoreError) -> TransactionRequest {
        TransactionRequest(
            bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, deviceId: session.deviceId,
            id: try parameter(.id, of: "transaction"))
    }
}

/// A transaction as PaymentQueue presents it. The gateway reads two members and forwards the rest unchanged.
struct PresentedTransaction: JSONForm, Hashable, Codable {
    typealias Body = PaymentTransaction

    let json: RawJSON
    private let transactionState: TransactionState
    private let originDeviceId: String

    private enum CodingKeys: String, CodingKey { case transactionState, originDeviceId }

    init(from decoder: any Decoder) throws {
        json = try RawJSON(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        transactionState = try container.decode(TransactionState.self, forKey: .transactionState)
        originDeviceId = try container.decode(String.self, forKey: .originDeviceId)
    }

    func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    /// Whether a device may see it, as `PaymentTransaction.isVisible(to:)`. Some states are visible to the origin
    /// device only.
    func isVisible(to deviceId: String) -> Bool { transactionState.isVisible(to: deviceId, origin: originDeviceId) }
}
