import StoreModels

/// Decides from the tester's settings how the payment sheet goes on, without I/O.
///
/// The charge waits for its consent. First the shopper signs in (M36, and an operator may be asked to). Then the store
/// may fail the purchase, the shopper answers the sheet (M32, M140), and the purchase may be interrupted. Last, a
/// parent may have to agree (M29).
enum PaymentSheetPolicy {
    enum Outcome: Hashable, Sendable {
        case pay
        /// The answers that come first, in this order. Never empty.
        ///
        /// An `interrupted` is always the last: the purchase fails with it, and resolving it decides how it goes on.
        case ask([Prompt.Kind])
        case fail(TransactionError)
    }

    /// Decides about a new purchase.
    /// - Parameters:
    ///   - tester: The account's settings over all defaults.
    ///   - asksToBuy: Whether the payment itself asks for a parent.
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

    /// Decides about an interrupted purchase that continues. Only a parent may still be asked.
    static func decideAgain(tester: TesterSettings, asksToBuy: Bool) -> Outcome {
        asksToBuy || tester.askToBuy == true ? .ask([.askToBuy]) : .pay
    }

    /// Returns the answers a prompt accepts.
    ///
    /// A parent agrees or refuses, and only the shopper cancels. A purchase that has failed cannot be declined.
    static func answers(to kind: Prompt.Kind) -> [Prompt.Answer] {
        switch kind {
        case .askToBuy: [.approve, .decline]
        case .interrupted: [.approve, .cancel]
        case .sheet, .signIn, .appPurchase: [.approve, .cancel, .decline]
        case .storefrontChange, .priceConsent: [.approve, .decline]
        }
    }

    /// The failure of an interrupted purchase.
    static let interrupted = TransactionError(
        .unknown, "The purchase was interrupted; it continues when the interruption is resolved.",
        reason: TransactionError.interrupted
    ).dueTo("interruptPurchases")

    /// Returns the failure with which an answer ends the purchase.
    /// - Parameter error: The error the operator chose, with `decline` only.
    /// - Returns: The failure, or nil for `approve`.
    static func failure(
        of answer: Prompt.Answer, to kind: Prompt.Kind, error: SKErrorCode?
    ) -> TransactionError? {
        switch answer {
        case .approve: nil
        case .cancel: cancelled
        case .decline where kind == .askToBuy:
            TransactionError(
                error ?? .unknown, "The purchase was not approved by a parent or guardian.", reason: "declinedByParent")
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

    /// Returns the failure of a shopper who does not get signed in.
    static func signInFailure(_ signIn: TesterSettings.SignIn) -> TransactionError? {
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
