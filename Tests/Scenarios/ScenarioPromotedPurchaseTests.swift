import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

/// Goal: "Complete the purchase in the app", line by line: a shopper taps Buy in the store, the app is opened and
/// continues, defers or cancels.
/// Method: a phone and a tablet of one account against `storebus up`, with both observers' streams open; the
/// processor's own books say what was charged.
@Suite(.process) struct ScenarioPromotedPurchaseTests {
    private typealias Products = StoreStack.Products

    /// The operator's set-up, and a phone with its store open and its app running.
    private struct Scene {
        let phone: Handset
        let app: ScenarioCustomer
        let shown: AppStoreApp

        init(_ store: StoreStack, handler: String = "delegate") async throws {
            try await store.setUpPromotions([Products.beaches, Products.fishing])
            phone = Handset(store, "phone")
            app = try await phone.launch(handler)
            shown = try await phone.openStore()
        }
    }

    @Test
    func `M65, M74, M76–M78: true continues: the app is opened, the sheet comes, an ordinary transaction follows`()
        async throws
    {
        try await StoreStack.run { store in
            try await store.setTester("alice", ["sheet": "interactive"])
            let scene = try await Scene(store)
            let tabletApp = try await Handset(store, "tablet", platform: "iPadOS").launch()
            var onTablet = try await tabletApp.observePromotions().observer
            var (pending, onPhone) = try await scene.app.observePromotions()
            #expect(pending.isEmpty)

            let identifier = try await scene.shown.tap(Products.beaches, in: "search", expecting: .openApp)
            let intent = try await onPhone.nextPromotedPurchase()
            #expect(intent.intentIdentifier == identifier)
            #expect(intent.state == .pending)
            #expect(intent.source == .search)
            #expect(intent.answerBy != nil)
            #expect(intent.payment.productIdentifier == Products.beaches)
            #expect(intent.product.productIdentifier == Products.beaches)
            #expect(intent.product.localizedTitle == "Hidden Beaches")
            #expect(intent.product.price.amount == "0.99")
            #expect(intent.product.priceLocale == "en_US@currency=USD")
            // A finger that slipped: the same purchase.
            #expect(try await scene.shown.tap(Products.beaches, expecting: .openApp) == identifier)
            #expect(try await Ledger.charges(of: store).isEmpty)

            // return true: the payment sheet is shown, and nothing is charged before the shopper agrees.
            let decided = try await scene.app.decide(identifier, "continue")
            #expect([200, 201, 202].contains(decided.status), "\(decided.text)")
            #expect(decided.json?["intent"]?["state"] == "continued")
            let purchasing = try await onPhone.next(.purchasing, of: Products.beaches)
            #expect(purchasing.payment.intentIdentifier == identifier)
            let sheet = try await Self.prompt(.sheet, in: store)
            #expect(try await Ledger.charges(of: store).isEmpty)
            try await store.answer(sheet, "approve")
            let purchased = try await onPhone.next(.purchased, of: Products.beaches)
            #expect(purchased.id == purchasing.id)
            // What began on the phone is not told on the tablet; what was bought there is.
            #expect(try await onTablet.next(.purchased, of: Products.beaches).id == purchased.id)
            #expect(try await scene.app.transactionId(of: identifier) == purchased.id)

            // Said again it is the same; another answer comes too late (I2).
            let again = try await scene.app.decide(identifier, "continue")
            #expect(again.status == 200)
            #expect(again.json?["transaction"]?["id"]?.stringValue == purchased.id)
            #expect(try await scene.app.decide(identifier, "defer").code == "intentDecided")
            try await Self.expectCharges(for: [purchased.id], in: store)
            try await scene.app.finish(purchased.id)
            #expect(try await scene.app.unfinished().isEmpty)
            #expect(try await tabletApp.intents("continued").isEmpty, "the tablet has no intent")
        }
    }

    private static func prompt(_ kind: Prompt.Kind, in store: StoreStack) async throws -> Prompt {
        var found: Prompt?
        try await eventually("there is a prompt: \(kind)", within: .seconds(20)) {
            found = try await store.prompts(of: "alice").first { $0.kind == kind }
            return found != nil
        }
        return try #require(found)
    }

