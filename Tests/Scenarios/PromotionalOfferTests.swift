import Cryptography
import Foundation
import NIOHTTP1
import StoreKitClient
import StoreModels
import StorebusTesting
import Testing

/// Goal: a promotional offer that the app's server has signed is bought through `SKPaymentDiscount`, at its price, by
/// former subscribers; any other fails by StoreKit's code and costs nothing.
/// Method: the test is the app's server; the store is one of real processes.
@Suite(.process) struct PromotionalOfferTests {
    private let bundleId = "com.example.guides"
    private let product = "guides.monthly"

    /// The key pair's private half, as the store has shown it once.
    private struct OfferKey: Decodable {
        let keyIdentifier: String
        let secret: String
    }

    @Test func `a signed offer is sold to a subscriber, once for each nonce; what is refused costs nothing`()
        async throws
    {
        try await StoreStack.run { store in
            let key = try await prepare(store)
            let app = try StoreKitClientWitness(store, account: "alice", device: "phone", bundleId: bundleId)
            let guides = try await app.product(product)
            #expect(guides.discounts.map(\.identifier) == ["loyal"])
            #expect(guides.discounts.first?.offerText == "$14.99 for 3 months")
            app.launch()

            // Not yet a subscriber.
            let early = try await app.buy(payment(for: guides, try sign("loyal", by: key)), until: .failed)
            #expect(code(of: early) == .ineligibleForOffer)
            let trial = try await app.buy(guides)
            // Else it would be sent again, as replaced, with what replaces it.
            try await app.finish(trial)

            let discount = try sign("loyal", by: key)
            let forged = SKPaymentDiscount(
                identifier: "loyal", keyIdentifier: key.keyIdentifier, nonce: UUID(), signature: discount.signature,
                timestamp: discount.timestamp)
            let refused = try await app.buy(payment(for: guides, forged), until: .failed)
            #expect(code(of: refused) == .invalidSignature)
            let unknown = try await app.buy(payment(for: guides, try sign("other", by: key)), until: .failed)
            #expect(code(of: unknown) == .invalidOfferIdentifier)
            #expect(try await Ledger.charges(of: store).isEmpty)

            let bought = try await app.buy(payment(for: guides, discount))
            #expect(bought.original?.transactionIdentifier == trial.transactionIdentifier)
            #expect(bought.payment.paymentDiscount == discount)
            #expect(try await Ledger.charges(of: store).compactMap { $0.amount?.minorUnits } == [1499])
            let again = try await app.buy(payment(for: guides, discount), until: .failed)
            #expect(code(of: again) == .invalidSignature)
        }
    }

    private func code(of transaction: SKPaymentTransaction) -> SKError.Code? { (transaction.error as? SKError)?.code }

    private func payment(for product: SKProduct, _ discount: SKPaymentDiscount) -> SKPayment {
        let payment = SKMutablePayment(product: product)
        payment.applicationUsername = "alice at the guides"
        payment.paymentDiscount = discount
        return payment
    }

    /// As an app's server signs: what is bought and for whom, joined by U+2063.
    private func sign(_ offer: String, by key: OfferKey) throws -> SKPaymentDiscount {
        let nonce = UUID()
        let timestamp = Timestamp.wallClock().milliseconds
        let text = [
            bundleId, key.keyIdentifier, product, offer, "alice at the guides", nonce.uuidString.lowercased(),
            "\(timestamp)",
        ].joined(separator: "\u{2063}")
        let signature = try P256.Signing.PrivateKey(pemRepresentation: key.secret).signature(for: text.utf8)
        return SKPaymentDiscount(
            identifier: offer, keyIdentifier: key.keyIdentifier, nonce: nonce,
            signature: signature.derRepresentation.base64EncodedString(), timestamp: NSNumber(value: timestamp))
    }

    /// An app whose subscription has a promotional offer, and a key to sign it with.
    private func prepare(_ store: StoreStack) async throws -> OfferKey {
        let catalogue = """
            {"identifier":"A","version":{"major":4,"minor":0},"settings":{},"products":[],"subscriptionGroups":[{
            "id":"30000001","name":"Guides","subscriptions":[{"type":"RecurringSubscription","productID":"\(product)",
            "groupNumber":1,"displayPrice":"9.99","recurringSubscriptionPeriod":"P1M",
            "introductoryOffer":{"paymentMode":"free","subscriptionPeriod":"P1W"},
            "adHocOffers":[{"offerID":"loyal","paymentMode":"payUpFront","subscriptionPeriod":"P3M",
            "displayPrice":"14.99"}]}]}]}
            """
        let file = store.directory.file("guides.storekit")
        try catalogue.write(toFile: file, atomically: true, encoding: .utf8)
        let imported = try await store.importCatalog(file, bundleId: bundleId)
        #expect(imported.status == 200, "\(imported.text)")
        let made = try await store.request(
            .POST, "/admin/v1/apps/\(bundleId)/keys", token: store.adminKey,
            body: Array(#"{"kind":"subscriptionOffer"}"#.utf8))
        #expect(made.status == 201, "\(made.text)")
        return try made.decoded()
    }
}
