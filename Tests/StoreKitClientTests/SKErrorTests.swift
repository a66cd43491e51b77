import Foundation
import StoreModels
import Testing

@testable import StoreKitClient

@Suite struct SKErrorTests {
    @Test func `the domain is the one the wire names`() {
        #expect(SKErrorDomain == TransactionError(.unknown, "").domain)
        #expect((SKError(.unknown) as NSError).domain == "SKErrorDomain")
    }

    @Test func `codes are spelled and numbered as StoreKit's`() {
        #expect(SKError.Code.allCases.map { "\($0)" } == SKErrorCode.allCases.map(\.name))
        #expect(SKError.Code.allCases.map(\.rawValue) == SKErrorCode.allCases.map(\.rawValue))
        #expect((SKError(.paymentCancelled) as NSError).code == 2)
    }

    @Test func `an error carries the store's sentence, its reason and the number beneath`() throws {
        let error = SKError(TransactionError(.unknown, "Held already.", reason: "subscribed", underlying: 3532))
        #expect(error.localizedDescription == "Held already.")
        #expect(error.failureReason == "subscribed")
        #expect((error.underlying as? NSError)?.code == 3532)
    }

    @Test func `a code of a newer store is unknown and keeps its number`() throws {
        var wire = TransactionError(.unknown, "New.")
        wire.code = 77
        let error = SKError(wire)
        #expect(error.code == .unknown)
        #expect((error.underlying as? NSError)?.code == 77)
    }

    @Test func `a code can be caught by its name`() {
        do {
            throw SKError(.paymentInvalid)
        } catch SKError.paymentInvalid {
            // Where it belongs.
        } catch {
            Issue.record("\(error)")
        }
    }
}
