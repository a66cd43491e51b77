import StorebusTesting

/// A message in DER as a tree that can be changed: its lengths stay right, so a parser gets further
/// into it than with changed bytes.
struct DERTree {
    private var tag: UInt8
    private var content: [UInt8]
    /// Of constructed elements only.
    private var children: [DERTree]

    private var isConstructed: Bool { tag & 0x20 != 0 }

    /// - Returns: nil for what is not DER with one byte of tag.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        guard let tree = Self.take(&rest), rest.isEmpty else { return nil }
        self = tree
    }

    private init(tag: UInt8, content: [UInt8] = [], children: [DERTree] = []) {
        self.tag = tag
        self.content = content
        self.children = children
    }

    private static func take(_ bytes: inout ArraySlice<UInt8>) -> DERTree? {
        guard let tag = bytes.popFirst(), let first = bytes.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            guard bytes.count >= first & 0x7F, first & 0x7F < 8 else { return nil }
            length = bytes.prefix(Int(first & 0x7F)).reduce(0) { $0 << 8 | Int($1) }
            bytes = bytes.dropFirst(Int(first & 0x7F))
        }
        guard bytes.count >= length else { return nil }
        var inner = bytes.prefix(length)
        bytes = bytes.dropFirst(length)
        guard tag & 0x20 != 0 else { return DERTree(tag: tag, content: Array(inner)) }
        var children: [DERTree] = []
        while !inner.isEmpty {
            guard let child = take(&inner) else { return nil }
            children.append(child)
        }
        return DERTree(tag: tag, children: children)
    }

    var bytes: [UInt8] {
        let inner = isConstructed ? children.flatMap(\.bytes) : content
        guard inner.count >= 0x80 else { return [tag, UInt8(inner.count)] + inner }
        var length: [UInt8] = []
        var rest = inner.count
        while rest > 0 {
            length.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + inner
    }

    private static let tags: [UInt8] = [0x01, 0x02, 0x04, 0x05, 0x06, 0x0C, 0x16, 0x17, 0x18, 0x30, 0x31, 0xA0, 0xA3]

    /// Any tree, at most this deep.
    static func noise(depth: Int, _ random: inout SplitMix64) -> DERTree {
        // The list is not empty.
        let tag = tags.randomElement(using: &random)!
        guard tag & 0x20 != 0, depth > 0 else {
            let count = Int.random(in: 0...12, using: &random)
            return DERTree(tag: tag & ~0x20, content: (0..<count).map { _ in .random(in: 0...255, using: &random) })
        }
        let count = Int.random(in: 0...5, using: &random)
        return DERTree(tag: tag, children: (0..<count).map { _ in noise(depth: depth - 1, &random) })
    }

    /// Changes one element, however deep: leaves it out, doubles it, moves it, puts another in its place.
    mutating func mutate(_ random: inout SplitMix64) {
        guard !children.isEmpty, Int.random(in: 0..<8, using: &random) > 0 else { return change(&random) }
        let index = Int.random(in: children.indices, using: &random)
        guard Int.random(in: 0..<4, using: &random) == 0 else { return children[index].mutate(&random) }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: children.remove(at: index)
        case 1: children.insert(children[index], at: index)
        case 2: children.swapAt(index, Int.random(in: children.indices, using: &random))
        default: children[index] = .noise(depth: 3, &random)
        }
    }

    private mutating func change(_ random: inout SplitMix64) {
        guard !isConstructed else {
            tag = 0x30 | UInt8.random(in: 0...1, using: &random) | (Bool.random(using: &random) ? 0x80 : 0)
            return
        }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: tag = Self.tags.filter { $0 & 0x20 == 0 }.randomElement(using: &random) ?? tag
        case 1: content = []
        case 2: content.append(.random(in: 0...255, using: &random))
        default: content = (0..<9).map { _ in .random(in: 0...255, using: &random) }
        }
    }
}
