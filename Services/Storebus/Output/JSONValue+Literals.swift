import StoreModels

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// `["account": "alice"]`; of equal names the last counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}
