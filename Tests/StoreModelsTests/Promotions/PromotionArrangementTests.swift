import StoreModels
import StorebusTesting
import Testing

/// Goal: a device's page is its own order first and the operator's behind it, visible products only (M97–M105, M2).
/// Method: the article's examples, then random lists against a model that knows nothing of sets.
@Suite struct PromotionArrangementTests {
    private func shown(
        _ promoted: String, hidden: String = "", order: String = "",
        _ visibility: [ExactText: StorePromotionVisibility] = [:]
    ) -> String {
        PromotionArrangement(promoted: promoted.map(String.init), hidden: hidden.map(String.init))
            .shown(with: PromotionOverrides(order: order.map(String.init), visibility: visibility)).joined()
    }

    @Test func `M70, M102: without overrides it is the operator's page`() {
        #expect(shown("abcdef") == "abcdef")
        #expect(shown("abcdef", hidden: "be") == "acdf")
        #expect(shown("") == "")
    }

    @Test func `M97, M98: the device's products come first, the rest stays as the operator has it`() {
        #expect(shown("hpf", order: "fph") == "fph")
        #expect(shown("abcdef", order: "db") == "dbacef")
    }

    @Test func `M99: a listed product that is hidden or not promoted is passed over`() {
        #expect(shown("abcd", hidden: "d", order: "db") == "bac")
        #expect(shown("abcd", order: "xdxb") == "dbac")
    }

    @Test func `M100: an empty order is the operator's`() {
        #expect(shown("abc", order: "") == "abc")
    }

    @Test func `M88, M91, M92: hide hides here, show shows what the operator hides, default leaves it to the operator`()
    {
        #expect(shown("abc", ["b": .hide]) == "ac")
        #expect(shown("abc", hidden: "b", ["b": .show]) == "abc")
        #expect(shown("abc", hidden: "b", ["b": .default]) == "ac")
        // Showing does not promote.
        #expect(shown("abc", ["x": .show]) == "abc")
    }

    @Test func `M105: the rest follows the operator's new order, and new products are in the rest`() {
        #expect(shown("abcd", order: "db") == "dbac")
        #expect(shown("cnabd", order: "db") == "dbcna")
    }

    @Test func `a list that names a product twice has it once`() {
        #expect(shown("abab") == "ab")
        #expect(shown("abc", order: "cac") == "cab")
    }

    @Test func `M2, M98: random lists are as a naive model makes them, each product once and none that is hidden`() {
        var random = SplitMix64.seeded()
        let rounds = 20_000
        for _ in 0..<rounds {
            let products = (0..<Int.random(in: 0...20, using: &random)).map { "p\($0)" }.shuffled(using: &random)
            let known = (0..<30).map { "p\($0)" }
            let hidden = known.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
            let order = Array(known.shuffled(using: &random).prefix(Int.random(in: 0...30, using: &random)))
            var visibility: [ExactText: StorePromotionVisibility] = [:]
            for product in known where Int.random(in: 0..<3, using: &random) == 0 {
                visibility[product] = [.show, .hide, .default].randomElement(using: &random)
            }
            let overrides = PromotionOverrides(order: order, visibility: visibility)
            let shown = PromotionArrangement(promoted: products, hidden: hidden).shown(with: overrides)
            #expect(shown == naive(products, hidden, order, visibility))
            #expect(Set(shown).count == shown.count)
            #expect(shown.allSatisfy(products.contains))
            // Stable on the rest: what the device has not listed keeps the operator's relative order.
            let rest = shown.filter { !order.contains($0) }
            #expect(rest == products.filter { rest.contains($0) })
            #expect(shown.prefix(shown.count - rest.count).allSatisfy(order.contains))
        }
        print("PromotionArrangement: \(rounds) random lists agree with the model")
    }

    /// Product after product, by looking at each list from its beginning.
    private func naive(
        _ products: [String], _ hidden: [String], _ order: [String], _ visibility: [ExactText: StorePromotionVisibility]
    ) -> [String] {
        var page: [String] = []
        func place(_ product: String) {
            guard products.contains(product), !page.contains(product) else { return }
            if visibility[product] == .hide { return }
            if hidden.contains(product), visibility[product] != .show { return }
            page.append(product)
        }
        for product in order { place(product) }
        for product in products { place(product) }
        return page
    }
}
