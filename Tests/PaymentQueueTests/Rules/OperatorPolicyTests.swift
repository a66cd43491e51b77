import StoreModels
import Testing

@testable import PaymentQueue

/// Goal: an operator's word has one effect, whoever repeats it or comes second is told what came of the first, and a
/// transaction that such a word is not about is left alone (D2, D4).
@Suite struct OperatorPolicyTests {
    private typealias Facts = OperatorPolicy.Facts

    @Test(
        arguments: [
            (Facts(state: .deferred, wasDeferred: true, openPrompt: .askToBuy), true),
            // Answered: being charged, then at its end.
            (Facts(state: .deferred, wasDeferred: true), false), (Facts(state: .purchased, wasDeferred: true), false),
            (Facts(state: .failed, wasDeferred: true), false),
        ])
    func `D2: the first of approve and decline answers, later ones join`(
        _ facts: OperatorPolicy.Facts, _ isFirst: Bool
    ) {
        #expect(OperatorPolicy.decide(.approve, facts) == (isFirst ? .answer(.approve) : .join))
        #expect(OperatorPolicy.decide(.decline, facts) == (isFirst ? .answer(.decline) : .join))
        #expect(OperatorPolicy.decide(.resolve, facts) == .refuse)
    }

    @Test(arguments: TransactionState.allCases) func `what was never deferred is neither approved nor declined`(
        _ state: TransactionState
    ) {
        for prompt in [nil, Prompt.Kind.sheet, .interrupted] {
            for word in [OperatorPolicy.Word.approve, .decline] {
                #expect(OperatorPolicy.decide(word, Facts(state: state, openPrompt: prompt)) == .refuse)
            }
        }
    }

    @Test func `an interrupted purchase is resolved once, and again gives the same successor`() {
        #expect(OperatorPolicy.decide(.resolve, Facts(state: .failed, openPrompt: .interrupted)) == .answer(.approve))
        #expect(OperatorPolicy.decide(.resolve, Facts(state: .failed, isSuperseded: true)) == .joinSuccessor)
    }

    @Test(arguments: TransactionState.allCases) func `what was not interrupted is not resolved`(
        _ state: TransactionState
    ) {
        for prompt in [nil, Prompt.Kind.sheet, .askToBuy] {
            #expect(OperatorPolicy.decide(.resolve, Facts(state: state, openPrompt: prompt)) == .refuse)
        }
    }
}
