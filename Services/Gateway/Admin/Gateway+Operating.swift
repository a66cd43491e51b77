import BusService
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    /// Routes by which the operator approves, declines, resolves, redelivers or deletes a transaction.
    var operatingRoutes: [Route] {
        [
            forward(
                TransactionRoutes.approve, to: PaymentEndpoints.approveTransaction, else: .sameAgainTells
            ) { call, _ in OperateTransactionRequest(try call.transaction()) },
            forward(TransactionRoutes.decline, to: PaymentEndpoints.declineTransaction, else: .sameAgainTells) {
                OperateTransactionRequest(try $0.transaction(), error: $1.error?.code)
            },
            forward(
                TransactionRoutes.resolve, to: PaymentEndpoints.resolveTransaction, else: .sameAgainTells
            ) { call, _ in OperateTransactionRequest(try call.transaction()) },
            forward(
                TransactionRoutes.redeliver, to: PaymentEndpoints.redeliverTransaction,
                else:
                    "the request was sent and its outcome is not known here; repeating it delivers once more"
            ) { call, _ in try call.transaction() },
            forward(TransactionRoutes.delete, to: PaymentEndpoints.deleteTransaction, else: .sameAgainTells) {
                try $0.transaction()
            },
        ]
    }
}
