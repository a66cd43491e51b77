import BusProtocol

/// The header grammar once more, written for nothing but being plain: text first, then scalars, then a set of names.
struct NaiveJSON {
    private struct Refused: Error {}

    private let scalars: [Unicode.Scalar]
    private var at = 0

    /// Whether the bytes are one object that SBP/1 takes: strict JSON without NUL, duplicate member or BOM, nested no
    /// deeper than the limit.
    static func accepts(_ bytes: [UInt8]) -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self) else { return false }
        var reader = NaiveJSON(scalars: Array(text.unicodeScalars))
        do {
            reader.skipSpace()
            try reader.object(level: 1)
            reader.skipSpace()
            return reader.at == reader.scalars.count
        } catch {
            return false
        }
    }

    private init(scalars: [Unicode.Scalar]) { self.scalars = scalars }

    private var next: Unicode.Scalar? { at < scalars.count ? scalars[at] : nil }

    private mutating func skipSpace() {
        while let next, " \t\n\r".unicodeScalars.contains(next) { at += 1 }
    }

    private mutating func takeIf(_ wanted: Unicode.Scalar) -> Bool {
        guard next == wanted else { return false }
        at += 1
        return true
    }

    private mutating func take(_ wanted: Unicode.Scalar) throws {
        guard takeIf(wanted) else { throw Refused() }
    }

    private mutating func value(level: Int) throws {
        switch next {
        case "{": try object(level: level)
        case "[": try array(level: level)
        case "\"": _ = try string()
        case "t": try word("true")
        case "f": try word("false")
        case "n": try word("null")
        default: try number()
        }
    }

    private mutating func object(level: Int) throws {
        guard level <= BusLimits.nestingMax else { throw Refused() }
        try take("{")
        skipSpace()
        if takeIf("}") { return }
        var names: Set<[UInt16]> = []
        repeat {
            skipSpace()
            guard names.insert(try string()).inserted else { throw Refused() }
            skipSpace()
            try take(":")
            skipSpace()
            try value(level: level + 1)
            skipSpace()
        } while takeIf(",")
        try take("}")
    }

    private mutating func array(level: Int) throws {
        guard level <= BusLimits.nestingMax else { throw Refused() }
        try take("[")
        skipSpace()
        if takeIf("]") { return }
        repeat {
            skipSpace()
            try value(level: level + 1)
            skipSpace()
        } while takeIf(",")
        try take("]")
    }

    private mutating func word(_ text: String) throws {
        for scalar in text.unicodeScalars { try take(scalar) }
    }

    private mutating func number() throws {
        _ = takeIf("-")
        // A digit after a leading zero is left over, and nothing that may follow a value is a digit.
        if !takeIf("0") { try digits() }
        if takeIf(".") { try digits() }
        if takeIf("e") || takeIf("E") {
            if !takeIf("+") { _ = takeIf("-") }
            try digits()
        }
    }

    private mutating func digits() throws {
        let start = at
        while let next, ("0"..."9").contains(next) { at += 1 }
        guard at > start else { throw Refused() }
    }

    /// The text as UTF-16 units, because that is what escapes are.
    private mutating func string() throws -> [UInt16] {
        try take("\"")
        var units: [UInt16] = []
        while !takeIf("\"") {
            guard let scalar = next, scalar.value >= 0x20 else { throw Refused() }
            at += 1
            units += scalar == "\\" ? [try escape()] : Array(String(scalar).utf16)
        }
        guard String(validating: units, as: UTF16.self) != nil, !units.contains(0) else { throw Refused() }
        return units
    }

    private mutating func escape() throws -> UInt16 {
        guard let letter = next else { throw Refused() }
        at += 1
        switch letter {
        case "\"", "\\", "/": return UInt16(letter.value)
        case "b": return 8
        case "f": return 12
        case "n": return 10
        case "r": return 13
        case "t": return 9
        case "u":
            let digits = scalars[at..<min(at + 4, scalars.count)]
            at += digits.count
            guard digits.count == 4, digits.allSatisfy({ $0.isASCII && $0.properties.isASCIIHexDigit }) else {
                throw Refused()
            }
            var text = ""
            text.unicodeScalars.append(contentsOf: digits)
            guard let unit = UInt16(text, radix: 16) else { throw Refused() }
            return unit
        default: throw Refused()
        }
    }
}
