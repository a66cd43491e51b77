/// The URL that starts a promoted purchase without the store, for tests (M106):
///
/// ```
/// itms-services://?action=purchaseIntent&bundleId=com.example.app&productIdentifier=com.example.pro.monthly
/// ```
/// The three parameters may come in any order. Any other parameter, host, path or fragment is refused.
public struct PurchaseIntentURL: Hashable, Sendable, CustomStringConvertible {
    /// Apple's scheme for such URLs, in lower case.
    public static let scheme = "itms-services"
    /// The only value of the parameter `action`.
    public static let action = "purchaseIntent"
    /// The most bytes of a URL.
    public static let bytesMax = 2_048

    /// Percent-decoded, not yet checked against the catalogue.
    public let bundleId: String
    /// Percent-decoded, not yet checked against the catalogue.
    public let productIdentifier: String

    /// Creates the URL of a product, for printing.
    public init(bundleId: String, productIdentifier: String) {
        self.bundleId = bundleId
        self.productIdentifier = productIdentifier
    }

    /// Parses a URL strictly. Only the scheme may be written in capitals, as in every URL (RFC 3986 §3.1).
    /// - Throws: The first fault from left to right, else the first missing part.
    public init(parsing text: String) throws(PurchaseIntentURLFault) {
        let values = try Self.parameters(of: Self.query(of: text))
        let action = try Self.value(.action, in: values)
        guard action == Self.action else {
            throw PurchaseIntentURLFault(.action, .wrong, "is '\(action)' and must be '\(Self.action)'")
        }
        self.init(
            bundleId: try Self.value(.bundleId, in: values),
            productIdentifier: try Self.value(
                .productIdentifier, in: values))
    }

    /// The URL as the store writes it, in Apple's order. Everything except letters, digits and `-._~` is
    /// percent-encoded.
    public var description: String {
        "\(Self.scheme)://?action=\(Self.action)&bundleId=\(PercentEncoding.encode(bundleId))"
            + "&productIdentifier=\(PercentEncoding.encode(productIdentifier))"
    }

    private static let parameterParts: [String: PurchaseIntentURLFault.Part] = [
        "action": .action, "bundleId": .bundleId, "productIdentifier": .productIdentifier,
    ]

    /// The text after `?`, once everything before it is valid.
    private static func query(of text: String) throws(PurchaseIntentURLFault) -> Substring {
        guard text.utf8.count <= bytesMax else {
            throw PurchaseIntentURLFault(.url, .tooLong, "has more than \(bytesMax) bytes")
        }
        guard let colon = text.firstIndex(of: ":"), text[..<colon].lowercased() == scheme else {
            throw PurchaseIntentURLFault(.scheme, .wrong, "must be '\(scheme)'")
        }
        let rest = text[text.index(after: colon)...]
        guard rest.hasPrefix("//") else {
            throw PurchaseIntentURLFault(.host, .missing, "must be '//' and nothing else")
        }
        let hierarchy = rest.dropFirst(2)
        let end = hierarchy.firstIndex { $0 == "?" || $0 == "#" } ?? hierarchy.endIndex
        guard end == hierarchy.startIndex else {
            throw PurchaseIntentURLFault(.host, .wrong, "must be empty and is '\(hierarchy[..<end])'")
        }
        if hierarchy.contains("#") { throw PurchaseIntentURLFault(.fragment, .unknown, "is not allowed") }
        return hierarchy.dropFirst()
    }

    private static func parameters(
        of query: Substring
    ) throws(PurchaseIntentURLFault) -> [PurchaseIntentURLFault.Part: String] {
        var values: [PurchaseIntentURLFault.Part: String] = [:]
        guard !query.isEmpty else { return values }
        for pair in query.split(separator: "&", omittingEmptySubsequences: false) {
            guard let equals = pair.firstIndex(of: "="), let name = PercentEncoding.decodeQuery(pair[..<equals]) else {
                throw PurchaseIntentURLFault(.parameter, .unreadable, "'\(pair)' must be 'name=value'")
            }
            guard let part = parameterParts[name] else {
                throw PurchaseIntentURLFault(.parameter, .unknown, "'\(name)' is not known")
            }
            guard let value = PercentEncoding.decodeQuery(pair[pair.index(after: equals)...]) else {
                throw PurchaseIntentURLFault(part, .unreadable, "must be percent-encoded UTF-8 without controls")
            }
            guard values.updateValue(value, forKey: part) == nil else {
                throw PurchaseIntentURLFault(part, .duplicate, "is there twice")
            }
        }
        return values
    }

    private static func value(
        _ part: PurchaseIntentURLFault.Part, in values: [PurchaseIntentURLFault.Part: String]
    ) throws(PurchaseIntentURLFault) -> String {
        guard let value = values[part], !value.isEmpty else {
            throw PurchaseIntentURLFault(part, .missing, values[part] == nil ? "is missing" : "is empty")
        }
        return value
    }
}
