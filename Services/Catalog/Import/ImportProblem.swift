import StoreModels

/// One problem of an imported file:
/// `{"path":"$.products[2].displayPrice","reason":"must be …","allowed":["P1W","P1M"]}`
struct ImportProblem: Hashable, Sendable {
    /// `$.products[2].displayPrice`
    let path: String
    let reason: String
    /// The allowed values, when they are a list of words.
    let allowed: [String]

    init(path: String, reason: String, allowed: [String] = []) {
        self.path = path
        self.reason = reason
        self.allowed = allowed
    }

    var json: JSONValue {
        var members: [String: JSONValue] = ["path": .string(path), "reason": .string(reason)]
        if !allowed.isEmpty { members["allowed"] = .array(allowed.map(JSONValue.string)) }
        return .object(members)
    }

    /// `$.products[2].type: is 'Gadget' (allowed: Consumable, NonConsumable)`
    var sentence: String {
        allowed.isEmpty ? "\(path): \(reason)" : "\(path): \(reason) (allowed: \(allowed.joined(separator: ", ")))"
    }
}