    private static func expectCharges(for transactions: [String], in store: StoreStack) async throws {
        let approved = try await Ledger.charges(of: store).filter { $0.outcome == .approved }
        #expect(approved.map(\.chargeKey).sorted() == transactions.map { "purchase:\($0)" }.sorted())
    }

    @Test func `M79–M83: false defers: the saved payment is accepted after the onboarding and closes the intent`()
        async throws
    {
        try await StoreStack.run { store in
            let scene = try await Scene(store)
            var onPhone = try await scene.app.observePromotions().observer
            let identifier = try await scene.shown.tap(Products.fishing, expecting: .openApp)
            let saved = try await onPhone.nextPromotedPurchase().payment
            // self.savedPayment = payment; return false
            let deferred = try await scene.app.decide(identifier, "defer")
            #expect(deferred.status == 200)
            #expect(deferred.json?["transaction"] == nil)
            #expect(try await scene.app.unfinished().isEmpty)
            #expect(try await Ledger.charges(of: store).isEmpty)

            // The app is launched again and finishes its onboarding: the deferred one is not told again, it is fetched.
            let relaunched = try await scene.phone.launch()
            let launch = try await relaunched.observePromotions()
            #expect(launch.pending.isEmpty)
            #expect(try await relaunched.intents("pending,deferred").map(\.payment) == [saved])
            #expect(
                try await relaunched.addSaved(saved, key: "saved", product: Products.beaches).code == "intentMismatch")
            #expect(try await relaunched.addSaved(saved, key: "saved", quantity: 2).code == "intentMismatch")
            let tablet = try await Handset(store, "tablet").launch()
            #expect(try await tablet.addSaved(saved, key: "stolen").code == "notFound")

            // SKPaymentQueue.default().add(savedPayment)
            let added = try await relaunched.addSaved(saved, key: "saved")
            #expect(added.status == 201, "\(added.text)")
            let bought = try added.decoded(as: PaymentTransaction.self)
            #expect(bought.transactionState == .purchased)
            #expect(bought.payment.intentIdentifier == identifier)
            #expect(try await relaunched.intent(identifier).state == .continued)
            let again = try await relaunched.addSaved(saved, key: "saved")
            #expect(try again.decoded(as: PaymentTransaction.self).id == bought.id)
            #expect(try await relaunched.addSaved(saved, key: "another").code == "intentDecided", "one payment (I3)")
            #expect(try await relaunched.decide(identifier, "cancel").code == "intentDecided")
            try await Self.expectCharges(for: [bought.id], in: store)
        }
    }

    @Test func `M81, M85: a new payment leaves the intent open; it expires, and the operator is warned`() async throws {
        try await StoreStack.run { store in
            let scene = try await Scene(store)
            var onPhone = try await scene.app.observePromotions().observer
            let identifier = try await scene.shown.tap(Products.fishing, expecting: .openApp)
            let saved = try await onPhone.nextPromotedPurchase().payment
            #expect(try await scene.app.decide(identifier, "defer").status == 200)
            let new = try await scene.app.buy(Products.fishing, key: "new")
            #expect(new.payment.intentIdentifier == nil)
            #expect(try await scene.app.intent(identifier).state == .deferred)

            try await Self.advance("PT25H", in: store)
            let expired = try #require(
                try await store.intents(of: "alice").first { $0.intentIdentifier == identifier })
            #expect(expired.state == .expired)
            #expect(expired.warning?.contains("A new payment for the product does not continue it") == true)
            #expect(try await scene.app.addSaved(saved, key: "late").code == "intentExpired")
            try await Self.expectCharges(for: [new.id], in: store)
        }
    }

    @Test func `a win-back offer is chosen in the store, and the purchase has it though the app does not name it`()
        async throws
    {
        try await StoreStack.run { store in
            try await store.setUpPromotions([Products.pro])
            let phone = Handset(store, "phone")
            let app = try await phone.launch("delegate")
            let shown = try await phone.openStore()
            var onPhone = try await app.observePromotions().observer
            let first = try await app.buy(Products.pro, key: "first")
            let original = try #require(first.transactionIdentifier)
            try await Self.advance("P2M", in: store)
            try await store.must(.POST, "/admin/v1/transactions/\(original)/disableAutoRenew", .object([:]))
            try await Self.advance("P2M", in: store, key: "lapse")
            let unknown = try await shown.tap(Products.pro, offer: "none")
            #expect(unknown.status == 400 && unknown.text.contains("it has back.free.month"), "\(unknown.text)")
            let identifier = try await shown.tap(Products.pro, offer: "back.free.month", expecting: .openApp)
            #expect(try await onPhone.nextPromotedPurchase().offer == "back.free.month")
            #expect(try await app.decide(identifier, "continue").status < 300)
            let id = try await app.transactionId(of: identifier)
            let back = try await onPhone.next(.purchased, of: Products.pro)
            #expect(back.id == id && back.offer?.type == .winBack && back.offer?.identifier == "back.free.month")
        }
    }

    private static func advance(
        _ duration: String, in store: StoreStack, key: String = "advance"
    ) async throws {
        try await eventually("\(duration) have passed", within: .seconds(40)) {
            try await store.must(
                .POST, "\(StoreStack.appPath)/clock/advance", key: key,
                .object(["by": .string(duration)])
            ).status == 200
        }
    }

    @Test func `M84, M85: what is owned is cancelled, with feedback and without, and nothing is charged`() async throws
    {
        try await StoreStack.run { store in
            let scene = try await Scene(store)
            let owned = try await scene.app.buy(Products.beaches, key: "owned")
            #expect(try await scene.shown.page().owned == [true, false])
            for feedback in ["You have the beaches already.", nil] {
                var onPhone = try await scene.app.observePromotions().observer
                let identifier = try await scene.shown.tap(Products.beaches, expecting: .openApp)
                _ = try await onPhone.nextPromotedPurchase()
                let after = try await Self.now(in: store)
                async let told = store.must(
                    .GET, "/admin/v1/events/wait?type=intentCancelled&account=alice&after=\(after)&timeout=20s")
                let decided = try await scene.app.decide(identifier, "cancel", feedback: feedback)
                #expect(decided.status == 200, "\(decided.text)")
                #expect(try await scene.app.decide(identifier, "cancel").status == 200, "a repeat is the same")
                let event = try #require(
                    try await told.decoded(as: IntentEventsReply.self).events.first)
                #expect(event.intent.intentIdentifier == identifier)
                #expect(event.intent.feedback == feedback)
                let listed = try #require(
                    try await store.intents(of: "alice").first { $0.intentIdentifier == identifier })
                #expect(listed.state == .cancelled)
                #expect((listed.warning == nil) == (feedback != nil), "without a word it looks like a fault")
                #expect(try await scene.app.decide(identifier, "continue").code == "intentDecided")
            }
            #expect(try await scene.app.unfinished().map(\.id) == [owned.id])
            try await Self.expectCharges(for: [owned.id], in: store)
        }
    }

    /// Where the log of intents is now.
    private static func now(in store: StoreStack) async throws -> String {
        let answer = try await store.must(.GET, "/admin/v1/events/wait?type=intentCancelled&timeout=0")
        return try answer.decoded(as: IntentEventsReply.self).after
    }

    @Test func `M86, I1: unanswered it is sent to each launch, deferred after answerBy, and a late answer counts`()
        async throws
    {
        try await StoreStack.run { store in
            let scene = try await Scene(store)
            let identifier = try await scene.shown.tap(Products.fishing, expecting: .openApp)
            var told: [StorePurchaseIntent] = []
            for _ in 0..<3 {
                let app = try await scene.phone.launch()
                told += try await app.observePromotions().pending
            }
            #expect(told.map(\.intentIdentifier) == [identifier, identifier, identifier])
            #expect(Set(told.map(\.answerBy)).count == 1, "the time runs from the first delivery on")
            try await eventually("nobody answers", within: .seconds(30)) {
                try await store.intents(of: "alice").first?.state == .deferred
            }
            let app = try await scene.phone.launch()
            let late = try await app.intent(identifier)
            #expect(late.deferredBy == .timeout)
            #expect(try await app.observePromotions().pending.isEmpty)
            #expect(try await app.decide(identifier, "continue").json?["intent"]?["state"] == "continued")
            let bought = try await app.transactionId(of: identifier)
            try await Self.expectCharges(for: [bought], in: store)
        }
    }
}
