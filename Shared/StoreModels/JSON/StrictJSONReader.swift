/// A recursive-descent reader of RFC 8259 over bytes, one pass; builds values only when asked to.
struct StrictJSONReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let depthMax: Int
    private let building: Bool
    private var index = 0
    private var path: [Step] = []

    private enum Step {
        case member(String)
        case element(Int)
    }

    init(_ bytes: UnsafeBufferPointer<UInt8>, depthMax: Int, building: Bool) {
        self.bytes = bytes
        self.depthMax = depthMax
        self.building = building
    }

    mutating func document() throws(StrictJSONError) -> JSONValue {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw fault("begins with a byte order mark") }
        skipSpace()
        let result = try value()
        skipSpace()
        guard index == bytes.count else { throw fault("has more text behind the document") }
        return result
    }

    private mutating func value() throws(StrictJSONError) -> JSONValue {
        guard index < bytes.count else { throw fault("ends too early") }
        switch bytes[index] {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw fault("has an unexpected character")
        }
    }

    private mutating func object() throws(StrictJSONError) -> JSONValue {
        var members: [String: JSONValue] = [:]
        var seen: Set<String> = []
        try open()
        if take(UInt8(ascii: "}")) { return .object(members) }
        repeat {
            skipSpace()
            guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { throw fault("expects a member name") }
            let name = try string()
            path.append(.member(name))
            guard seen.insert(name).inserted else { throw fault("stands twice in the same object") }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw fault("expects ':' behind the member name") }
            skipSpace()
            let result = try value()
            if building { members[name] = result }
            path.removeLast()
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw fault("expects ',' or '}'") }
        return .object(members)
    }

    private mutating func array() throws(StrictJSONError) -> JSONValue {
        var values: [JSONValue] = []
        var position = 0
        try open()
        if take(UInt8(ascii: "]")) { return .array(values) }
        repeat {
            skipSpace()
            path.append(.element(position))
            let result = try value()
            if building { values.append(result) }
            path.removeLast()
            position += 1
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw fault("expects ',' or ']'") }
        return .array(values)
    }

    /// Steps over the bracket. `path` is as long as the nesting above this value.
    private mutating func open() throws(StrictJSONError) {
        guard path.count < depthMax else { throw fault("is nested deeper than \(depthMax) levels") }
        index += 1
        skipSpace()
    }

    private mutating func string() throws(StrictJSONError) -> String {
        index += 1
        let start = index
        var escaped = false
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            guard bytes[index] >= 0x20 else { throw fault("has a control character in a string") }
            if bytes[index] == UInt8(ascii: "\\") {
                escaped = true
                try escape()
            } else {
                index += 1
            }
        }
        guard index < bytes.count else { throw fault("has a string without an end") }
        let raw = bytes[start..<index]
        index += 1
        guard let text = String(validating: raw, as: UTF8.self) else { throw fault("is not UTF-8") }
        return escaped ? unescaped(text) : text
    }

    /// Steps over one escape sequence and refuses U+0000 and surrogates that stand alone.
    private mutating func escape() throws(StrictJSONError) {
        guard index + 1 < bytes.count else { throw fault("has a string without an end") }
        switch bytes[index + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            index += 2
        case UInt8(ascii: "u"):
            let unit = try hexadecimal(at: index + 2)
            index += 6
            switch unit {
            case 0: throw fault("contains U+0000")
            case 0xD800...0xDBFF:
                guard index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"),
                    bytes[index + 1] == UInt8(ascii: "u"),
                    (0xDC00...0xDFFF).contains(try hexadecimal(at: index + 2))
                else { throw fault("has half of a surrogate pair") }
                index += 6
            case 0xDC00...0xDFFF: throw fault("has half of a surrogate pair")
            default: break
            }
        default: throw fault("has an unknown escape sequence")
        }
    }

    private func hexadecimal(at start: Int) throws(StrictJSONError) -> UInt16 {
        guard start + 4 <= bytes.count,
            let value = UInt16(String(decoding: bytes[start..<start + 4], as: UTF8.self), radix: 16),
            bytes[start] != UInt8(ascii: "+")
        else { throw fault("has a bad \\u sequence") }
        return value
    }

    /// Decodes the escapes of a string that ``escape()`` has found sound.
    private func unescaped(_ text: String) -> String {
        var units: [UInt16] = []
        var iterator = text.utf16.makeIterator()
        while let unit = iterator.next() {
            guard unit == UInt16(UInt8(ascii: "\\")), let kind = iterator.next() else {
                units.append(unit)
                continue
            }
            switch UInt8(truncatingIfNeeded: kind) {
            case UInt8(ascii: "b"): units.append(8)
            case UInt8(ascii: "f"): units.append(12)
            case UInt8(ascii: "n"): units.append(10)
            case UInt8(ascii: "r"): units.append(13)
            case UInt8(ascii: "t"): units.append(9)
            case UInt8(ascii: "u"):
                let digits = (0..<4).compactMap { _ in iterator.next() }
                units.append(UInt16(String(decoding: digits, as: UTF16.self), radix: 16) ?? 0xFFFD)
            default: units.append(kind)
            }
        }
        return String(decoding: units, as: UTF16.self)
    }

    private mutating func number() throws(StrictJSONError) -> JSONValue {
        let start = index
        _ = take(UInt8(ascii: "-"))
        if take(UInt8(ascii: "0")) {
            if index < bytes.count, isDigit(bytes[index]) { throw fault("has a number with a leading zero") }
        } else {
            try digits()
        }
        if take(UInt8(ascii: ".")) { try digits() }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        return .number(building ? String(decoding: bytes[start..<index], as: UTF8.self) : "")
    }

    private mutating func digits() throws(StrictJSONError) {
        guard index < bytes.count, isDigit(bytes[index]) else { throw fault("has a malformed number") }
        while index < bytes.count, isDigit(bytes[index]) { index += 1 }
    }

    private mutating func word(_ text: StaticString, _ value: JSONValue) throws(StrictJSONError) -> JSONValue {
        let length = text.utf8CodeUnitCount
        guard index + length <= bytes.count,
            bytes[index..<index + length].elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: length))
        else { throw fault("has an unknown word") }
        index += length
        return value
    }

    private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

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

    private func fault(_ reason: String) -> StrictJSONError {
        let text = path.reduce("$") { text, step in
            switch step {
            case .member(let name): "\(text).\(name)"
            case .element(let position): "\(text)[\(position)]"
            }
        }
        return StrictJSONError(offset: index, path: text, reason: reason)
    }
}
