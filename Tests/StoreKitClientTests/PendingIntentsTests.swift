import StoreModels
import Testing

@testable import StoreKitClient

/// Goal: an app is asked once about a purchase, and the store gets its decisions in order.
@Suite struct PendingIntentsTests {
    /// Lets what changes the table stand in an expectation.
    private final class Table {
        private var table = PendingIntents()
        var undecided: [StorePurchaseIntent] { table.undecided }
        var unansweredCount: Int { table.unansweredCount }
        func received(_ intent: StorePurchaseIntent) -> Bool { table.received(intent) }
        func withdraw(_ id: String) { table.withdraw(id) }
        func addsPayment(_ id: String) -> Bool { table.addsPayment(id) }
        func decide(_ decision: IntentDecision) -> IntentDecision? { table.decide(decision) }
        func answered(_ id: String) -> IntentDecision? { table.answered(id) }
        func endRun() { table.endRun() }
    }

    private func decision(_ decision: DecideIntentRequest.Decision, _ id: String = "i1") -> IntentDecision {
        IntentDecision(intentIdentifier: id, decision: decision)
    }

    @Test func `M77: what comes again with another stream is reported once, decided or not`() throws {
        let table = Table()
        let intent = try StorePurchaseIntent.sample("i1")
        #expect(table.received(intent))
        #expect(!table.received(intent))
        #expect(table.undecided == [intent])
        #expect(table.decide(decision(.defer)) != nil)
        #expect(!table.received(intent) && table.undecided.isEmpty)
        #expect(table.answered("i1") == nil)
        #expect(!table.received(intent))
    }

    @Test func `the next launch asks again, but for what is on its way`() throws {
        let table = Table()
        let intents = try ["i1", "i2", "i3"].map { try StorePurchaseIntent.sample($0) }
        for intent in intents { #expect(table.received(intent)) }
        #expect(table.decide(decision(.continue, "i1")) != nil)
        #expect(table.decide(decision(.defer, "i2")) != nil)
        #expect(table.answered("i2") == nil)
        table.endRun()
        let told = intents.map { intent in table.received(intent) }
        #expect(told == [false, true, true])
    }

    @Test func `without a handler the next stream reports it again`() throws {
        let table = Table()
        let intent = try StorePurchaseIntent.sample("i1")
        #expect(table.received(intent))
        table.withdraw("i1")
        #expect(table.received(intent))
    }

    @Test func `decisions about one intent are sent one after the other, those about others at once`() throws {
        let table = Table()
        #expect(table.decide(decision(.defer))?.decision == .defer)
        #expect(table.decide(decision(.cancel)) == nil)
        #expect(table.decide(decision(.continue)) == nil)
        #expect(table.decide(decision(.continue, "i2"))?.intentIdentifier == "i2")
        #expect(table.unansweredCount == 4)
        #expect(table.answered("i1")?.decision == .cancel)
        #expect(table.answered("i1")?.decision == .continue)
        #expect(table.answered("i1") == nil)
        #expect(table.unansweredCount == 1)
    }

    @Test func `I3: continuing adds one payment, however often, also in a later run`() {
        let table = Table()
        #expect(table.addsPayment("i1"))
        #expect(!table.addsPayment("i1"))
        table.endRun()
        #expect(!table.addsPayment("i1"))
        #expect(table.addsPayment("i2"))
    }

    @Test func `more than can be remembered are left to the store`() throws {
        let table = Table()
        for number in 0..<ClientLimits.intentsMax {
            #expect(table.received(try StorePurchaseIntent.sample("i\(number)")))
        }
        #expect(!table.received(try StorePurchaseIntent.sample("one more")))
        #expect(table.decide(decision(.cancel, "i0")) != nil)
        #expect(table.received(try StorePurchaseIntent.sample("one more")))
    }
}
