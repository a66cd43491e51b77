/// The member names one object has had so far, to find duplicates.
///
/// Up to 32 are compared in place, without allocating. An object with more is either garbage or about to be refused,
/// and uses a set, so that a hostile header does not cost quadratic time.
struct MemberNames {
    private static let inlineMax = 32
    private var inline = InlineArray<32, HeaderValue>(repeating: HeaderValue())
    private var overflow: Set<[UInt8]> = []
    private(set) var count = 0

    /// Adds a name. False when the object already has it.
    mutating func insert(_ name: HeaderValue, in bytes: Span<UInt8>) -> Bool {
        if count < Self.inlineMax {
            for index in 0..<count where inline[index].isSameText(as: name, in: bytes) { return false }
            inline[count] = name
        } else {
            if overflow.isEmpty {
                for index in 0..<Self.inlineMax { overflow.insert(inline[index].utf8(in: bytes)) }
            }
            guard overflow.insert(name.utf8(in: bytes)).inserted else { return false }
        }
        count += 1
        return true
    }
}
