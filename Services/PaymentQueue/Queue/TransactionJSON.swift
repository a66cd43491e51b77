import StoreModels

/// A transaction in a reply: a value, or its JSON as it is stored.
enum TransactionJSON: Hashable, Sendable, Codable {
    case value(PaymentTransaction)
    case stored(id: String, EncodedJSON)

    /// The first members of a transaction as it is stored: deliveries are counted in a column of their own.
    private static let undelivered = #"{"deliveries":0,"downloads":[],"#

    /// Makes the JSON of a transaction without downloads.
    /// - Parameters:
    ///   - text: The transaction's row.
    ///   - deliveries: As of the read.
    /// - Returns: Nil for a transaction with downloads.
    init?(id: String, stored text: String, deliveries: Int) {
        guard text.utf8.starts(with: Self.undelivered.utf8) else { return nil }
        let json =
            deliveries == 0
            ? text : #"{"deliveries":\#(deliveries),"downloads":[],"# + text.dropFirst(Self.undelivered.utf8.count)
        self = .stored(id: id, EncodedJSON(stored: json))
    }

    /// The transaction's `id`.
    var id: String {
        switch self {
        case .value(let value): value.id
        case .stored(let id, _): id
        }
    }

    init(from decoder: any Decoder) throws { self = .value(try PaymentTransaction(from: decoder)) }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .value(let value): try value.encode(to: encoder)
        case .stored(_, let json): try json.encode(to: encoder)
        }
    }

    /// The number of JSON bytes.
    var byteCount: Int {
        get throws {
            switch self {
            case .value(let value): try StoreJSON.encode(value).count
            case .stored(_, let json): json.bytes.count
            }
        }
    }
}
