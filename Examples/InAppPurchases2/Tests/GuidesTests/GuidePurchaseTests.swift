import Guides
import StoreKitTesting
import Testing

@Suite(.store("App.storekit"), .timeLimit(.minutes(3))) @MainActor struct GuidePurchaseTests {
    private let session: SKTestSession

    init() throws { session = try .current }

    @Test func `a purchase unlocks a guide, also at the next launch`() async throws {
        let store = try await launch()
        #expect(try await store.buy(store.product(beaches)) == .bought)
        #expect(store.owned == [beaches])
        for await _ in Transaction.unfinished { Issue.record("it is not finished") }
        #expect(try await launch().owned == [beaches])
    }

    @Test func `a customer who cancels, or may not pay, gets nothing`() async throws {
        let store = try await launch()
        session.failTransactionsEnabled = true
        session.failureError = .paymentCancelled
        #expect(try await store.buy(store.product(beaches)) == .cancelled)
        session.failureError = .paymentNotAllowed
        await #expect(throws: Product.PurchaseError.purchaseNotAllowed) { try await store.buy(store.product(beaches)) }
        #expect(store.owned.isEmpty && session.allTransactions().allSatisfy { $0.state == .failed })
    }

    @Test func `a transaction that cannot be verified unlocks nothing and stays unfinished`() async throws {
        let store = try await launch()
        try await session.setSimulatedError(.verification(.invalidSignature), forAPI: .verification)
        await #expect(throws: VerificationResult<Transaction>.VerificationError.invalidSignature) {
            try await store.buy(store.product(beaches))
        }
        #expect(store.owned.isEmpty)
        var unfinished: [Product.ID] = []
        for await result in Transaction.unfinished { unfinished.append(result.unsafePayloadValue.productID) }
        #expect(unfinished == [beaches])
    }

    @Test(arguments: [true, false]) func `a parent decides`(approves: Bool) async throws {
        let store = try await launch()
        session.askToBuyEnabled = true
        #expect(try await store.buy(store.product(beaches)) == .pending)
        #expect(store.owned.isEmpty && store.pending == [beaches])
        let waiting = try #require(session.allTransactions().first { $0.pendingAskToBuyConfirmation })
        if approves {
            try session.approveAskToBuyTransaction(identifier: waiting.identifier)
            await store.waits { $0.owned == [beaches] && $0.pending.isEmpty }
        } else {
            // The app learns nothing of it, and forgets the wish at its next launch.
            try session.declineAskToBuyTransaction(identifier: waiting.identifier)
            let next = try await launch()
            #expect(next.owned.isEmpty && next.pending.isEmpty)
        }
    }

    @Test func `an interrupted purchase is completed outside of the app`() async throws {
        let store = try await launch()
        session.interruptedPurchasesEnabled = true
        #expect(try await store.buy(store.product(beaches)) == .pending)
        let stopped = try #require(session.allTransactions().first { $0.hasPurchaseIssue })
        try session.resolveIssueForTransaction(identifier: stopped.identifier)
        await store.waits { $0.owned == [beaches] && $0.pending.isEmpty }
    }

    @Test func `day maps count once, also if the app has ended before it could finish them`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        // The end of the app: the maps are saved, and the transaction is not finished.
        let bought = try await session.buyProduct(identifier: spots, options: [.quantity(3)])
        var maps = DayMaps(file)
        maps.record(bought)
        try maps.save(to: file)

        let store = try await launch(dayMaps: file)
        try await store.buy(store.product(spots))
        #expect(store.dayMaps.left == 4)
        #expect(try store.useDayMap())
        #expect(try await launch(dayMaps: file).dayMaps.left == 3)
    }

    @Test func `a refund takes the guide back`() async throws {
        let store = try await launch()
        try await store.buy(store.product(beaches))
        #expect(try await store.requestRefund(of: beaches, in: NSObject()) == .success)
        let transaction = try #require(session.allTransactions().first)
        try session.refundTransaction(identifier: transaction.identifier)
        await store.waits { $0.owned.isEmpty }
    }

    @Test func `another device's purchase arrives by itself, and restoring finds the same`() async throws {
        let store = try await launch()
        try session.buyProduct(productIdentifier: beaches)
        await store.waits { $0.owned == [beaches] }
        try await store.restore()
        #expect(store.owned == [beaches])
    }

    @Test func `the app continues a purchase that begins in the App Store`() async throws {
        let store = try await launch()
        try await session.tapBuyInAppStore(productIdentifier: beaches)
        await store.waits { $0.owned == [beaches] }
        #expect(store.problem == nil)
        await #expect(throws: SKTestError.self) { try await session.tapBuyInAppStore(productIdentifier: "none") }
    }
}
