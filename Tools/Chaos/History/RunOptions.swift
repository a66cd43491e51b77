import StoreModels

/// `options.json` of a run, as far as checks and reports use it. Other members are skipped.
///
/// ```json
/// {"seed":7,"duration":"60s","driver":"process","targets":["payment-queue"],"faults":["kill"],"version":"1.0.0",
///  "commit":"…","operations":["purchase"],"products":{"pro":{"type":"autoRenewable","group":"main"}}}
/// ```
package struct RunOptions: Equatable, Sendable {
    /// The facts about a product that checks need.
    package struct Product: Equatable, Sendable {
        /// consumable, nonConsumable, nonRenewable or autoRenewable.
        package var type: String?
        /// The subscription group.
        package var group: String?
    }

    /// The members to show, as text, by name. Lists are joined by a space.
    package var shown: [String: String] = [:]
    /// Classes the run meant to exercise. Empty for those its history has.
    package var operations: [HistoryEntry.Operation] = []
    package var products: [String: Product] = [:]

    package init() {}

    /// Creates options from the document. Nil for JSON that is not an object.
    package init?(_ json: JSONValue) {
        guard let members = json.objectValue else { return nil }
        for (name, value) in members where name != "products" && name != "operations" {
            shown[name] = Self.text(value)
        }
        operations = (members["operations"]?.arrayValue ?? []).compactMap { value in
            value.stringValue.flatMap(HistoryEntry.Operation.init(rawValue:))
        }
        for (id, value) in members["products"]?.objectValue ?? [:] {
            products[id] = Product(type: value["type"]?.stringValue, group: value["group"]?.stringValue)
        }
    }

    private static func text(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text), .number(let text): text
        case .bool(let flag): "\(flag)"
        case .array(let values): values.compactMap(text).joined(separator: " ")
        case .null, .object: nil
        }
    }
}
