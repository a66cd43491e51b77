import Foundation
import StoreModels
import StorebusTesting
import Testing

/// Goal: whichever process dies while people buy in the store, no purchase that was begun is lost (I1, I6), none makes
/// two payments and none is charged that was cancelled (I2–I4), and each one that waits is sent after the restart.
/// Method: devices do their part at the same time, each repeating what it asked until it is answered; one service is
/// killed with SIGKILL again and again meanwhile; then every intent is read, and the processor's own books are compared
/// with them. The moments of the kills are drawn from a printed seed.
@Suite(.process) struct PromotedPurchaseKillTests {
    private typealias Products = StoreStack.Products
    private static let devices = 15
    private static let kills = 3

    /// What one device does with the purchase it begins.
    private enum Part: Int, CaseIterable {
        /// The delegate says `true`.
        case continues
        /// The delegate says `false`, and the saved payment is added later.
        case defers
        /// Two threads of one app disagree: `true`, and the saved payment at the same time.
        case races
        case cancels
        /// The app is not even there yet.
        case waits
    }

    @Test(arguments: ["promotion-controller", "gateway", "broker", "payment-queue"])
    func `kill -9 while purchases begin in the store: I1–I4, I6`(service: String) async throws {
        var random = SplitMix64.seeded("promoted purchases, \(service)")
        let delays = (0..<Self.kills).map { _ in Int.random(in: 5...600, using: &random) }
        try await StoreStack.run { store in
            try await store.setUpPromotions([Products.fishing])
            let begun = try await withThrowingTaskGroup(of: (Handset, Part, String).self) { group in
                for number in 0..<Self.devices {
                    let part = Part.allCases[number % Part.allCases.count]
                    let phone = Handset(store, "phone-\(number)", account: "shopper\(number)")
                    group.addTask { (phone, part, try await Self.play(part, on: phone)) }
                }
                for delay in delays {
                    try await Task.sleep(for: .milliseconds(delay))
                    let killed = try store.signal(service)
                    try await store.waitForReplacement(of: service, after: killed)
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            var bought: [String] = []
            for (phone, part, identifier) in begun {
                bought += try await Self.expectDecided(part, identifier, on: phone)
            }
            let approved = try await Ledger.charges(of: store).filter { $0.outcome == .approved }
            #expect(approved.map(\.chargeKey).sorted() == bought.map { "purchase:\($0)" }.sorted())
            #expect(Set(approved.compactMap { $0.amount?.minorUnits }) == [199])
        }
    }

    /// - Returns: The intent that was answered to the tap.
    private static func play(_ part: Part, on phone: Handset) async throws -> String {
        guard part != .waits else {
            let shown = try await phone.openStore()
            return try await begin(on: shown)
        }
        let app = try await phone.launch()
        let shown = try await phone.openStore()
        let identifier = try await begin(on: shown)
        let intent = try await told(identifier, to: app)
        switch part {
        case .continues: try await answered(app.decide(identifier, "continue"))
        case .cancels: try await answered(app.decide(identifier, "cancel", feedback: "Not now."))
        case .defers:
            try await answered(app.decide(identifier, "defer"))
            try await answered(app.addSaved(intent.payment, key: "saved"))
        case .races:
            async let decided = app.decide(identifier, "continue")
            async let added = app.addSaved(intent.payment, key: "saved")
            let answers = try await [decided, added]
            // A second request gets an error, or joins the first one.
            guard answers.contains(where: { $0.status < 300 }),
                answers.allSatisfy({ $0.status < 300 || $0.code == "intentDecided" })
            else { throw StackError("continue: \(answers.map(\.text))") }
        case .waits: break
        }
        return identifier
    }

    /// What the store does next depends on what is known of the app: a launch that was not told yet makes it download
    /// one that is there, and a download whose answer was lost is there when it is asked for again.
    private static func begin(on shown: AppStoreApp) async throws -> String {
        let answer = try await shown.tap(Products.fishing)
        try answered(answer)
        return try #require(try answer.decoded(as: StartPurchaseReply.self).intentIdentifier)
    }

    private static func answered(_ answer: StoreStack.Answer) throws {
        guard answer.status < 300 else { throw StackError("\(answer.status) \(answer.text)") }
    }

    /// Launches until the purchase is sent. One that was not taken within its ten seconds is the app's to fetch.
    private static func told(_ identifier: String, to app: ScenarioCustomer) async throws -> StorePurchaseIntent {
        var found: StorePurchaseIntent?
        try await eventually("the purchase is told", within: .seconds(60)) {
            let pending = (try? await app.observePromotions().pending) ?? []
            found = pending.first { $0.intentIdentifier == identifier }
            if found != nil { return true }
            let fetched = try await app.intent(identifier)
            guard fetched.state == .deferred else { return false }
            found = fetched
            return true
        }
        return try #require(found)
    }

    /// What has become of a device's purchases. A tap whose answer was lost for longer than ten seconds may have begun
    /// a second one, which stays undecided.
    /// - Returns: The transactions its customer paid for.
    private static func expectDecided(
        _ part: Part, _ identifier: String, on phone: Handset
    ) async throws -> [String] {
        let app = try await phone.launch()
        if part == .waits {
            _ = try await told(identifier, to: app)
            try answered(try await app.decide(identifier, "continue"))
        }
        let all = try await app.intents("pending,deferred,continued,cancelled,expired")
        let decided = try #require(all.first { $0.intentIdentifier == identifier }, "the intent is lost (I1)")
        let others = all.filter { $0.intentIdentifier != identifier }
        #expect(others.allSatisfy { $0.state == .pending || $0.state == .deferred })
        guard part != .cancels else {
            #expect(decided.state == .cancelled)
            #expect(try await app.unfinished().isEmpty, "cancelled, and charged all the same (I4)")
            return []
        }
        #expect(decided.state == .continued)
        let transaction = try await app.transactionId(of: identifier)
        try await eventually("the payment is decided", within: .seconds(30)) {
            try await app.unfinished().allSatisfy(\.transactionState.isTerminal)
        }
        let queue = try await app.unfinished()
        #expect(queue.map(\.id) == [transaction], "one intent, one payment (I3)")
        #expect(queue.map(\.transactionState) == [.purchased])
        return queue.map(\.id)
    }
}
