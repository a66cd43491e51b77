import BusService
import EventLoop
import StoreModels

/// The calls of one app that the benchmark prepares a store with.
struct StoreClient: Sendable {
    static let device = "bench"
    /// A commit may wait for hundreds of others.
    static let patience: Duration = .seconds(30)

    let services: ServiceCaller
    let bundleId: String
    let loop: UVLoop

    /// - Returns: the account's customer.
    func open(_ account: String) async throws -> String {
        let request = OpenAccountRequest(bundleId: bundleId, account: account, deviceId: Self.device)
        return try await services.call(PaymentEndpoints.openAccount, request, context: context).customerIdentifier
    }

    /// - Throws: ``NotSold`` unless the purchase has ended as purchased.
    func buy(_ product: String, for customer: String, key: String) async throws -> PaymentTransaction {
        let request = AddPaymentRequest(
            bundleId: bundleId, customerIdentifier: customer, deviceId: Self.device,
            payment: Payment(requestIdentifier: key, productIdentifier: product))
        let reply = try await services.call(PaymentEndpoints.addPayment, request, context: context)
        guard reply.transaction.transactionState == .purchased else { throw NotSold(transaction: reply.transaction) }
        return reply.transaction
    }

    func finish(_ id: String, of customer: String) async throws {
        let request = TransactionRequest(
            bundleId: bundleId, customerIdentifier: customer, deviceId: Self.device, id: id)
        _ = try await services.call(PaymentEndpoints.finishTransaction, request, context: context)
    }

    func eligibility(_ request: EligibilityRequest) async throws -> EligibilityReply {
        try await services.call(EligibilityEndpoints.check, request)
    }

    private var context: CallContext { CallContext(deadline: .now + Self.patience) }
}

/// A purchase that the benchmark rests on has not come to pass.
struct NotSold: Error, CustomStringConvertible {
    let transaction: PaymentTransaction
    var description: String { "not sold: \(transaction)" }
}
