import StoreModels
import Testing

@testable import PaymentQueue

/// Goal: every name of an error that StoreKit's tools use ends in the code StoreKit's observer gets.
@Suite struct SimulatedErrorTests {
    @Test func `every SKError is known by its name and its number`() {
        for code in SKErrorCode.allCases {
            #expect(SimulatedError(code.name)?.code == code)
            #expect(SimulatedError("\(code.rawValue)")?.code == code)
            #expect(SimulatedError(code.name)?.reason == nil)
        }
    }

    @Test(
        arguments: [
            ("userCancelled", 2, nil), ("notAvailableInStorefront", 5, nil), ("purchaseNotAllowed", 4, nil),
            ("invalidQuantity", 3, nil), ("networkError", 0, "networkError"), ("systemError", 0, "systemError"),
        ] as [(String, Int, String?)])
    func `StoreKit 2's names become codes, and keep their name where the code is only unknown`(
        _ name: String, _ code: Int, _ reason: String?
    ) {
        #expect(SimulatedError.failure(name, "Set.").code == code)
        #expect(SimulatedError.failure(name, "Set.").reason == reason)
    }
}
