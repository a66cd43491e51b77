import BusService
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    var transactionRoutes: [Route] {
        [
            Route(TransactionRoutes.unfinished) { [self] in try await unfinished($0) },
            Route(TransactionRoutes.stream) { [self] in
                try await openStream($0)
            },
            Route(TransactionRoutes.get) { [self] in try await transaction($0) },
            Route(TransactionRoutes.finish) { [self] in try await finish($0) },
            Route(TransactionRoutes.answerStorefrontChange) { [self] in try await goOn($0) },
            Route(TransactionRoutes.history) { [self] in try await history($0) },
        ]
    }

    /// Lists this device's unfinished transactions. Reading does not count as a delivery.
    private func unfinished(_ call: Call) async throws -> Reply<TransactionsPage> {
        let session = call.session
        let list = SnapshotRequest(
            bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, deviceId: session.deviceId,
            countsDelivery: false, after: try call.after(), limit: try call.limit())
        return try Reply(try await unfinishedQuestions.ask(list, call.context()))
    }

    private func transaction(_ call: Call) async throws -> Reply<PaymentTransaction> {
        let transaction = try await services.call(
            PaymentEndpoints.getTransaction(as: PresentedTransaction.self), try transactionRequest(call),
            context: call.context())
        // A transaction that belongs to another device of the customer is visible to that device only.
        guard transaction.isVisible(to: call.session.deviceId) else { throw StoreError.notFound("transaction") }
        return try Reply(transaction)
    }

    private func finish(_ call: Call) async throws -> Reply<PaymentTransaction> {
        _ = try await call.body(of: TransactionRoutes.finish)
        let transaction = try await services.call(
            PaymentEndpoints.finishTransaction(as: Forwarded<PaymentTransaction>.self), try transactionRequest(call),
            context: call.context())
        return try Reply(transaction)
    }

    /// Records the app's answer about a purchase whose customer has moved to another storefront.
    private func goOn(_ call: Call) async throws -> PaymentTransaction {
        let answer = try await call.body(of: TransactionRoutes.answerStorefrontChange)
        let request = ContinueTransactionRequest(
            transaction: try transactionRequest(call), shouldContinue: answer.shouldContinue)
        return try await services.call(PaymentEndpoints.continueTransaction, request, context: call.context())
    }

    /// Lists purchased and restored transactions, finished or not (M23).
    private func history(_ call: Call) async throws -> TransactionsPage {
        let session = call.session
        let page = try await services.call(
            PaymentEndpoints.history,
            HistoryRequest(
                bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, after: try call.after(),
                limit: try call.limit()),
            context: call.context())
        return TransactionsPage(transactions: page.transactions, after: page.after)
    }

    private func transactionRequest(_ call: Call) throws(StoreError) -> TransactionRequest {
        let session = call.session
        return TransactionRequest(
            bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, deviceId: session.deviceId,
            id: try call.parameter(.id, of: "transaction"))
    }
}

extension Call {
    /// Cursor of the page: the `after` of the previous page.
    func after(lengthMax: Int = HTTPLimits.identifierLengthMax) throws(StoreError) -> String? {
        guard let after = try query.single("after") else { return nil }
        try Identifier.check(after, at: "query after", lengthMax: lengthMax)
        return after
    }

    func limit(_ max: Int = HTTPLimits.pageMax) throws(StoreError) -> Int {
        try query.integer("limit", in: 1...max, default: HTTPLimits.pageMax)
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
