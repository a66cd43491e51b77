import StoreModels

/// Decides what happens at the payment sheet of a purchase that could go ahead, from what the tester is set to do. No
/// I/O, and nothing is charged before it says so.
///
/// The shopper signs in (M36; a person may be asked to), the store may fail the purchase, the shopper answers the sheet
/// (M32, M140), the purchase may be interrupted, and then a parent may have to agree (M29).
enum PaymentSheetPolicy {
    enum Outcome: Hashable, Sendable {
        case pay
        /// Whose answers come first, in this order; never empty. An `interrupted` is always the last: with it the
        /// purchase fails, and what comes after it is decided when it is resolved.
        case ask([Prompt.Kind])
        case fail(TransactionError)
    }

    /// - Parameters:
    ///   - tester: the account's settings over all defaults.
    ///   - asksToBuy: the payment itself wants a parent to be asked.
    static func decide(tester: TesterSettings, asksToBuy: Bool) -> Outcome {
        if let error = signInFailure(tester.signIn ?? .ok)?.dueTo("signIn") ?? simulatedFailure(tester) {
            return .fail(error)
        }
        var asks: [Prompt.Kind] = tester.signIn == .interactive ? [.signIn] : []
        switch tester.sheet ?? .auto {
        case .auto, .approve: break
        case .cancel: return .fail(cancelled.dueTo("sheet"))
        case .decline(let code): return .fail(declined(code).dueTo("sheet"))
        case .interactive: asks.append(.sheet)
        }
        if tester.interruptPurchases == true { return .ask(asks + [.interrupted]) }
        if asksToBuy || tester.askToBuy == true { asks.append(.askToBuy) }
        return asks.isEmpty ? .pay : .ask(asks)
    }

    /// As ``decide(tester:asksToBuy:)``, for a purchase that was interrupted and goes on: the shopper has signed in and
    /// agreed before, only a parent is left.
    static func decideAgain(tester: TesterSettings, asksToBuy: Bool) -> Outcome {
        asksToBuy || tester.askToBuy == true ? .ask([.askToBuy]) : .pay
    }

    /// What a prompt of this kind can be answered with. A parent agrees or does not; only the shopper cancels; what has
    /// failed already cannot be declined.
    static func answers(to kind: Prompt.Kind) -> [Prompt.Answer] {
        switch kind {
        case .askToBuy: [.approve, .decline]
        case .interrupted: [.approve, .cancel]
        case .sheet, .signIn, .appPurchase: [.approve, .cancel, .decline]
        case .storefrontChange, .priceConsent: [.approve, .decline]
        }
    }

    /// What an interrupted purchase fails with.
    static let interrupted = TransactionError(
        .unknown, "The purchase was interrupted; it goes on when what has interrupted it is resolved.",
        reason: "interrupted"
    ).dueTo("interruptPurchases")

    /// The failure a person's answer ends the purchase with.
    /// - Parameter error: With `decline`, the error the operator chose.
    /// - Returns: Nil for `approve`.
    static func failure(
        of answer: Prompt.Answer, to kind: Prompt.Kind, error: SKErrorCode?
    ) -> TransactionError? {
        switch answer {
        case .approve: nil
        case .cancel: cancelled
        case .decline where kind == .askToBuy:
            TransactionError(error ?? .unknown, "The purchase was not approved by a parent or guardian.")
        case .decline where kind == .storefrontChange:
            TransactionError(
                error ?? .storeProductNotAvailable, "The app does not go on with the purchase in the new storefront.",
                reason: "storefrontChanged")
        case .decline where kind == .signIn: TransactionError(error ?? .unknown, "Signing in to the account failed.")
        case .decline: declined(error ?? .unknown)
        }
    }

    private static let cancelled = TransactionError(.paymentCancelled, "The shopper cancelled the payment.")

    private static func declined(_ code: SKErrorCode) -> TransactionError {
        TransactionError(code, "The payment was declined at the payment sheet.")
    }

    private static func signInFailure(_ signIn: TesterSettings.SignIn) -> TransactionError? {
        switch signIn {
        case .ok, .interactive: nil
        case .fails: TransactionError(.unknown, "Signing in to the account failed.")
        case .cancelled: TransactionError(.paymentCancelled, "The shopper cancelled signing in.")
        }
    }

    private static func simulatedFailure(_ tester: TesterSettings) -> TransactionError? {
        tester.simulatedErrors?.purchase.map {
            SimulatedError.failure($0, "The purchase failed with the error the tester is set to meet.")
                .dueTo("simulatedErrors.purchase")
        }
    }
}
