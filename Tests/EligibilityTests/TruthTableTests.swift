import Foundation
import StoreModels
import StorebusTesting
import Testing

@testable import Eligibility

/// Goal: M119–M129 are one table, which the code answers and `docs/eligibility.md` shows.
/// Method: every case through both doors, PaymentQueue's history and the receipt. `STOREBUS_TABLES=1` prints the table,
/// `STOREBUS_GOLDEN=write` renews the page.
@Suite struct TruthTableTests {
    private static let mark =
        "<!-- Below: the truth table, kept by TruthTableTests; STOREBUS_GOLDEN=write renews it. -->\n"

    @Test(arguments: TruthTable.cases.indices)
    func `M119–M129: a case is answered with its rule, for all of the group, by both doors`(index: Int) throws {
        let value = TruthTable.cases[index]
        let answers = TruthTable.answers(value)
        #expect(answers[0].rule == value.rule, "\(value.name)")
        #expect(answers[0].eligibility == Self.eligibility(of: value.rule), "\(value.name)")
        // M121: one answer for the group; M129: with the transaction that decided.
        #expect(answers[1].rule == answers[0].rule)
        #expect(answers[1].transactionIdentifier == answers[0].transactionIdentifier)
        guard let receipt = TruthTable.answersFromReceipt(value) else { return }
        #expect(receipt[0].rule == value.receiptRule ?? value.rule, "\(value.name)")
        if value.receiptRule == nil {
            // O5
            #expect(receipt == answers, "\(value.name)")
        }
    }

    @Test func `M121: what happened in a group decides for no other`() throws {
        for value in TruthTable.cases
        where value.groups?.allSatisfy({ $0.subscriptionGroupIdentifier == "pro" }) == true {
            #expect(TruthTable.answers(value)[2].rule == .newSubscriber, "\(value.name)")
        }
    }

    @Test func `every rule has a case`() {
        let seen = Set(TruthTable.cases.map(\.rule))
        #expect(seen == Set(IntroductoryOfferPolicy.Rule.allCases))
    }

    @Test func `docs eligibility md has the table`() throws {
        let table = TruthTable.text
        if ProcessInfo.processInfo.environment["STOREBUS_TABLES"] == "1" { print(table) }
        #expect(try GoldenFile.difference("docs/eligibility.md", "\n" + table, below: Self.mark) == nil)
    }

    private static func eligibility(of rule: IntroductoryOfferPolicy.Rule) -> OfferEligibility {
        switch rule {
        case .newSubscriber, .lapsedWithoutOffer: .eligible
        case .offerUsed, .offerReserved, .subscribed, .inGracePeriod, .inBillingRetryPeriod: .ineligible
        case .historyUnavailable: .unknown
        }
    }
}
