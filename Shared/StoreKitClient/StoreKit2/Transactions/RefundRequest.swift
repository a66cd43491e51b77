internal import StoreHTTP
internal import StoreModels

extension Transaction {
    /// The reason why a request for a refund was not filed.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive(warn)
    #endif
    public enum RefundRequestError: Error, Hashable, LocalizedError {
        case duplicateRequest, failed, ineligible

        /// The failure, in a sentence.
        public var errorDescription: String? { "The refund could not be requested." }
        /// Why it has failed.
        public var failureReason: String? {
            switch self {
            case .duplicateRequest: "A refund was requested before."
            case .ineligible: "The transaction cannot be refunded."
            case .failed: nil
            }
        }
        /// The remedy, in a sentence.
        public var recoverySuggestion: String? { nil }
    }

    /// The outcome of a request for a refund.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive(warn)
    #endif
    public enum RefundRequestStatus: Hashable, Sendable {
        /// The request is filed. The operator decides about it.
        case success
        case userCancelled
    }

    /// Files the customer's request for a refund of this transaction, with the queue that it comes from. The anchor has
    /// no effect.
    /// - Throws: ``RefundRequestError`` or ``StoreKitError``
    @MainActor public func beginRefundRequest(in anchor: some AnyObject) async throws -> RefundRequestStatus {
        guard let core = claims.owner.core else { throw RefundRequestError.failed }
        return try await core.requestRefund(of: id)
    }

    /// Files the customer's request for a refund of a transaction. The anchor has no effect.
    /// - Throws: ``RefundRequestError`` or ``StoreKitError``
    @MainActor public static func beginRefundRequest(
        for transactionID: UInt64, in anchor: some AnyObject
    ) async throws -> RefundRequestStatus {
        try await SKPaymentQueue.current.core.requestRefund(of: transactionID)
    }
}

extension QueueCore {
    /// Files a request for a refund.
    @concurrent func requestRefund(of number: UInt64) async throws -> Transaction.RefundRequestStatus {
        try failIfSimulated(.refundRequest)
        do {
            let request = HTTPCall(TransactionRoutes.requestRefund, [.id: "\(number)"], body: NewRefundRequest())
            _ = try await gateway.send(request).checked()
            return .success
        } catch let problem as StoreProblem where problem.status == 409 {
            throw problem.refundRequestIdentifier != nil
                ? Transaction.RefundRequestError.duplicateRequest : Transaction.RefundRequestError.ineligible
        } catch let error as URLError {
            throw StoreKitError.networkError(error)
        } catch {
            connection.log?("a refund could not be requested: \(type(of: error))")
            throw Transaction.RefundRequestError.failed
        }
    }
}
