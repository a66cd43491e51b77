/// The promoted products that a device shows, in their order (M62, M86–M105). The device's order comes first, then the
/// rest in the operator's. The type is pure.
///
/// ```swift
/// let shown = PromotionArrangement(promoted: ["a", "b", "c"], hidden: ["c"])
///     .shown(with: PromotionOverrides(order: ["c", "b"], visibility: ["c": .show]))    // ["c", "b", "a"]
/// ```
public struct PromotionArrangement: Hashable, Sendable {
    /// The operator's list, in its order, without repetitions.
    public let promoted: [String]
    /// The products that the operator hides unless a device shows them.
    public let hidden: Set<ExactText>

    /// - Parameters:
    ///   - promoted: The operator's list in its order. The first occurrence of a repeated product counts.
    ///   - hidden: The products the operator hides. Products that are not in the list do not matter.
    public init(promoted: [String], hidden: some Sequence<String>) {
        var seen: Set<ExactText> = []
        self.promoted = promoted.filter { seen.insert($0).inserted }
        self.hidden = Set(exactly: hidden)
    }

    /// The products on the device's store page, search and featured tab, in its order.
    ///
    /// The device's order may name any products. Those not promoted or not visible are skipped (M99) and appear when
    /// they are. Without overrides it is the operator's page (M70, M102).
    public func shown(with overrides: PromotionOverrides = PromotionOverrides()) -> [String] {
        let listed = Set(exactly: promoted)
        var placed: Set<ExactText> = []
        let first = overrides.order.filter { listed.containsExactly($0) && placed.insert($0).inserted }
        let rest = promoted.filter { !placed.containsExactly($0) }
        return (first + rest).filter { isVisible($0, with: overrides) }
    }

    /// Whether a promoted product is visible on the device. The device's setting decides, else the operator's (M88,
    /// M92).
    public func isVisible(_ productIdentifier: String, with overrides: PromotionOverrides) -> Bool {
        switch overrides.visibility(of: productIdentifier) {
        case .show: true
        case .hide: false
        case .default: !hidden.containsExactly(productIdentifier)
        }
    }
}
