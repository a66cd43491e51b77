/// Writes JSON straight into bytes, members in the order of their names.
///
/// `Encodable` types name their members in an order of their own, so an object's members are written as they come and
/// put in order when the object ends. The encoder gets no call at a container's end. A container ends with the next
/// write at an outer level, or with the value that opened it.
struct SortedJSONWriter {
    /// A value that is being written.
    private struct Frame {
        enum Kind { case undecided, object, array, scalar }

        var kind = Kind.undecided
        /// The frame's first member in `members`.
        let firstMember: Int
        var isEmpty = true
    }

    /// The places where a member's `"name":value` begins, its name ends and it ends itself.
    private struct Member {
        let start: Int
        let nameEnd: Int
        /// Known when the object ends.
        var end = 0
    }

    fileprivate(set) var bytes: [UInt8] = []
    private var frames: [Frame] = []
    private var members: [Member] = []
    /// An object's members in order, until they take the place of those in `bytes`.
    private var sorted: [UInt8] = []

    init() {
        bytes.reserveCapacity(1024)
        frames.reserveCapacity(8)
        members.reserveCapacity(32)
    }

    // MARK: Frames

    /// Begins a value, whose kind follows.
    /// - Returns: Its depth.
    mutating func begin() -> Int {
        frames.append(Frame(firstMember: members.count))
        return frames.count - 1
    }

    /// Ends every value deeper than `depth`.
    mutating func endAll(deeperThan depth: Int) {
        while frames.count > depth + 1 { end() }
    }

    private mutating func end() {
        let frame = frames.removeLast()
        switch frame.kind {
        case .undecided: append("{}")
        case .scalar: break
        case .array: bytes.append(UInt8(ascii: "]"))
        case .object:
            sortMembers(from: frame.firstMember)
            members.removeSubrange(frame.firstMember...)
            bytes.append(UInt8(ascii: "}"))
        }
    }

    mutating func openObject(_ depth: Int) {
        endAll(deeperThan: depth)
        // Two containers of the same value write into the same object.
        guard frames[depth].kind != .object else { return }
        precondition(frames[depth].kind == .undecided, "a value is encoded as an object and as something else")
        frames[depth].kind = .object
        bytes.append(UInt8(ascii: "{"))
    }

    mutating func openArray(_ depth: Int) {
        endAll(deeperThan: depth)
        guard frames[depth].kind != .array else { return }
        precondition(frames[depth].kind == .undecided, "a value is encoded as a list and as something else")
        frames[depth].kind = .array
        bytes.append(UInt8(ascii: "["))
    }

    /// Begins a member of the object at this depth. Its value follows.
    mutating func member(_ name: String, _ depth: Int) {
        endAll(deeperThan: depth)
        separate(depth)
        let start = bytes.count
        write(name)
        members.append(Member(start: start, nameEnd: bytes.count))
        bytes.append(UInt8(ascii: ":"))
    }

    /// Begins an element of the array at this depth. Its value follows.
    mutating func element(_ depth: Int) {
        endAll(deeperThan: depth)
        separate(depth)
    }

    /// Begins a value that is neither object nor array, or writes itself.
    mutating func single(_ depth: Int) {
        endAll(deeperThan: depth)
        precondition(frames[depth].kind == .undecided, "a value is encoded twice")
        frames[depth].kind = .scalar
    }

    private mutating func separate(_ depth: Int) {
        if frames[depth].isEmpty { frames[depth].isEmpty = false } else { bytes.append(UInt8(ascii: ",")) }
    }

    // MARK: Order

    private mutating func sortMembers(from first: Int) {
        guard first < members.count - 1 else { return }
        var isSorted = true
        for index in first..<members.count - 1 {
            // The end of a member is the comma before the next one; of the last, the object's.
            members[index].end = members[index + 1].start - 1
            isSorted = isSorted && precedes(members[index], members[index + 1])
        }
        guard !isSorted else { return }
        members[members.count - 1].end = bytes.count
        let start = members[first].start
        sortInPlace(from: first)
        sorted.removeAll(keepingCapacity: true)
        sorted.reserveCapacity(bytes.count - start)
        for member in members[first...] {
            if !sorted.isEmpty { sorted.append(UInt8(ascii: ",")) }
            sorted.append(contentsOf: bytes[member.start..<member.end])
        }
        bytes.replaceSubrange(start..., with: sorted)
    }

    /// Puts an object's members in order. The wire types' have a dozen, for which insertion is fastest.
    private mutating func sortInPlace(from first: Int) {
        guard members.count - first <= Self.insertedMax else {
            members.replaceSubrange(first..., with: members[first...].sorted { precedes($0, $1) })
            return
        }
        for index in first + 1..<members.count {
            var target = index
            while target > first, precedes(members[target], members[target - 1]) {
                members.swapAt(target, target - 1)
                target -= 1
            }
        }
    }

    /// The most members that are put in order by insertion.
    private static let insertedMax = 32

    private func precedes(_ left: Member, _ right: Member) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            // The closing quote sorts before every character a name can have but space and '!', which no name of the
            // wire types has.
            var (i, j) = (left.start + 1, right.start + 1)
            while i < left.nameEnd - 1, j < right.nameEnd - 1 {
                if bytes[i] != bytes[j] { return bytes[i] < bytes[j] }
                i += 1
                j += 1
            }
            return left.nameEnd - left.start < right.nameEnd - right.start
        }
    }

    // MARK: Scalars

    mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(raw text: ArraySlice<UInt8>) { bytes.append(contentsOf: text) }

    mutating func write(_ value: Bool) { append(value ? "true" : "false") }

    mutating func writeNull() { append("null") }

    mutating func write(integer value: some FixedWidthInteger) {
        bytes.append(contentsOf: "\(value)".utf8)
    }

    /// The shortest text that reads as the same double. Whole numbers have no point.
    /// - Precondition: `value` is finite.
    mutating func write(double value: Double) {
        let text = value.description
        bytes.append(contentsOf: text.utf8.dropLast(text.hasSuffix(".0") ? 2 : 0))
    }

    mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            if utf8.contains(where: Self.needsEscape) {
                for byte in utf8 { writeEscaped(byte) }
            } else {
                bytes.append(contentsOf: utf8)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func writeEscaped(_ byte: UInt8) {
        guard Self.needsEscape(byte) else { return bytes.append(byte) }
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 8: append("\\b")
        case 9: append("\\t")
        case 10: append("\\n")
        case 12: append("\\f")
        case 13: append("\\r")
        default:
            append("\\u00")
            bytes.append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
            let digit = byte & 0x0F
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
