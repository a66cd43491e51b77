import StoreModels

/// Checks names that somebody else chose. They are data everywhere: never a subject token, a file name or a piece of
/// SQL (S13), so the rules only keep out what nobody means: nothing at all, control characters, endless text.
enum Identifier {
    /// - Throws: `requestInvalid` that names `place`.
    static func check(_ text: String, as rule: IdentifierRule, at place: String) throws(StoreError) {
        if let fault = rule.fault(in: text) { throw .invalid(place, fault) }
    }

    /// Text that is bounded and nothing else.
    /// - Throws: `requestInvalid` that names `place`.
    static func check(
        _ text: String, at place: String, lengthMax: Int = HTTPLimits.identifierLengthMax
    ) throws(StoreError) {
        if let fault = IdentifierRule.fault(in: text, lengthMax: lengthMax) { throw .invalid(place, fault) }
    }

    /// Product identifiers of one request, at most 500.
    static func checkProducts(_ identifiers: [String], at place: String) throws(StoreError) {
        guard identifiers.count <= HTTPLimits.identifiersMax else {
            throw .invalid(
                place, "has \(identifiers.count) identifiers, at most \(HTTPLimits.identifiersMax) are allowed")
        }
        for (index, identifier) in identifiers.enumerated() {
            try check(identifier, as: .product, at: "\(place)[\(index)]")
        }
    }
}
