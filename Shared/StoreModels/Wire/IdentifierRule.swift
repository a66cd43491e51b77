/// The syntax of an identifier that comes from outside the store. It applies to every entrance: HTTP, import, bus and
/// command line (`docs/identifiers.md`).
///
/// An identifier is its bytes, without folding or normalizing, so case and the spelling of an accent count. Lengths are
/// in Unicode scalars.
public enum IdentifierRule: Sendable, CaseIterable {
    case account
    case device
    /// An app, as Apple's bundle identifiers are: ASCII letters, digits, dots and hyphens.
    case bundle
    /// A product in a request. The catalogue decides whether the store sells it.
    case product
    /// A product or subscription group of a catalogue, as long as App Store Connect allows.
    case catalogued

    /// The most Unicode scalars.
    public var lengthMax: Int {
        switch self {
        case .account: 128
        case .device, .product: 255
        case .bundle: 155
        case .catalogued: 100
        }
    }

    /// The fault of a text as an identifier. It is phrased to follow a name: `must not be empty`.
    /// - Returns: Nil for a valid text.
    public func fault(in text: String) -> String? {
        if self == .bundle, !text.utf8.allSatisfy(Self.isBundleByte) {
            return "may only have ASCII letters, digits, dots and hyphens, as in com.example.app"
        }
        return Self.fault(in: text, lengthMax: lengthMax)
    }

    /// The fault of a text with a bound and no other rule: names, versions, cursors.
    public static func fault(in text: String, lengthMax: Int) -> String? {
        if text.isEmpty { return "must not be empty" }
        if text.unicodeScalars.count > lengthMax { return "must be at most \(lengthMax) characters long" }
        if text.unicodeScalars.contains(where: isControl) { return "must not contain control characters" }
        return nil
    }

    /// U+0000 to U+001F and U+007F to U+009F.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }

    private static func isBundleByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

extension StoreError {
    /// Checks an identifier of a request on the bus.
    /// - Parameter member: The identifier's name in the request, given in `details.path`.
    /// - Throws: `requestInvalid` that names the member.
    package static func checkIdentifier(
        _ text: String, _ rule: IdentifierRule, _ member: String
    ) throws(StoreError) {
        guard let fault = rule.fault(in: text) else { return }
        throw StoreError(.requestInvalid, "\(member) \(fault)", details: ["path": .string("$.\(member)")])
    }
}
