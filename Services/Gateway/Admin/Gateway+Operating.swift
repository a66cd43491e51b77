import BusService
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    /// Routes by which the operator approves, declines, resolves, redelivers or deletes a transaction.
    var operatingRoutes: [Route] {
        [
            Route(TransactionRoutes.approve) { [self] in
                try await operate($0, PaymentEndpoints.approveTransaction)
            },
            Route(TransactionRoutes.decline) { [self] in
                let body = try await $0.body(of: TransactionRoutes.decline)
                return try await answer($0, PaymentEndpoints.declineTransaction, error: body.error?.code)
            },
            Route(TransactionRoutes.resolve) { [self] in
                try await operate($0, PaymentEndpoints.resolveTransaction)
            },
            Route(TransactionRoutes.redeliver) { [self] in try await redeliver($0) },
            Route(TransactionRoutes.delete) { [self] in
                let transaction = try $0.scoped(.id, of: "transaction")
                _ = try await operated($0, PaymentEndpoints.deleteTransaction, transaction)
                return .noContent
            },
        ]
    }

    /// Runs an operation that takes no body.
    private func operate(
        _ call: Call, _ endpoint: Endpoint<OperateTransactionRequest, PaymentTransaction>
    ) async throws -> PaymentTransaction {
        _ = try await call.body(Empty.self, isOptional: true)
        return try await answer(call, endpoint)
    }

    /// Runs an operation and responds with the transaction. A repeated request gets the state the first one led to.
    private func answer(
        _ call: Call, _ endpoint: Endpoint<OperateTransactionRequest, PaymentTransaction>, error: SKErrorCode? = nil
    ) async throws -> PaymentTransaction {
        try await operated(
            call, endpoint, OperateTransactionRequest(try call.scoped(.id, of: "transaction"), error: error))
    }

    /// Gives an unfinished transaction to the app's observers once more. A repeated request does so again.
    private func redeliver(_ call: Call) async throws -> PaymentTransaction {
        _ = try await call.body(of: TransactionRoutes.redeliver)
        let transaction = try call.scoped(.id, of: "transaction")
        return try await withKnownOutcome(
            else: "the request was sent and its outcome is not known here; the same again delivers it once more"
        ) { () async throws(StoreError) in
            try await services.call(PaymentEndpoints.redeliverTransaction, transaction, context: call.context())
        }
    }

    /// Sends an operation on the transaction that the path names.
    /// - Throws: `outcomeUnknown` when the request was sent but no reply says whether it took effect; it is safe to
    ///   repeat.
    private func operated<Request, Answer>(
        _ call: Call, _ endpoint: Endpoint<Request, Answer>, _ request: Request
    ) async throws -> Answer {
        try await withKnownOutcome(
            else: "the request was sent and its outcome is not known here; the same again tells"
        ) { () async throws(StoreError) in try await services.call(endpoint, request, context: call.context()) }
    }
}
