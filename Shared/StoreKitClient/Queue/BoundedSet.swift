/// A set that forgets its oldest members when it is full.
struct BoundedSet<Element: Hashable & Sendable>: Sendable {
    private let count: Int
    private var members: Set<Element> = []
    private var order: [Element] = []
    /// The index of the oldest member in `order`, once it is full.
    private var oldest = 0

    init(count: Int) { self.count = count }

    func contains(_ element: Element) -> Bool { members.contains(element) }

    /// - Returns: Whether the element was not in the set before.
    @discardableResult
    mutating func insert(_ element: Element) -> Bool {
        guard members.insert(element).inserted else { return false }
        if order.count < count {
            order.append(element)
        } else {
            members.remove(order[oldest])
            order[oldest] = element
            oldest = (oldest + 1) % count
        }
        return true
    }

    mutating func remove(_ element: Element) {
        guard members.remove(element) != nil else { return }
        order = (order[oldest...] + order[..<oldest]).filter { $0 != element }
        oldest = 0
    }
}
