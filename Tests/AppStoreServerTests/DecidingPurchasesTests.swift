import StoreModels
import StorebusTesting
import Testing

@testable import AppStoreServer

/// Goal: the purchases that the gateway gets of a receipt say the same as all of them, and fit a reply.
@Suite struct DecidingPurchasesTests {
    private static let products = ["month", "year", "gone"]
    private static let groups: [String?] = ["a", "b", nil]

    @Test func `O5: the deciding purchases of random receipts say the same as all purchases`() throws {
        var random = SplitMix64.seeded()
        var (most, least) = (0, Int.max)
        for _ in 0..<500 {
            let whole = Self.receipt(&random)
            let deciding = try whole.deciding()
            (most, least) = (max(most, whole.items.count), min(least, deciding.items.count))
            #expect(Self.said(by: deciding) == Self.said(by: whole))
            for known in [[], ["month"], Self.products] {
                let isKnown: (String) -> Bool = { known.contains($0) }
                #expect(deciding.unplaced(isKnown) == whole.unplaced(isKnown))
            }
        }
        #expect(most > 40 && least < 8)
    }

    @Test func `of 1 500 renewals of one subscription two decide`() throws {
        let items = (1...1_500).map { Self.item($0, of: 1, "month", "a") }
        let receipt = ReceiptHistory(
            items: [with(items[0]) { $0.isTrialPeriod = true }] + items.dropFirst(),
            now: Timestamp(milliseconds: 10_000_000))
        #expect(try receipt.deciding().items.map(\.transactionIdentifier) == ["1", "1500"])
    }

    @Test func `650 deciding purchases with the longest identifiers fit a reply, and too many are refused`() throws {
        func receipt(_ count: Int) -> ReceiptHistory {
            let items = (1...count).map { number in
                let name = "\(number)".padded(to: 100)
                return with(Self.item(number, of: number, name, name)) {
                    $0.transactionIdentifier = "\(Int64.max - Int64(number))"
                    $0.originalTransactionIdentifier = $0.transactionIdentifier
                    $0.webOrderLineItemIdentifier = $0.transactionIdentifier
                    $0.isTrialPeriod = false
                    $0.isInIntroOfferPeriod = false
                    $0.isUpgraded = true
                    $0.expiresDate = .latest
                    $0.cancellationDate = .latest
                }
            }
            return ReceiptHistory(items: items, now: .latest)
        }
        #expect(try receipt(650).deciding().items.count == 650)
        let refused = #expect(throws: StoreError.self) { try receipt(1_500).deciding() }
        #expect(refused?.code == .bodyTooLarge)
    }

    /// Describes the facts of a receipt about each group, for each product.
    private static func said(by receipt: ReceiptHistory) -> [SubscriptionGroupHistory?] {
        let history = receipt.history
        return products.flatMap { product in
            ["a", "b", "c"].map { group in
                let question = SubscriptionHistory.Question(of: product, inGroup: group) { _ in false }
                return history.group(of: question, at: receipt.now)
            }
        }
    }

    /// Makes purchases of three subscriptions, oldest first, some with an offer, revoked, replaced or active.
    private static func receipt(_ random: inout SplitMix64) -> ReceiptHistory {
        let items = (1...Int.random(in: 1...60, using: &random)).map { number in
            with(
                item(
                    number, of: Int.random(in: 1...3, using: &random), products.randomElement(using: &random) ?? "",
                    groups.randomElement(using: &random) ?? nil)
            ) {
                $0.isTrialPeriod = Int.random(in: 0..<10, using: &random) == 0
                $0.isInIntroOfferPeriod = Int.random(in: 0..<10, using: &random) == 0
                $0.expiresDate = Timestamp(milliseconds: Int64.random(in: 0...70_000, using: &random))
                if Int.random(in: 0..<4, using: &random) == 0 { $0.cancellationDate = $0.purchaseDate }
                if Int.random(in: 0..<4, using: &random) == 0 { $0.isUpgraded = true }
            }
        }
        return ReceiptHistory(items: items, now: Timestamp(milliseconds: 60_000))
    }

    private static func item(_ number: Int, of original: Int, _ product: String, _ group: String?) -> ReceiptItem {
        let date = Timestamp(milliseconds: Int64(number) * 1_000)
        return ReceiptItem(
            transactionIdentifier: "\(number)", originalTransactionIdentifier: "\(original)",
            productIdentifier: product, type: .autoRenewable, quantity: 1, purchaseDate: date,
            originalPurchaseDate: date, expiresDate: date, subscriptionGroupIdentifier: group)
    }
}

extension String {
    /// The text with letters after it, up to a length.
    fileprivate func padded(to length: Int) -> String { self + String(repeating: "x", count: length - count) }
}
