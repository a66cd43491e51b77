import StoreModels

/// Decides without I/O whether a restore fails, and which transactions it creates.
///
/// See M38 to M42, R1, R2 and R4. A restore never charges.
enum RestoreRules {
    /// Returns the failure of a restore, which then restores nothing.
    /// - Returns: The failure, or nil when the restore goes ahead.
    static func failure(tester: TesterSettings) -> TransactionError? {
        switch tester.signIn ?? .ok {
        // A restore creates no prompt; the launch that delivers what it restored does.
        case .ok, .interactive: break
        case .fails: return TransactionError(.unknown, "Signing in to the account failed.")
        case .cancelled: return TransactionError(.paymentCancelled, "The shopper cancelled signing in.")
        }
        guard let name = tester.simulatedErrors?.restore else { return nil }
        return SimulatedError.failure(name, "Restoring failed with the error the tester is set to meet.")
    }

    /// Tells whether a restore brings a purchase back: finished non-consumables and auto-renewables that were not
    /// revoked.
    ///
    /// Consumables are used up, and the app restores non-renewing subscriptions itself (M39, M43). An unfinished
    /// purchase is still in the queue.
    /// - Parameters:
    ///   - original: The first transaction of the product or the subscription.
    ///   - subscription: The subscription's state. Unless it is revoked, the subscription comes back, even when its
    ///     first period was taken back.
    static func restores(
        _ type: ProductType, _ original: PaymentTransaction, isFinished: Bool = true,
        subscription: SubscriptionState? = nil
    ) -> Bool {
        guard type.isRestorable, original.transactionState == .purchased, isFinished else { return false }
        return subscription.map { $0 != .revoked } ?? (original.revocationDate == nil)
    }

    /// Makes a restored transaction with its original (M26, M41), at revision 1.
    /// - Parameters:
    ///   - id: The new transaction's `id`.
    ///   - transactionIdentifier: The new transaction's identifier.
    ///   - expiresDate: The instant until which the subscription gives access now. Nil for a non-consumable.
    static func restored(
        _ original: PaymentTransaction, id: String, transactionIdentifier: String, at now: Timestamp,
        expiresDate: Timestamp?, deviceId: String
    ) -> PaymentTransaction {
        with(
            PaymentTransaction(
                id: id, transactionIdentifier: transactionIdentifier, transactionState: .restored, transactionDate: now,
                payment: original.payment,
                downloads: original.downloads.map { content in
                    Download(
                        id: Identifiers.download(of: id), transactionId: id, state: .waiting,
                        contentIdentifier: content.contentIdentifier, contentVersion: content.contentVersion,
                        contentLength: content.contentLength)
                }, revision: 1, originDeviceId: deviceId)
        ) {
            $0.original = OriginalTransaction(original)
            $0.originalTransactionIdentifier = original.transactionIdentifier
            $0.expiresDate = expiresDate
        }
    }
}
