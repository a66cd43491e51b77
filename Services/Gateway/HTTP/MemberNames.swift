import StoreModels

/// The members a request body may have, and those of the objects inside it.
///
/// Decoding alone would pass over a member it does not know; a client that says `"qty": 3` must be told, and not be
/// sold one piece (S3).
struct MemberNames: Sendable {
    let names: Set<String>
    /// Rules for members that are objects themselves, or lists of objects.
    var nested: [String: MemberNames] = [:]

    init(_ names: Set<String>, nested: [String: MemberNames] = [:]) {
        self.names = names
        self.nested = nested
    }

    /// - Throws: `requestInvalid` that names the first unknown member, in alphabetical order.
    func check(_ value: JSONValue, at path: String = "$") throws(StoreError) {
        switch value {
        case .object(let members):
            for name in members.keys.sorted() where !names.contains(name) {
                throw .invalid(
                    "\(path).\(name.prefix(64))", "is not known; known are \(names.sorted().joined(separator: ", "))")
            }
            for (name, rules) in nested.sorted(by: { $0.key < $1.key }) {
                if let member = members[name] { try rules.check(member, at: "\(path).\(name)") }
            }
        case .array(let values):
            for (index, element) in values.enumerated() { try check(element, at: "\(path)[\(index)]") }
        default:
            // Decoding says what was expected here.
            return
        }
    }

    /// `{"amount":"1.99","currency":"USD"}`
    static let money = MemberNames(["amount", "currency"])
}
