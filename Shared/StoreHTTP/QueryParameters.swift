import StoreModels

/// The query of a request, decoded like a form. `+` is a space, `%2C` in a list is equivalent to a comma, and a name
/// may be repeated.
///
/// An unknown name is rejected, like an unknown member of a body: a misspelt filter must not be ignored silently.
package struct QueryParameters: Sendable {
    private let values: [String: [String]]

    /// Names and values of the names that the route allows, `name=value`, sorted.
    package var pairs: [String] {
        values.flatMap { name, values in values.map { ExactText("\(name)=\($0)") } }.sorted().map(\.text)
    }

    /// - Parameters:
    ///   - text: The query after `?`. Nil for none.
    ///   - names: The names that the route allows.
    ///   - ignoresOthers: Whether other names are passed over, as Apple does.
    /// - Throws: `requestInvalid`.
    package init(_ text: String?, names: Set<String>, ignoresOthers: Bool = false) throws(StoreError) {
        var values: [String: [String]] = [:]
        for pair in (text ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decodeForm(Substring(parts[0])),
                let value = PercentEncoding.decodeForm(parts.count == 2 ? Substring(parts[1]) : "")
            else { throw .invalid("query", "is not percent-encoded UTF-8") }
            guard names.contains(name) else {
                if ignoresOthers { continue }
                let known =
                    names.isEmpty ? "this path takes none" : "it may have \(names.sorted().joined(separator: ", "))"
                throw .invalid("query \(name.prefix(64))", "is not known here; \(known)")
            }
            values[name, default: []].append(value)
        }
        self.values = values
    }

    /// Returns every value of a name, in order.
    package func all(_ name: String) -> [String] { values[name] ?? [] }

    /// Returns the last value of a name, as Apple reads a repeated one.
    package func last(_ name: String) -> String? { values[name]?.last }

    /// Returns the only value of a name.
    /// - Throws: `requestInvalid` when the name is repeated.
    package func single(_ name: String) throws(StoreError) -> String? {
        guard let found = values[name] else { return nil }
        guard found.count == 1 else { throw .invalid("query \(name)", "is given more than once") }
        return found[0]
    }

    /// Returns all values of a list, in which repeated names and commas are equivalent. Empty elements are dropped, so
    /// `ids=` is an empty list.
    package func list(_ name: String) -> [String] {
        var elements: [String] = []
        for text in values[name] ?? [] {
            var rest = text.utf8[...]
            while !rest.isEmpty {
                let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
                if end > rest.startIndex { elements.append(String(Substring(rest[..<end]))) }
                rest = rest[end...].dropFirst()
            }
        }
        return elements
    }

    package func integer(_ name: String, in range: ClosedRange<Int>, default value: Int) throws(StoreError) -> Int {
        guard let text = try single(name) else { return value }
        guard let number = Int(text), text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }), range.contains(number) else {
            throw .invalid("query \(name)", "must be an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    package func boolean(_ name: String) throws(StoreError) -> Bool? {
        switch try single(name) {
        case nil: nil
        case "true": true
        case "false": false
        default: throw .invalid("query \(name)", "must be true or false")
        }
    }

    /// Returns the values of an enumeration, as a list. Empty for none.
    package func choices<Value: RawRepresentable & CaseIterable>(_ name: String, _ type: Value.Type) throws(StoreError)
        -> [Value]
    where Value.RawValue == String {
        var values: [Value] = []
        for text in list(name) {
            guard let value = Value(rawValue: text) else {
                let known = Value.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalid("query \(name)", "must be some of \(known)")
            }
            values.append(value)
        }
        return values
    }

    /// Returns one value of an enumeration, or nil for none.
    package func choice<Value: RawRepresentable & CaseIterable>(_ name: String, _ type: Value.Type) throws(StoreError)
        -> Value?
    where Value.RawValue == String {
        guard let text = try single(name) else { return nil }
        guard let value = Value(rawValue: text) else {
            let known = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("query \(name)", "must be one of \(known)")
        }
        return value
    }
}
