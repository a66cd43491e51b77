import StoreModels

/// Checks names that clients choose. They are only data, never a subject token, a file name or a part of SQL (S13), so
/// the rules only reject empty text, control characters and text above a limit.
package enum Identifier {
    /// Checks an identifier against its kind's rule.
    /// - Throws: `requestInvalid` that names `path`.
    package static func check(_ text: String, as rule: IdentifierRule, at path: String) throws(StoreError) {
        if let fault = rule.fault(in: text) { throw .invalid(path, fault) }
    }

    /// Checks that text is bounded, without other rules.
    /// - Throws: `requestInvalid` that names `path`.
    package static func check(
        _ text: String, at path: String, lengthMax: Int = HTTPLimits.identifierLengthMax
    ) throws(StoreError) {
        if let fault = IdentifierRule.fault(in: text, lengthMax: lengthMax) { throw .invalid(path, fault) }
    }

    /// Checks the product identifiers of one request, at most 500.
    package static func checkProducts(_ identifiers: [String], at path: String) throws(StoreError) {
        guard identifiers.count <= HTTPLimits.identifiersMax else {
            throw .invalid(
                path, "has \(identifiers.count) identifiers, at most \(HTTPLimits.identifiersMax) are allowed")
        }
        for (index, identifier) in identifiers.enumerated() {
            if let fault = IdentifierRule.product.fault(in: identifier) { throw .invalid("\(path)[\(index)]", fault) }
        }
    }
}
