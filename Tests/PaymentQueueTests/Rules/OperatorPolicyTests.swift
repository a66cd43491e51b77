import StoreModels
import Testing

@testable import PaymentQueue

/// Goal: an operator's decision has one effect, a repeated or second one gets the result of the first, and a
/// transaction that such a word is not about is left alone (D2, D4).
@Suite struct OperatorPolicyTests {
    private typealias Context = OperatorPolicy.Context

    @Test(
        arguments: [
            (Context(state: .deferred, wasDeferred: true, openPrompt: .askToBuy), true),
            // Answered: being charged, then at its end.
            (Context(state: .deferred, wasDeferred: true), false),
            (Context(state: .purchased, wasDeferred: true), false),
            (Context(state: .failed, wasDeferred: true), false),
        ])
    func `D2: the first of approve and decline answers, later ones join`(
        _ context: OperatorPolicy.Context, _ isFirst: Bool
    ) {
        #expect(OperatorPolicy.decide(.approve, context) == (isFirst ? .answer(.approve) : .join))
        #expect(OperatorPolicy.decide(.decline, context) == (isFirst ? .answer(.decline) : .join))
        #expect(OperatorPolicy.decide(.resolve, context) == .refuse)
    }

    @Test(arguments: TransactionState.allCases) func `what was never deferred is neither approved nor declined`(
        _ state: TransactionState
    ) {
        for prompt in [nil, Prompt.Kind.sheet, .interrupted] {
            for word in [OperatorPolicy.Action.approve, .decline] {
                #expect(OperatorPolicy.decide(word, Context(state: state, openPrompt: prompt)) == .refuse)
            }
        }
    }

    @Test func `an interrupted purchase is resolved once, and again gives the same successor`() {
        #expect(OperatorPolicy.decide(.resolve, Context(state: .failed, openPrompt: .interrupted)) == .answer(.approve))
        #expect(OperatorPolicy.decide(.resolve, Context(state: .failed, isSuperseded: true)) == .joinSuccessor)
    }

    @Test(arguments: TransactionState.allCases) func `what was not interrupted is not resolved`(
        _ state: TransactionState
    ) {
        for prompt in [nil, Prompt.Kind.sheet, .askToBuy] {
            #expect(OperatorPolicy.decide(.resolve, Context(state: state, openPrompt: prompt)) == .refuse)
        }
    }
}
