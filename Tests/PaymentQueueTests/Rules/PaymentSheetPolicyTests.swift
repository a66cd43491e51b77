import StoreModels
import Testing

@testable import PaymentQueue

/// Goal: what the sheet decides, setting by setting, and which setting comes first.
@Suite struct PaymentSheetPolicyTests {
    private func decide(_ tester: TesterSettings = .standard, asksToBuy: Bool = false) -> PaymentSheetPolicy.Outcome {
        PaymentSheetPolicy.decide(tester: tester, asksToBuy: asksToBuy)
    }

    private func code(_ tester: TesterSettings) -> Int? {
        guard case .fail(let error) = decide(tester) else { return nil }
        return error.code
    }

    @Test(arguments: [PaymentSheetAnswer.auto, .approve]) func `M140: auto and approve pay`(
        _ answer: PaymentSheetAnswer
    ) {
        #expect(decide(TesterSettings(sheet: answer)) == .pay)
    }

    @Test func `nothing set pays`() {
        #expect(decide(TesterSettings()) == .pay)
        #expect(decide() == .pay)
    }

    @Test func `M32, M36: cancel is 2, decline its own code, a failed sign-in 0, a cancelled one 2`() {
        #expect(code(TesterSettings(sheet: .cancel)) == 2)
        for error in SKErrorCode.allCases { #expect(code(TesterSettings(sheet: .decline(error))) == error.rawValue) }
        #expect(code(TesterSettings(signIn: .fails)) == 0)
        #expect(code(TesterSettings(signIn: .cancelled)) == 2)
    }

    @Test func `the simulated error comes before the sheet, signing in before both`() {
        let purchase = TesterSettings.SimulatedErrors(purchase: "notAvailableInStorefront")
        #expect(code(TesterSettings(sheet: .cancel, simulatedErrors: purchase)) == 5)
        #expect(code(TesterSettings(signIn: .fails, sheet: .cancel, simulatedErrors: purchase)) == 0)
        #expect(code(TesterSettings(sheet: .interactive, simulatedErrors: purchase)) == 5)
    }

    @Test func `an unknown error, from a catalogue file, still fails and is named`() {
        let outcome = decide(TesterSettings(simulatedErrors: .init(purchase: "generic")))
        guard case .fail(let error) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(error.code == 0)
        #expect(error.reason == "generic")
    }

    @Test func `the shopper is asked before the parent`() {
        #expect(decide(TesterSettings(sheet: .interactive)) == .ask([.sheet]))
        #expect(decide(TesterSettings(askToBuy: true)) == .ask([.askToBuy]))
        #expect(decide(asksToBuy: true) == .ask([.askToBuy]))
        #expect(decide(TesterSettings(askToBuy: true, sheet: .interactive)) == .ask([.sheet, .askToBuy]))
        #expect(code(TesterSettings(askToBuy: true, sheet: .cancel)) == 2)
    }

    @Test func `an interruption comes after the shopper has agreed, and the parent after it is resolved`() {
        #expect(decide(TesterSettings(interruptPurchases: true)) == .ask([.interrupted]))
        #expect(
            decide(TesterSettings(askToBuy: true, interruptPurchases: true, sheet: .interactive))
                == .ask([.sheet, .interrupted]))
        #expect(code(TesterSettings(interruptPurchases: true, sheet: .cancel)) == 2)
        #expect(code(TesterSettings(interruptPurchases: true, signIn: .fails)) == 0)
        #expect(PaymentSheetPolicy.answers(to: .interrupted) == [.approve, .cancel])
        #expect(PaymentSheetPolicy.interrupted.code == 0)
        #expect(PaymentSheetPolicy.interrupted.reason == "interrupted")
        // A shopper who continues has signed in and agreed, and is not interrupted again.
        let tester = TesterSettings(
            askToBuy: true, interruptPurchases: true, signIn: .fails, sheet: .cancel,
            simulatedErrors: .init(purchase: "unknown"))
        #expect(PaymentSheetPolicy.decideAgain(tester: tester, asksToBuy: false) == .ask([.askToBuy]))
        #expect(PaymentSheetPolicy.decideAgain(tester: TesterSettings(), asksToBuy: true) == .ask([.askToBuy]))
        #expect(
            PaymentSheetPolicy.decideAgain(tester: TesterSettings(interruptPurchases: true), asksToBuy: false) == .pay)
    }

    @Test func `M29: a parent agrees or does not, only the shopper cancels`() {
        #expect(PaymentSheetPolicy.answers(to: .askToBuy) == [.approve, .decline])
        #expect(PaymentSheetPolicy.answers(to: .sheet) == [.approve, .cancel, .decline])
        #expect(PaymentSheetPolicy.failure(of: .approve, to: .sheet, error: nil) == nil)
        #expect(PaymentSheetPolicy.failure(of: .cancel, to: .sheet, error: nil)?.code == 2)
        #expect(PaymentSheetPolicy.failure(of: .decline, to: .askToBuy, error: nil)?.code == 0)
        #expect(PaymentSheetPolicy.failure(of: .decline, to: .sheet, error: .paymentInvalid)?.code == 3)
    }
}
