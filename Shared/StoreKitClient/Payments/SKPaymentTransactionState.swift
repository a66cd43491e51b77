internal import StoreModels

extension SKPaymentTransactionState {
    init(_ model: TransactionState) {
        self =
            switch model {
            case .purchasing: .purchasing
            case .purchased: .purchased
            case .failed: .failed
            case .restored: .restored
            case .deferred: .deferred
            }
    }
}
