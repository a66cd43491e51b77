internal import StoreHTTP
internal import StoreModels

/// The store as the app sees it.
public enum AppStore: Sendable {
    /// Whether the customer may pay, as ``SKPaymentQueue/canMakePayments()`` says.
    public static var canMakePayments: Bool { SKPaymentQueue.current.canMakePayments }

    /// The device's identifier in signed data. Nil when the store cannot be asked. The first call waits for it.
    public static var deviceVerificationID: UUID? {
        let core = SKPaymentQueue.current.core
        let session = core.sessions.waitForFirst(core.timing.firstSessionWait)
        return session.flatMap { UUID(uuidString: $0.deviceVerificationId) }
    }

    /// Forgets what was read of the customer's purchases, here and in the store. Nothing is delivered again.
    /// The customer need not sign in, because the connection names the account.
    /// - Throws: ``StoreKitError``
    public static func sync() async throws { try await SKPaymentQueue.current.core.sync() }

    /// Returns at once: the operator manages the customer's subscriptions. The anchor has no effect.
    @MainActor public static func showManageSubscriptions(in anchor: some AnyObject) async throws {
        try SKPaymentQueue.current.startedCore?.failIfSimulated(.manageSubscriptions)
    }

    /// Returns at once: the operator manages the customer's subscriptions. The anchor has no effect.
    @MainActor public static func showManageSubscriptions(
        in anchor: some AnyObject, subscriptionGroupID: String
    ) async throws {
        try SKPaymentQueue.current.startedCore?.failIfSimulated(.manageSubscriptions)
    }

    /// Lets the customer redeem an offer code. ``Transaction/updates`` has the transaction.
    ///
    /// The customer is ``StoreConnection/enterOfferCode``. Without a code, or with one that the store refuses, the sheet
    /// counts as dismissed, and the reason is in the connection's log. The anchor has no effect.
    /// - Throws: ``StoreKitError``
    @MainActor public static func presentOfferCodeRedeemSheet(in anchor: some AnyObject) async throws {
        try await SKPaymentQueue.current.core.presentRedemption()
    }

    /// Lets the customer redeem an offer code, as ``presentOfferCodeRedeemSheet(in:)`` does, and returns the transaction.
    /// - Throws: ``StoreKitError``. It is `userCancelled` when no code was redeemed, and when a parent is asked first.
    @MainActor public static func presentOfferCodeRedeemSheet(
        from anchor: some AnyObject, options: Set<RedeemOption> = []
    ) async throws -> VerificationResult<Transaction> {
        try await SKPaymentQueue.current.core.redemption()
    }

    /// Does nothing: this store has no reviews.
    @MainActor public static func requestReview(in anchor: some AnyObject) {}

    /// Returns at once: this store has no merchandising.
    @MainActor public static func presentMerchandising(
        _ kind: AppStoreMerchandisingKind, from anchor: some AnyObject
    ) async throws -> AppStoreMerchandisingKind.PresentationResult { .dismissed }

    /// The environments of signed data.
    public struct Environment: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Real money.
        public static let production = Environment(rawValue: AppStoreEnvironment.production.rawValue)
        /// Test money.
        public static let sandbox = Environment(rawValue: AppStoreEnvironment.sandbox.rawValue)
        /// Tests.
        public static let xcode = Environment(rawValue: AppStoreEnvironment.xcode.rawValue)
    }

    /// The platforms of an app's first download.
    public struct Platform: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        /// iPhone and iPad.
        public static let iOS = Platform(rawValue: "iOS")
        /// Mac.
        public static let macOS = Platform(rawValue: "macOS")
        /// Apple TV.
        public static let tvOS = Platform(rawValue: "tvOS")
        /// Apple Vision.
        public static let visionOS = Platform(rawValue: "visionOS")
        /// An organisation's purchase. This store has none.
        public static let managed = Platform(rawValue: "managed")
    }
}

/// A kind of merchandising for an app's products. The store shows none.
public struct AppStoreMerchandisingKind: Sendable {
    private let groupID: String

    /// The bundle of a subscription group.
    public static func subscriptionBundle(_ groupID: String) -> AppStoreMerchandisingKind { .init(groupID: groupID) }

    /// The outcome of showing it.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive(warn)
    #endif
    public enum PresentationResult: Sendable {
        case dismissed
        case purchaseCompleted(Product.PurchaseResult)
    }
}

extension QueueCore {
    /// Lets the customer redeem an offer code. The stream delivers the transaction.
    @concurrent func presentRedemption() async throws {
        guard let code = try await enteredCode() else { return }
        do {
            let key = UUID().uuidString.lowercased()
            let response = try await call.send(
                HTTPCall(OfferCodeRoutes.redeem, [.code: code], body: CodeRedemption(), key: key))
            let transaction = try response.body(of: OfferCodeRoutes.redeem).transaction
            if transaction.transactionState == .failed {
                reportUnredeemed(transaction.error?.localizedDescription ?? "the purchase failed")
            }
        } catch {
            guard !isRefusal(error) else { return }
            throw StoreKitError(cause: error)
        }
    }

    /// Lets the customer redeem an offer code, and returns the transaction.
    @concurrent fileprivate func redemption() async throws -> VerificationResult<Transaction> {
        guard let code = try await enteredCode() else { throw StoreKitError.userCancelled }
        // The purchase goes on when the caller's task is cancelled.
        let result = try await StoreKitError.catching { () async throws -> Product.PurchaseResult in
            do {
                return try await Task { @concurrent in try await self.redeem(code) }.value
            } catch StoreKitError.systemError(let error) where isRefusal(error) {
                return .userCancelled
            }
        }
        guard case .success(let transaction) = result else { throw StoreKitError.userCancelled }
        return transaction
    }

    /// Asks the customer for a code.
    /// - Returns: Nil when the customer enters none.
    private func enteredCode() async throws -> String? {
        try failIfSimulated(.offerCodeRedeem)
        if let enter = connection.enterOfferCode { return await enter().flatMap { $0.isEmpty ? nil : $0 } }
        guard let entered = ProcessInfo.processInfo.environment["STOREBUS_OFFER_CODE"], !entered.isEmpty else {
            StoreConnection.warn(
                "no offer code was entered: set StoreConnection.enterOfferCode or STOREBUS_OFFER_CODE", connection)
            return nil
        }
        return entered
    }

    /// Tells whether the store has refused a code, and reports the reason.
    private func isRefusal(_ error: any Error) -> Bool {
        let refusals: [StoreErrorCode] = [.notFound, .codeSpent, .codeExpired, .codeRedeemed, .codeIneligible]
        guard let problem = error as? StoreProblem, refusals.contains(where: { $0.name == problem.code }) else {
            return false
        }
        reportUnredeemed(problem.detail)
        return true
    }

    private func reportUnredeemed(_ reason: String) {
        StoreConnection.warn("the offer code was not redeemed: \(reason)", connection)
    }

    /// Forgets what was read, here and in the store.
    @concurrent func sync() async throws {
        try await StoreKitError.catching {
            try failIfSimulated(.appStoreSync)
            _ = try await gateway.send(HTTPCall(SessionRoutes.sync, body: Empty())).checked()
            lists.withLock { $0 = SignedLists() }
        }
    }
}

/// A wish for redeeming an offer code. There are none.
public struct RedeemOption: Hashable, Sendable {}
