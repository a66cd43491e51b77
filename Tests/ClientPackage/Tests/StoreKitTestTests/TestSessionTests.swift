import StoreKitTest
import StoreKitTesting
import Testing

/// Goal: code written for Apple's SKTestSession finds the same here, without waiting for anything after a member of it.
// The trait keeps the suites of StoreTraitTests away. The sessions are the tests' own, as on Apple's systems.
@Suite(.serialized, .store("App"), .timeLimit(.minutes(2))) struct TestSessionTests {
    private static let (beaches, spots) = ("com.example.hiddenBeaches", "com.example.fishingHotSpots")
    private static let (monthly, yearly) = ("com.example.pro.monthly", "com.example.pro.yearly")

    private let session: SKTestSession

    init() throws {
        session = try SKTestSession(configurationFileNamed: "App")
        session.resetToDefaultState()
        session.clearTransactions()
        session.disableDialogs = true
    }

    private func product(_ id: String) async throws -> Product {
        try #require(try await Product.products(for: [id]).first)
    }

    private func buy(_ id: String) async throws -> Transaction {
        guard case .success(.verified(let transaction)) = try await product(id).purchase() else {
            throw SKTestError(.invalidAction, "not bought")
        }
        return transaction
    }

    private var waiting: SKTestTransaction? { session.allTransactions().first { $0.pendingAskToBuyConfirmation } }
    private var stopped: SKTestTransaction? { session.allTransactions().first { $0.hasPurchaseIssue } }

    private func entitlements() async -> [String] {
        var list: [String] = []
        for await result in Transaction.currentEntitlements { list.append(result.unsafePayloadValue.productID) }
        return list.sorted()
    }

    @Test func `a purchase of the app is verified and listed, and a cleared history is empty`() async throws {
        let transaction = try await buy(Self.beaches)
        #expect(transaction.productID == Self.beaches)
        #expect(await entitlements() == [Self.beaches])
        let listed = try #require(session.allTransactions().first)
        #expect(listed.identifier == UInt(transaction.id))
        #expect(listed.productIdentifier == Self.beaches)
        #expect(listed.state == .purchased)
        session.clearTransactions()
        #expect(session.allTransactions().isEmpty)
        #expect(await entitlements().isEmpty)
    }

    @Test func `products are in the session's language, with the storefront's prices`() async throws {
        session.locale = Locale(identifier: "fr_FR@currency=EUR")
        let french = try await product(Self.beaches)
        #expect(french.displayName == "Plages secrètes")
        #expect(french.displayPrice == "$0.99")
        session.resetToDefaultState()
        #expect(session.locale == Locale(identifier: "en_US"))
        #expect(try await product(Self.beaches).displayName == "Hidden Beaches")
    }

    @Test func `a purchase outside the app comes by updates`() async throws {
        var updates = Transaction.updates.makeAsyncIterator()
        let token = UUID()
        let bought = try await session.buyProduct(
            identifier: Self.spots, options: [.appAccountToken(token), .quantity(3)])
        #expect(bought.purchasedQuantity == 3)
        #expect(bought.appAccountToken == token)
        #expect(await updates.next()?.unsafePayloadValue.id == bought.id)
        try session.buyProduct(productIdentifier: Self.beaches)
        #expect(await entitlements() == [Self.beaches])
        #expect(throws: SKTestError.self) { try session.buyProduct(productIdentifier: "none") }
    }

    @Test func `a subscription that was bought in the past has renewed since, or has ended`() async throws {
        let date = try session.clock.now().addingTimeInterval(-70 * 86_400)
        let bought = try await session.buyProduct(identifier: Self.monthly, options: [.purchaseDate(date)])
        #expect(abs(bought.purchaseDate.timeIntervalSince(date)) < 1)
        #expect(session.allTransactions().count == 3)
        #expect(await entitlements() == [Self.monthly])
        session.clearTransactions()
        _ = try await session.buyProduct(
            identifier: Self.monthly, options: [.purchaseDate(date, renewalBehavior: .cancelImmediately)])
        #expect(session.allTransactions().count == 1)
        #expect(await entitlements().isEmpty)
    }

    @Test func `a parent approves or declines`() async throws {
        session.askToBuyEnabled = true
        #expect(session.askToBuyEnabled)
        for isApproved in [true, false] {
            guard case .pending = try await product(Self.spots).purchase() else {
                Issue.record("it does not wait for a parent")
                return
            }
            let waiting = try #require(self.waiting)
            #expect(waiting.state == .deferred)
            if isApproved {
                var updates = Transaction.updates.makeAsyncIterator()
                try session.approveAskToBuyTransaction(identifier: waiting.identifier)
                #expect(await updates.next()?.unsafePayloadValue.productID == Self.spots)
            } else {
                try session.declineAskToBuyTransaction(identifier: waiting.identifier)
            }
            #expect(self.waiting == nil)
        }
        #expect(throws: SKTestError.self) { try session.approveAskToBuyTransaction(identifier: 77) }
    }

    @Test func `an interrupted purchase is resolved`() async throws {
        session.interruptedPurchasesEnabled = true
        guard case .pending = try await product(Self.spots).purchase() else {
            Issue.record("it is not interrupted")
            return
        }
        let stopped = try #require(self.stopped)
        try session.resolveIssueForTransaction(identifier: stopped.identifier)
        #expect(self.stopped == nil)
        #expect(session.allTransactions().last?.state == .purchased)
    }

    @Test func `purchases and requests fail with the error that was set`() async throws {
        session.failTransactionsEnabled = true
        session.failureError = .paymentNotAllowed
        await #expect(throws: Product.PurchaseError.purchaseNotAllowed) { try await buy(Self.spots) }
        session.failTransactionsEnabled = false
        let spots = try await product(Self.spots)
        try await session.setSimulatedError(.generic(.networkError(URLError(.timedOut))), forAPI: .loadProducts)
        try await session.setSimulatedError(.purchase(.ineligibleForOffer), forAPI: .purchase)
        #expect(await session.simulatedError(forAPI: .purchase) == .purchase(.ineligibleForOffer))
        await #expect(throws: StoreKitError.self) { try await Product.products(for: [Self.spots]) }
        await #expect(throws: Product.PurchaseError.ineligibleForOffer) { try await spots.purchase() }
        session.resetToDefaultState()
        #expect(await session.simulatedError(forAPI: .purchase) == nil)
        _ = try await buy(Self.spots)
    }

    @Test func `an error that an earlier session has set is gone with the next one`() async throws {
        let earlier = try SKTestSession(configurationFileNamed: "App")
        try await earlier.setSimulatedError(.purchase(.ineligibleForOffer), forAPI: .purchase)
        _ = try SKTestSession(configurationFileNamed: "App")
        _ = try await buy(Self.spots)
    }

    @Test func `what cannot be verified is listed unverified`() async throws {
        _ = try await buy(Self.beaches)
        try await session.setSimulatedError(.verification(.invalidSignature), forAPI: .verification)
        let result = try #require(await Transaction.latest(for: Self.beaches))
        guard case .unverified(let transaction, let error) = result else {
            Issue.record("it is verified")
            return
        }
        #expect(error == .invalidSignature)
        #expect(transaction.productID == Self.beaches)
        try await session.setSimulatedError(nil, forAPI: .verification)
        #expect(try #require(await Transaction.latest(for: Self.beaches)).payloadValue.id == transaction.id)
    }

    @Test func `a refund revokes at once`() async throws {
        let transaction = try await buy(Self.beaches)
        await transaction.finish()
        var updates = Transaction.updates.makeAsyncIterator()
        try session.refundTransaction(identifier: UInt(transaction.id))
        #expect(await entitlements().isEmpty)
        #expect(await updates.next()?.unsafePayloadValue.revocationDate != nil)
        #expect(session.allTransactions().first?.cancelDate != nil)
        try session.deleteTransaction(identifier: UInt(transaction.id))
        #expect(session.allTransactions().isEmpty)
        #expect(throws: SKTestError.self) { try session.refundTransaction(identifier: 2) }
    }

    @Test func `a subscription renews, is cancelled and expires`() async throws {
        var statuses = Product.SubscriptionInfo.Status.updates.makeAsyncIterator()
        let first = try await buy(Self.monthly)
        try session.forceRenewalOfSubscription(productIdentifier: Self.monthly)
        let renewed = try #require(await Transaction.latest(for: Self.monthly)).payloadValue
        #expect(renewed.id != first.id)
        #expect(renewed.originalID == first.id)
        #expect(renewed.reason == .renewal)
        try session.disableAutoRenewForTransaction(identifier: UInt(renewed.id))
        let renewing = session.allTransactions().filter { $0.autoRenewingEnabled }
        #expect(renewing.isEmpty)
        try session.enableAutoRenewForTransaction(identifier: UInt(renewed.id))
        let group = try #require(renewed.subscriptionGroupID)
        #expect(try await Product.SubscriptionInfo.status(for: group).first?.state == .subscribed)
        try session.expireSubscription(productIdentifier: Self.monthly)
        #expect(try await Product.SubscriptionInfo.status(for: group).first?.state == .expired)
        #expect(await entitlements().isEmpty)
        while let status = await statuses.next(), status.state != .expired {}
        #expect(throws: SKTestError.self) { try session.expireSubscription(productIdentifier: Self.yearly) }
    }

    @Test func `a rate shortens periods, and failing renewals lead to grace or billing retry`() async throws {
        session.timeRate = .oneRenewalEveryThirtySeconds
        #expect(session.timeRate == .oneRenewalEveryThirtySeconds)
        session.shouldEnterBillingRetryOnRenewal = true
        for hasGrace in [true, false] {
            session.clearTransactions()
            session.billingGracePeriodIsEnabled = hasGrace
            let bought = try await buy(Self.monthly)
            let length = try #require(bought.expirationDate).timeIntervalSince(bought.purchaseDate)
            #expect(length <= 30)
            try session.forceRenewalOfSubscription(productIdentifier: Self.monthly)
            let status = try await Product.SubscriptionInfo.status(for: try #require(bought.subscriptionGroupID))
            #expect(status.first?.state == (hasGrace ? .inGracePeriod : .inBillingRetryPeriod))
        }
    }

    @Test func `the customer agrees to a higher price, or refuses it`() async throws {
        let bought = try await buy(Self.monthly)
        let number = UInt(bought.id)
        try session.requestPriceIncreaseConsentForTransaction(identifier: number)
        #expect(session.allTransactions().first?.isPendingPriceIncreaseConsent == true)
        try session.consentToPriceIncreaseForTransaction(identifier: number)
        #expect(session.allTransactions().first?.isPendingPriceIncreaseConsent == false)
        #expect(throws: SKTestError.self) { try session.declinePriceIncreaseForTransaction(identifier: number) }
    }

    @Test func `the app's server gets a notification of each change`() async throws {
        let bought = try await buy(Self.monthly)
        try session.forceRenewalOfSubscription(productIdentifier: Self.monthly)
        let renewed = try #require(await Transaction.latest(for: Self.monthly)).payloadValue
        try session.refundTransaction(identifier: UInt(renewed.id))
        let notifications = try await session.notifications
        #expect(
            notifications.map { [$0.notificationType, $0.subtype].compactMap(\.self) } == [
                ["SUBSCRIBED", "INITIAL_BUY"], ["DID_RENEW"],
                ["DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED"], ["REFUND"],
            ])
        #expect(notifications.map { $0.transaction?.id } == [bought.id, renewed.id, renewed.id, renewed.id])
        #expect(notifications.map { $0.renewalInfo?.willAutoRenew } == [true, true, false, false])
        #expect(notifications.last?.transaction?.revocationDate != nil)
        let parts = notifications.map { $0.signedPayload.split(separator: ".").count }
        #expect(parts == [3, 3, 3, 3])
        #expect(Set(notifications.map(\.notificationUUID)).count == 4)
        session.clearTransactions()
        #expect(try await session.notifications.isEmpty)
        try session.buyProduct(productIdentifier: Self.beaches)
        #expect(try await session.notifications.map(\.notificationType) == ["ONE_TIME_CHARGE"])
    }

    @Test func `the storefront moves, and the clock`() async throws {
        _ = try await product(Self.spots)
        session.storefront = "FRA"
        #expect(session.storefront == "FRA")
        #expect(await Storefront.current?.countryCode == "FRA")
        #expect(try await product(Self.spots).priceFormatStyle.currencyCode == "EUR")
        _ = try await buy(Self.monthly)
        try session.clock.advance(by: .seconds(40 * 86_400))
        #expect(session.allTransactions().count >= 2)
        #expect(!session.store.name.isEmpty)
        #expect(session.seed >= 0)
    }

    @Test func `a file that is missing or no file is Apple's error`() throws {
        let missing = #expect(throws: SKTestError.self) { try SKTestSession(configurationFileNamed: "None") }
        #expect(missing?.code == .fileNotFound)
        let web = try #require(URL(string: "https://example.com/App.storekit"))
        #expect(throws: SKTestError(.invalidURL, "https://example.com/App.storekit is not the URL of a file")) {
            try SKTestSession(contentsOf: web)
        }
    }
}
