import JSONSyntax

/// A recursive-descent reader of RFC 8259 over bytes, one pass, that writes a ``JSONTape``'s nodes.
struct StrictJSONReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let depthMax: Int
    private var index = 0
    private(set) var nodes: [JSONTape.Node] = []
    private var path: [Step] = []

    /// A step of the path to the reader's position. Names are looked up only when a fault is reported.
    private enum Step {
        case member(node: Int)
        case element(Int)
    }

    init(_ bytes: UnsafeBufferPointer<UInt8>, depthMax: Int) {
        self.bytes = bytes
        self.depthMax = depthMax
        nodes.reserveCapacity(bytes.count / 12 + 4)
    }

    mutating func document() throws(StrictJSONError) {
        guard bytes.count <= Int(Int32.max) else { throw fault("is larger than 2 GiB") }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw fault("begins with a byte order mark") }
        skipSpace()
        if let format = otherFormat { throw fault("is \(format), not JSON") }
        try value()
        skipSpace()
        guard index == bytes.count else { throw fault("has more text behind the document") }
    }

    /// The format of a file sent by mistake: Xcode's other files are property lists.
    private var otherFormat: String? {
        let rest = bytes[index...]
        if rest.starts(with: "bplist".utf8) { return "a binary property list" }
        guard rest.first == UInt8(ascii: "<") else { return nil }
        let head = String(decoding: rest.prefix(256), as: UTF8.self)
        if head.contains("plist") { return "a property list in XML" }
        return head.hasPrefix("<?xml") ? "XML" : nil
    }

    private mutating func value() throws(StrictJSONError) {
        guard index < bytes.count else { throw fault("ends too early") }
        switch bytes[index] {
        case UInt8(ascii: "{"): try object()
        case UInt8(ascii: "["): try array()
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "t"): try word("true", .true)
        case UInt8(ascii: "f"): try word("false", .false)
        case UInt8(ascii: "n"): try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        default: throw fault("has an unexpected character")
        }
    }

    private mutating func object() throws(StrictJSONError) {
        let node = try open(.object)
        if take(UInt8(ascii: "}")) { return close(node) }
        repeat {
            skipSpace()
            guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { throw fault("expects a member name") }
            let name = nodes.count
            try string()
            path.append(.member(node: name))
            guard !stands(name, alreadyIn: node) else { throw fault("occurs twice in the same object") }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw fault("expects ':' behind the member name") }
            skipSpace()
            try value()
            path.removeLast()
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw fault("expects ',' or '}'") }
        close(node)
    }

    private mutating func array() throws(StrictJSONError) {
        let node = try open(.array)
        if take(UInt8(ascii: "]")) { return close(node) }
        var position = 0
        repeat {
            skipSpace()
            path.append(.element(position))
            try value()
            path.removeLast()
            position += 1
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw fault("expects ',' or ']'") }
        close(node)
    }

    /// Steps over the bracket. `path` is as long as the nesting above this value.
    private mutating func open(_ kind: JSONTape.Node.Kind) throws(StrictJSONError) -> Int {
        guard path.count < depthMax else { throw fault("is nested deeper than \(depthMax) levels") }
        add(kind, from: index, to: index)
        index += 1
        skipSpace()
        return nodes.count - 1
    }

    private mutating func close(_ node: Int) {
        nodes[node].end = Int32(index)
        nodes[node].next = Int32(nodes.count)
    }

    private mutating func add(_ kind: JSONTape.Node.Kind, from start: Int, to end: Int, isASCII: Bool = true) {
        nodes.append(
            .init(
                kind: kind, isASCII: isASCII, start: Int32(start), end: Int32(end), next: Int32(nodes.count + 1)))
    }

    // MARK: Strings

    private mutating func string() throws(StrictJSONError) {
        let start = index + 1
        do throws(JSONFault) {
            let text = try JSONString.scan(bytes.span, from: start)
            index = text.end + 1
            add(text.isEscaped ? .escapedString : .string, from: start, to: text.end, isASCII: text.isASCII)
        } catch {
            throw fault(error)
        }
    }

    // MARK: Duplicates

    /// Whether an earlier member of the object has this name. Names are compared byte by byte once escapes are read.
    /// Names that Unicode calls equal are two names, as two identifiers are (`docs/identifiers.md`).
    ///
    /// Storebus's objects have a dozen members. One with very many, which only a hostile or a generated document has,
    /// is searched with a set.
    private mutating func stands(_ name: Int, alreadyIn object: Int) -> Bool {
        var earlier = object + 1
        for _ in 0..<Self.comparedMax {
            guard earlier < name else { return false }
            if isSame(earlier, name) { return true }
            earlier = Int(nodes[earlier + 1].next)
        }
        return earlier < name && standsInSet(name, object)
    }

    /// More earlier members than this are looked up in a set.
    private static let comparedMax = 64

    /// The names an object with many members has so far.
    private struct Names {
        let object: Int
        /// The first name that is not in `texts` yet.
        var unknown: Int
        var texts: Set<ExactText> = []
    }

    /// The names of the open objects with many members, the innermost last.
    private var names: [Names] = []

    private mutating func standsInSet(_ name: Int, _ object: Int) -> Bool {
        while let last = names.last, last.object > object { names.removeLast() }
        if names.last?.object != object { names.append(Names(object: object, unknown: object + 1)) }
        let last = names.count - 1
        while names[last].unknown < name {
            names[last].texts.insert(text(names[last].unknown))
            names[last].unknown = Int(nodes[names[last].unknown + 1].next)
        }
        return names[last].texts.containsExactly(text(name))
    }

    private func isSame(_ left: Int, _ right: Int) -> Bool {
        let (a, b) = (nodes[left], nodes[right])
        guard a.kind == .string, b.kind == .string, a.isASCII, b.isASCII else {
            return text(left).isExactly(text(right))
        }
        guard a.end - a.start == b.end - b.start else { return false }
        let name = UnsafeBufferPointer(rebasing: bytes[Int(a.start)..<Int(a.end)])
        return JSONTape.isSame(name, bytes, at: Int(b.start))
    }

    private func text(_ node: Int) -> String {
        let raw = UnsafeBufferPointer(rebasing: bytes[Int(nodes[node].start)..<Int(nodes[node].end)])
        return nodes[node].kind == .escapedString ? JSONTape.resolved(raw) : String(decoding: raw, as: UTF8.self)
    }

    // MARK: Numbers and words

    private mutating func number() throws(StrictJSONError) {
        let start = index
        do throws(JSONFault) {
            index = try JSONNumber.scan(bytes.span, from: start).end
            add(.number, from: start, to: index)
        } catch {
            throw fault(error)
        }
    }

    private mutating func word(_ text: StaticString, _ kind: JSONTape.Node.Kind) throws(StrictJSONError) {
        let length = text.utf8CodeUnitCount
        guard index + length <= bytes.count,
            bytes[index..<index + length].elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: length))
        else { throw fault("has an unknown word") }
        add(kind, from: index, to: index + length)
        index += length
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace() {
        while index < bytes.count,
            bytes[index] == 0x20 || bytes[index] == 0x0A || bytes[index] == 0x0D || bytes[index] == 0x09
        { index += 1 }
    }

    private mutating func fault(_ fault: JSONFault) -> StrictJSONError {
        index = fault.offset
        return switch fault.reason {
        case .unendedString: self.fault("has a string without an end")
        case .rawNUL, .rawControlCharacter: self.fault("has a control character in a string")
        case .invalidUTF8: self.fault("is not UTF-8")
        case .unknownEscape: self.fault("has an unknown escape sequence")
        case .malformedUnicodeEscape: self.fault("has a bad \\u sequence")
        case .escapedNUL: self.fault("contains U+0000")
        case .loneSurrogate: self.fault("has half of a surrogate pair")
        case .malformedNumber: self.fault("has a malformed number")
        case .leadingZero: self.fault("has a number with a leading zero")
        }
    }

    private func fault(_ reason: String) -> StrictJSONError {
        let location = path.reduce("$") { location, step in
            switch step {
            case .member(let name): "\(location).\(text(name))"
            case .element(let position): "\(location)[\(position)]"
            }
        }
        return StrictJSONError(offset: index, path: location, reason: reason)
    }
}
