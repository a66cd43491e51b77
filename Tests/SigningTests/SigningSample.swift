import StoreModels
import StorebusTesting

@testable import Signing

/// Receipts the tests speak of.
enum SigningSample {
    static let bundleId = "com.example.app"
    static let noon = Timestamp(milliseconds: 1_795_600_000_000)

    static let trial = with(
        ReceiptItem(
            transactionIdentifier: "2000000000000001", originalTransactionIdentifier: "2000000000000001",
            productIdentifier: "com.example.pro.monthly", type: .autoRenewable, quantity: 1, purchaseDate: noon,
            originalPurchaseDate: noon, expiresDate: noon + .seconds(14 * 86400),
            subscriptionGroupIdentifier: "21378123")
    ) {
        $0.webOrderLineItemIdentifier = "1000000000000001"
        $0.isTrialPeriod = true
        $0.isInIntroOfferPeriod = false
        $0.offer = AppliedOffer(type: .introductory, paymentMode: .freeTrial)
    }
    static let beaches = with(
        ReceiptItem(
            transactionIdentifier: "2000000000000002", originalTransactionIdentifier: "2000000000000002",
            productIdentifier: "com.example.hiddenBeaches", type: .nonConsumable, quantity: 1, purchaseDate: noon,
            originalPurchaseDate: noon)
    ) {
        $0.cancellationDate = noon + .seconds(60)
        $0.cancellationReason = .other
    }

    static func document(
        _ items: [ReceiptItem] = [trial, beaches], environment: ReceiptEnvironment = .sandbox,
        customer: String = "c_alice"
    ) -> ReceiptDocument {
        ReceiptDocument(
            environment: environment, bundleId: bundleId, applicationVersion: "1.2", customerIdentifier: customer,
            creationDate: noon, originalApplicationVersion: "1.0", purchases: items.map(ReceiptPurchase.init))
    }

    /// A purchase with everything a receipt has a place for, or nothing of it.
    static func item(_ number: Int, _ random: inout SplitMix64) -> ReceiptItem {
        func instant() -> Timestamp {
            Timestamp(milliseconds: Int64.random(in: 946_684_800_000...4_102_444_800_000, using: &random))
        }
        func sometimes<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }
        let type = ProductType.allCases.randomElement(using: &random) ?? .consumable
        let isSubscription = type == .autoRenewable
        return with(
            ReceiptItem(
                transactionIdentifier: "\(2_000_000_000_000_000 + number)",
                originalTransactionIdentifier: "\(2_000_000_000_000_000 + Int.random(in: 0...number, using: &random))",
                productIdentifier:
                    "com.example.\(String(repeating: "ä", count: Int.random(in: 0...40, using: &random)))p", type: type,
                quantity: Int.random(in: 1...10, using: &random), purchaseDate: instant(),
                originalPurchaseDate: instant(), expiresDate: isSubscription ? instant() : nil)
        ) {
            $0.webOrderLineItemIdentifier = isSubscription ? "\(Int64.random(in: 0...Int64.max, using: &random))" : nil
            $0.isTrialPeriod = isSubscription ? Bool.random(using: &random) : nil
            $0.isInIntroOfferPeriod = isSubscription ? Bool.random(using: &random) : nil
            $0.cancellationDate = sometimes(instant())
            $0.offer = sometimes(AppliedOffer(type: .subscription, paymentMode: .payUpFront, identifier: "spring"))
        }
    }
}
