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
        let codes: [SKError.Code] = [
            .unknown, .clientInvalid, .paymentCancelled, .paymentInvalid, .paymentNotAllowed, .storeProductNotAvailable,
            .cloudServicePermissionDenied, .cloudServiceNetworkConnectionFailed, .cloudServiceRevoked,
            .privacyAcknowledgementRequired, .unauthorizedRequestData, .invalidOfferIdentifier, .invalidSignature,
            .missingOfferParams, .invalidOfferPrice, .overlayCancelled, .overlayInvalidConfiguration, .overlayTimeout,
            .ineligibleForOffer, .unsupportedPlatform, .overlayPresentedInBackgroundScene,
        ]
        let names = [
            "unknown", "clientInvalid", "paymentCancelled", "paymentInvalid", "paymentNotAllowed",
            "storeProductNotAvailable", "cloudServicePermissionDenied", "cloudServiceNetworkConnectionFailed",
            "cloudServiceRevoked", "privacyAcknowledgementRequired", "unauthorizedRequestData",
            "invalidOfferIdentifier", "invalidSignature", "missingOfferParams", "invalidOfferPrice",
            "overlayCancelled", "overlayInvalidConfiguration", "overlayTimeout", "ineligibleForOffer",
            "unsupportedPlatform", "overlayPresentedInBackgroundScene",
        ]
        #expect(StoreModels.SKErrorCode.allCases.map(\.name) == names)
        #expect(codes.map(\.rawValue) == StoreModels.SKErrorCode.allCases.map(\.rawValue))
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

    @Test func `an error made of an NSError has its code, also one without a name, and equals one that says the same`()
    {
        let nsError = NSError(domain: SKErrorDomain, code: 77, userInfo: ["number": 1])
        let error = SKError(_nsError: nsError)
        #expect(error.code.rawValue == 77 && error.errorCode == 77 && error.userInfo["number"] as? Int == 1)
        #expect(error._nsError === nsError)
        #expect(Set([SKError(.unknown), SKError(.unknown), SKError(.paymentCancelled)]).count == 2)
        let text: [String: Any] = [NSLocalizedDescriptionKey: "Held already."]
        #expect(SKError(.paymentInvalid, userInfo: text).localizedDescription == "Held already.")
    }

    @Test func `a code catches an NSError by domain and number`() {
        #expect(SKError.paymentInvalid ~= NSError(domain: SKErrorDomain, code: 3))
        #expect(!(SKError.paymentInvalid ~= NSError(domain: SKErrorDomain, code: 2)))
        #expect(!(SKError.paymentInvalid ~= NSError(domain: NSCocoaErrorDomain, code: 3)))
        #expect(!(SKError.paymentInvalid ~= CocoaError(.fileNoSuchFile)))
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
