import Foundation
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

/// Goal: who may have an introductory offer is answered from what the payment queue has committed, by any number of
/// replicas, and never made up when something is away (O2, O3).
/// Method: shoppers against `storebus up`, with processes that are killed or stand still.
@Suite(.process) struct EligibilityTests {
    private static let monthly = "com.example.pro.monthly"
    private static let yearly = "com.example.pro.yearly"

    @Test func `O2: after an introductory purchase is answered no replica says eligible, one of them killed`()
        async throws
    {
        try await StoreStack.run(["--replicas", "eligibility=3"]) { store in
            var random = SplitMix64.seeded("eligibility, killed replica")
            let delay = Int.random(in: 5...300, using: &random)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<16 {
                    group.addTask { try await Self.buyAndAsk(number, in: store) }
                }
                try await Task.sleep(for: .milliseconds(delay))
                let killed = try store.signal("eligibility")
                try await store.waitForReplacement(of: "eligibility", after: killed)
                try await group.waitForAll()
            }
        }
    }

    /// Checks that a killed replica may leave a question unanswered, but never answers it wrongly.
    private static func buyAndAsk(_ number: Int, in store: StoreStack) async throws {
        let customer = try await store.session(account: "subscriber\(number)")
        let trial = try await customer.buy(number.isMultiple(of: 2) ? monthly : yearly, key: "trial-\(number)")
        #expect(trial.isTrialPeriod == true)
        var answered = 0
        try await eventually("twelve questions are answered, by whichever replica", within: .seconds(30)) {
            let answer = try await ask(customer)
            guard answer.status == 200 else { return false }
            let reply: EligibilityReply = try answer.decoded()
            #expect(reply.eligibility.map(\.productIdentifier).sorted() == [monthly, yearly])
            #expect(reply.eligibility.allSatisfy { $0.eligibility != .eligible }, "\(answer.text)")
            if reply.eligibility.allSatisfy({ $0.transactionIdentifier == trial.transactionIdentifier }) {
                #expect(reply.eligibility.allSatisfy { $0.rule == .offerUsed })
                answered += 1
            }
            return answered == 12
        }
    }

    @Test func `O3: with the payment queue silent every customer is unknown, and then known again`() async throws {
        try await StoreStack.run { store in
            let customer = try await store.session(account: "alice")
            let before: EligibilityReply = try await Self.ask(customer).decoded()
            #expect(before.eligibility.map(\.rule) == [.newSubscriber, .newSubscriber])

            try store.signal("payment-queue", SIGSTOP)
            let silent: EligibilityReply = try await Self.ask(customer).decoded()
            #expect(silent.eligibility.map(\.eligibility) == [.unknown, .unknown])
            #expect(silent.eligibility.map(\.rule) == [.historyUnavailable, .historyUnavailable])
            #expect(silent.degraded == ["payments"])
            // M130: the offer stays on the product, with no customer said to be eligible.
            let products = try await customer.products([Self.monthly])
            #expect(products.products.first?.introductoryPrice != nil)
            #expect(products.products.first?.introductoryOfferEligibility == .unknown)
            #expect(products.degraded == ["payments"])

            try store.signal("payment-queue", SIGCONT)
            try await eventually("the payment queue answers again", within: .seconds(30)) {
                let after: EligibilityReply = try await Self.ask(customer).decoded()
                return after == before
            }
        }
    }

    private static func ask(_ customer: ScenarioCustomer) async throws -> StoreStack.Answer {
        try await customer.store.request(.GET, "/v1/eligibility", token: customer.token)
    }
}
