/// Text that equals only the same bytes, for the keys of dictionaries and sets. Every dictionary and set of identifiers
/// has it as its key.
///
/// `String` compares by Unicode's canonical equivalence: é and e followed by ́ are one key, and so are K and the sign
/// of Kelvin. A store's identifiers are bytes (`docs/identifiers.md`): two spellings are two products, with prices of
/// their own. A value with identifiers that is compared or is a key has them as `@ExactText var`.
@propertyWrapper
public struct ExactText: Hashable, Sendable {
    /// The text. Assigning it replaces its bytes.
    public var wrappedValue: String

    /// Creates a value for a property declared `@ExactText var`.
    public init(wrappedValue: String) { self.wrappedValue = wrappedValue }

    /// Creates a key for a dictionary or set.
    public init(_ text: String) { wrappedValue = text }

    /// The text as a `String`, which compares by canonical equivalence again.
    public var text: String { wrappedValue }

    /// Compares length first, and then with the library's own fast comparison. They rule out nearly everything before
    /// the bytes are compared.
    public static func == (left: ExactText, right: ExactText) -> Bool {
        left.wrappedValue.utf8.count == right.wrappedValue.utf8.count && left.wrappedValue == right.wrappedValue
            && hasSameBytes(left.wrappedValue.utf8, right.wrappedValue.utf8)
    }

    /// Compares texts of the same length, eight bytes at a time.
    private static func hasSameBytes(_ left: String.UTF8View, _ right: String.UTF8View) -> Bool {
        let isSame = left.withContiguousStorageIfAvailable { left in
            right.withContiguousStorageIfAvailable { right in
                let (left, right) = (UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
                var offset = 0
                while offset + 8 <= left.count {
                    let words = (
                        left.loadUnaligned(fromByteOffset: offset, as: UInt64.self),
                        right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    )
                    if words.0 != words.1 { return false }
                    offset += 8
                }
                return left[offset...].elementsEqual(right[offset...])
            }
        }
        return (isSame ?? nil) ?? left.elementsEqual(right)
    }

    public func hash(into hasher: inout Hasher) {
        var text = wrappedValue
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // No byte of UTF-8: keeps neighbouring texts of one value apart.
        hasher.combine(UInt8.max)
    }
}

extension ExactText: Comparable {
    /// Orders by the bytes, as databases do.
    public static func < (left: ExactText, right: ExactText) -> Bool {
        left.wrappedValue.utf8.lexicographicallyPrecedes(right.wrappedValue.utf8)
    }
}

extension ExactText: CustomStringConvertible {
    /// The text itself.
    public var description: String { wrappedValue }
}

/// Codes the text alone.
extension ExactText: Codable {
    /// Reads a string without normalizing it.
    public init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension ExactText: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self.init(value) }
}

/// Codes dictionaries with such keys as JSON objects.
extension ExactText: CodingKeyRepresentable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// The text itself as the member's name.
    public var codingKey: any CodingKey { Key(stringValue: wrappedValue) }

    /// Creates the key from a member's name.
    public init?(codingKey: some CodingKey) { self.init(codingKey.stringValue) }
}

extension String {
    /// Whether both are the same bytes. `==` asks only whether Unicode calls them equal.
    public func isExactly(_ other: String?) -> Bool { other.map { ExactText(self) == ExactText($0) } ?? false }
}

extension String? {
    /// Whether both are the same bytes, or both are nil.
    public func isExactly(_ other: String?) -> Bool { map { $0.isExactly(other) } ?? (other == nil) }
}

extension Sequence<String> {
    /// Whether an element has the same bytes.
    public func containsExactly(_ text: String) -> Bool { contains { $0.isExactly(text) } }
}

extension Dictionary where Key == ExactText {
    /// The value of an identifier with exactly these bytes, or nil without one.
    public subscript(text: String) -> Value? {
        get { self[ExactText(text)] }
        set { self[ExactText(text)] = newValue }
    }

    /// The value of an identifier with exactly these bytes, else the default.
    public subscript(text: String, default value: @autoclosure () -> Value) -> Value {
        get { self[ExactText(text)] ?? value() }
        set { self[ExactText(text)] = newValue }
    }

    /// Creates a dictionary. Of several values with one identifier the first counts.
    public init(exactly values: some Sequence<(String, Value)>) {
        self.init(values.map { (ExactText($0.0), $0.1) }, uniquingKeysWith: { first, _ in first })
    }
}

extension Set where Element == ExactText {
    /// Creates a set that keeps equal bytes once.
    public init(exactly texts: some Sequence<String>) { self.init(texts.map { ExactText($0) }) }

    /// Whether an identifier with exactly these bytes is a member.
    public func containsExactly(_ text: String) -> Bool { contains(ExactText(text)) }

    /// Inserts a text.
    ///
    /// - Returns: Whether it was inserted, and the member of the set.
    @discardableResult
    public mutating func insert(_ text: String) -> (inserted: Bool, memberAfterInsert: ExactText) {
        insert(ExactText(text))
    }

    /// Removes the identifier with exactly these bytes, and returns it.
    @discardableResult
    public mutating func remove(_ text: String) -> ExactText? { remove(ExactText(text)) }
}
