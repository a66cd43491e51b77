import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

/// Goal: purchases that began in the store, over a history that is cleared and over a promotion-controller that is away
/// when the app is launched.
/// Method: a phone against `storebus up`; the processor's own books say what was charged.
@Suite(.process) struct IntentLifeTests {
    private typealias Products = StoreStack.Products

    private static func approved(_ store: StoreStack) async throws -> Int {
        try await Ledger.charges(of: store).count { $0.outcome == .approved }
    }

    @Test(arguments: ["reset", "transactions?account=alice"])
    func `I3, I4: after what was bought is cleared no intent buys again, with any service killed meanwhile`(
        _ path: String
    ) async throws {
        try await StoreStack.run { store in
            try await store.setUpPromotions([Products.beaches, Products.fishing, Products.pro])
            let phone = Handset(store, "phone")
            let app = try await phone.launch()
            let shown = try await phone.openStore()
            let continued = try await shown.tap(Products.beaches, expecting: .openApp)
            let saved = try await shown.tap(Products.fishing, expecting: .openApp)
            let open = try await shown.tap(Products.pro, expecting: .openApp)
            #expect(try await app.decide(continued, "continue").status < 300)
            #expect(try await app.decide(saved, "defer").status == 200)
            let payment = try await app.intent(saved).payment
            #expect(try await app.addSaved(payment, key: "saved").status < 300)
            for intent in [continued, saved] { _ = try await app.transactionId(of: intent) }
            #expect(try await Self.approved(store) == 2)

            let method: HTTPMethod = path == "reset" ? .POST : .DELETE
            try await store.without("promotion-controller") {
                // It is let to take thirty seconds.
                let refused = try await store.request(
                    method, "\(StoreStack.appPath)/\(path)", token: store.adminKey, timeout: .seconds(60))
                #expect(refused.status == 503 || refused.status == 504, "\(refused.text)")
                #expect(try await app.unfinished().count == 2, "nothing is cleared")
            }
            let cleared = try await store.must(method, "\(StoreStack.appPath)/\(path)")
            #expect(cleared.json?["cancelledIntents"] == 1, "\(cleared.text)")
            #expect(try await app.intent(open).state == .cancelled)

            for service in ["", "promotion-controller", "payment-queue"] {
                if !service.isEmpty {
                    let killed = try store.signal(service)
                    try await store.waitForReplacement(of: service, after: killed)
                }
                // Until payment-queue has been asked the decision is kept, without a transaction.
                try await eventually("the intent is known to be over", within: .seconds(60)) {
                    try await app.decide(continued, "continue").code == "intentDecided"
                }
                #expect(try await app.addSaved(payment, key: "saved").code == "intentDecided")
                #expect(try await app.addSaved(payment, key: "another").code == "intentDecided")
                #expect(try await app.decide(open, "continue").code == "intentDecided")
                #expect(try await app.unfinished().isEmpty)
            }
            #expect(try await Self.approved(store) == 2)

            // The device and its launch are still known, and what begins now is bought.
            let next = try await shown.tap(Products.beaches, expecting: .openApp)
            #expect(try await app.decide(next, "continue").status < 300)
            _ = try await app.transactionId(of: next)
            #expect(try await Self.approved(store) == 3)
        }
    }

    @Test func `I1, I6: an app launched while promotion-controller is away gets its intent on the same stream`()
        async throws
    {
        try await StoreStack.run { store in
            try await store.setUpPromotions([Products.fishing])
            let phone = Handset(store, "phone")
            let shown = try await phone.openStore()
            let identifier = try await shown.tap(Products.fishing, expecting: .downloading)
            var observer: Observer?
            try await store.without("promotion-controller") {
                let launched = try await phone.launch().observePromotions()
                #expect(launched.pending.isEmpty)
                observer = launched.observer
            }
            var onPhone = try #require(observer)
            #expect(try await onPhone.nextPromotedPurchase().intentIdentifier == identifier)
            #expect(try await phone.facts().apps.map(\.isLaunched) == [true])
        }
    }
}
