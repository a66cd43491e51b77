import JSONSyntax

/// A valid document as a flat list of its values, in text order. ``StrictJSONReader`` makes it in one pass.
/// ``TapeDecoder`` reads it without looking at the text between the values again.
///
/// A value's descendants follow it directly: `{"a":[1],"b":2}` is object, name a, array, 1, name b, 2.
final class JSONTape: Sendable {
    /// One value, or the name of a member.
    struct Node: Sendable {
        enum Kind: UInt8, Sendable {
            case null, `true`, `false`, number, string, array, object
            /// A string with escape sequences, which has to be rewritten before it is used.
            case escapedString
        }

        var kind: Kind
        /// Whether every byte of a string's text is ASCII.
        var isASCII = true
        /// The start of the text. For a string it is after the opening quote.
        var start: Int32
        var end: Int32
        /// The node behind the value and all that is in it.
        var next: Int32
    }

    let bytes: [UInt8]
    let nodes: [Node]

    init(bytes: [UInt8], nodes: [Node]) {
        self.bytes = bytes
        self.nodes = nodes
    }

    func kind(_ node: Int) -> Node.Kind { nodes[node].kind }

    func isString(_ node: Int) -> Bool { nodes[node].kind == .string || nodes[node].kind == .escapedString }

    /// - Precondition: The node is a string or a name.
    func string(_ node: Int) -> String {
        let text = nodes[node]
        return bytes.withUnsafeBufferPointer { bytes in
            let raw = UnsafeBufferPointer(rebasing: bytes[Int(text.start)..<Int(text.end)])
            return text.kind == .escapedString ? Self.resolved(raw) : String(decoding: raw, as: UTF8.self)
        }
    }

    /// The text of a string with escapes.
    static func resolved(_ raw: UnsafeBufferPointer<UInt8>) -> String {
        String(decoding: JSONString.resolve(raw.span), as: UTF8.self)
    }

    /// The text of a number.
    ///
    /// - Precondition: The node is a number.
    func text(_ node: Int) -> String { String(decoding: text(of: node), as: UTF8.self) }

    /// The text of any value. For a string it is the text between the quotes.
    func text(of node: Int) -> ArraySlice<UInt8> { bytes[Int(nodes[node].start)..<Int(nodes[node].end)] }

    /// The first value in an array, or the first name in an object. `end(of:)` when it is empty.
    func first(in node: Int) -> Int { node + 1 }

    /// The node behind the last value of an array or object.
    func end(of node: Int) -> Int { Int(nodes[node].next) }

    /// The next value of the same array. For the value of a member, the next name of the same object.
    func next(after node: Int) -> Int { Int(nodes[node].next) }

    /// The value of an object's member, or nil without such a member.
    func member(_ name: String, of object: Int) -> Int? {
        var name = name
        return name.withUTF8 { wanted in
            bytes.withUnsafeBufferPointer { bytes in
                let end = end(of: object)
                var key = first(in: object)
                while key < end {
                    if isName(key, wanted, bytes) { return key + 1 }
                    key = next(after: key + 1)
                }
                return nil
            }
        }
    }

    private func isName(_ key: Int, _ wanted: UnsafeBufferPointer<UInt8>, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let name = nodes[key]
        guard name.kind == .string else { return string(key).utf8.elementsEqual(wanted) }
        guard Int(name.end - name.start) == wanted.count else { return false }
        return Self.isSame(wanted, bytes, at: Int(name.start))
    }

    /// Compares from the end, because names of the same length often begin alike.
    static func isSame(
        _ text: UnsafeBufferPointer<UInt8>, _ bytes: UnsafeBufferPointer<UInt8>, at start: Int
    ) -> Bool {
        var index = text.count - 1
        while index >= 0 {
            if text[index] != bytes[start + index] { return false }
            index -= 1
        }
        return true
    }

    /// An integer of any width, exact at any size. It may be written as a decimal, too (`1.0`, `1e3`).
    /// - Returns: Nil when it has a fraction or does not fit.
    func integer<Value: FixedWidthInteger>(_ node: Int, as type: Value.Type) -> Value? {
        guard nodes[node].kind == .number else { return nil }
        let text = bytes[Int(nodes[node].start)..<Int(nodes[node].end)]
        var digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text
        var value: Value = 0
        let isNegative = digits.count < text.count
        /// Adds a digit on the sign's side, because the smallest integer has no positive counterpart.
        func append(_ digit: UInt8) -> Bool {
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) =
                isNegative
                ? tens.subtractingReportingOverflow(Value(digit)) : tens.addingReportingOverflow(Value(digit))
            value = sum
            return !overflow && !carry
        }
        while let digit = digits.first, let number = Self.digit(digit) {
            guard append(number) else { return decimal(node, as: type) }
            digits.removeFirst()
        }
        return digits.isEmpty ? value : decimal(node, as: type)
    }

    /// Reads an integer written with a point or an exponent.
    private func decimal<Value: FixedWidthInteger>(_ node: Int, as type: Value.Type) -> Value? {
        let text = self.text(node).lowercased()
        let parts = text.split(separator: "e", maxSplits: 1)
        let mantissa = parts[0].split(separator: ".", maxSplits: 1)
        let fraction = mantissa.count == 2 ? mantissa[1] : ""
        guard var exponent = parts.count == 2 ? Int(parts[1]) : 0, parts.count == 2 || mantissa.count == 2 else {
            return nil
        }
        var digits = mantissa[0] + fraction
        (exponent, _) = exponent.subtractingReportingOverflow(fraction.utf8.count)
        while exponent < 0, digits.last == "0", digits.utf8.count > 1 {
            digits.removeLast()
            exponent += 1
        }
        if digits.allSatisfy({ $0 == "0" || $0 == "-" }) { return 0 }
        // No integer of the wire types has more digits than this.
        guard (0...20).contains(exponent) else { return nil }
        return Value(digits + String(repeating: "0", count: exponent))
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? byte - UInt8(ascii: "0") : nil
    }

    /// Reads a number as a double.
    ///
    /// - Returns: Nil if the value is not a number, or has no nearest double (`1e999`).
    func double(_ node: Int) -> Double? {
        guard nodes[node].kind == .number else { return nil }
        return Double(text(node)).flatMap { $0.isFinite ? $0 : nil }
    }

    /// The value with its descendants.
    /// - Parameter number: How numbers are stored.
    /// - Throws: Only errors of `number`.
    func value<Failure: Error>(
        _ node: Int, number: (JSONTape, Int) throws(Failure) -> String
    ) throws(Failure) -> JSONValue {
        switch nodes[node].kind {
        case .null: return .null
        case .true: return .bool(true)
        case .false: return .bool(false)
        case .number: return .number(try number(self, node))
        case .string, .escapedString: return .string(string(node))
        case .array:
            var values: [JSONValue] = []
            var element = first(in: node)
            while element < end(of: node) {
                values.append(try value(element, number: number))
                element = next(after: element)
            }
            return .array(values)
        case .object:
            var members: [String: JSONValue] = [:]
            var key = first(in: node)
            while key < end(of: node) {
                members[string(key)] = try value(key + 1, number: number)
                key = next(after: key + 1)
            }
            return .object(members)
        }
    }
}
