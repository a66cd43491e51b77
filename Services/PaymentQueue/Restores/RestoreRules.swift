import StoreModels

/// Decides what a restore does, without I/O: whether it fails at the sign-in, what it restores, and what a restored
/// transaction looks like (M38 to M42; R1, R2, R4). Nothing here knows the processor: a restore never charges.
enum RestoreRules {
    /// The error the restore fails with, and then nothing is restored; nil lets it go ahead.
    static func failure(tester: TesterSettings) -> TransactionError? {
        switch tester.signIn ?? .ok {
        // A restore raises no prompt: the next launch that brings what it restored does.
        case .ok, .interactive: break
        case .fails: return TransactionError(.unknown, "Signing in to the account failed.")
        case .cancelled: return TransactionError(.paymentCancelled, "The shopper cancelled signing in.")
        }
        guard let name = tester.simulatedErrors?.restore else { return nil }
        return SimulatedError.failure(name, "Restoring failed with the error the tester is set to meet.")
    }

    /// Whether a customer's purchase comes back when they restore: non-consumables and auto-renewables that were not
    /// revoked. Consumables are used up, and non-renewing subscriptions are the app's own business (M39, M43). What is
    /// not finished is in the queue already, and comes by itself.
    ///
    /// - Parameters:
    ///   - original: The first transaction of the product or the subscription.
    ///   - subscription: Its state; one that runs comes back also where its first period was taken back.
    static func restores(
        _ type: ProductType, _ original: PaymentTransaction, isFinished: Bool = true,
        subscription: SubscriptionState? = nil
    ) -> Bool {
        guard type.isRestorable, original.transactionState == .purchased, isFinished else { return false }
        return subscription.map { $0 != .revoked } ?? (original.revocationDate == nil)
    }

    /// A transaction of its own that carries the original (M26, M41), born restored at revision 1.
    ///
    /// - Parameters:
    ///   - id, transactionIdentifier: new ones.
    ///   - expiresDate: The instant until which the subscription gives access now; nil for a non-consumable.
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
