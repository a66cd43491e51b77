import StoreModels
import StorebusTesting
import Testing

@testable import Catalog

/// Goal: the promoted list and the reasons agree with a naive model, for any setup (M66–M68, M109). Method: apps made
/// by chance, each product judged by itself.
@Suite struct PromotionPolicyTests {
    /// An app as a test thinks of it.
    private struct Model {
        struct Item {
            let identifier: String
            var isCleared = true
            var image: PromotionImage.State?
        }

        var items: [Item]
        /// Of the list; nil without one.
        var entries: [PromotionEntry]?
        var isReleased = true

        /// Straight from the sentence: in the list, with an approved image, for sale, the app released.
        var page: [String] {
            guard isReleased else { return [] }
            if let entries {
                return entries.map(\.productIdentifier).filter { name in
                    items.contains { $0.identifier == name && $0.isCleared && $0.image == .approved }
                }
            }
            let isPreview = items.allSatisfy { $0.image == nil }
            let ready = items.filter { $0.isCleared && (isPreview || $0.image == .approved) }
            return Array(ready.map(\.identifier).prefix(20))
        }

        init(using random: inout SplitMix64) {
            let count = Int.random(in: 0...40, using: &random)
            let hasImages = Bool.random(using: &random)
            items = (0..<count).map { number in
                Item(
                    identifier: "p\(number)", isCleared: Int.random(in: 0..<4, using: &random) > 0,
                    image: hasImages
                        ? [nil, .waiting, .rejected, .approved, .approved].randomElement(using: &random)! : nil)
            }
            isReleased = Int.random(in: 0..<8, using: &random) > 0
            guard Bool.random(using: &random) else { return }
            // Some of them, and some that an import has taken away.
            let known = items.map(\.identifier) + ["gone1", "gone2"]
            entries = known.shuffled(using: &random).prefix(Int.random(in: 0...20, using: &random)).map {
                PromotionEntry(productIdentifier: $0, visible: Bool.random(using: &random))
            }
        }

        func policy() throws -> PromotionPolicy {
            let file = FileBuilder.file(
                products: items.map { FileBuilder.product($0.identifier, ["clearedForSale": .bool($0.isCleared)]) })
            var promotions = StoredPromotions()
            promotions.entries = entries
            for item in items {
                guard let state = item.image else { continue }
                promotions.add(
                    PromotionImage(
                        productIdentifier: item.identifier, state: state, format: .png, width: 1024, height: 1024,
                        length: 1, sha256: ""))
            }
            let app = App(
                bundleId: "app", settings: AppSettings(name: "A", released: isReleased), catalogVersion: 1)
            let snapshot = AppSnapshot(
                app: app, settingsRevision: 1,
                index: CatalogIndex(try StoreKitFileReader.read(try StoreJSON.encode(file), fileName: "A").catalog),
                contents: StoredContents(), promotions: promotions)
            return PromotionPolicy(
                snapshot: snapshot,
                availability: AvailabilityPolicy(
                    agreementsActive: true, contents: StoredContents(), storefront: "USA",
                    now: Timestamp(milliseconds: 0)))
        }
    }

    @Test func `a product is on the page exactly when no reason speaks against it, in the order of the model`() throws {
        var random = SplitMix64.seeded()
        for _ in 0..<400 {
            let model = Model(using: &random)
            let policy = try model.policy()
            let promoted = policy.promoted()
            #expect(promoted.map { model.items[$0.position].identifier } == model.page)
            for entry in promoted {
                let name = model.items[entry.position].identifier
                let listed = model.entries?.first { $0.productIdentifier == name }
                #expect(entry.isVisible == (listed?.visible ?? true))
            }
            for position in model.items.indices {
                let reasons = policy.reasons(at: position)
                #expect(reasons.isEmpty == model.page.contains(model.items[position].identifier))
                #expect(reasons == PromotionExplanation.Reason.allCases.filter(reasons.contains), "in their order")
                #expect(policy.explanation(of: model.items[position].identifier).details.count == reasons.count)
            }
        }
    }
}
