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

    /// Writes a page of transactions as a client receives it.
    /// - Parameter after: The next page's `after`. Nil for the last page.
    static func page(_ transactions: [TransactionJSON], after: String?) throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(try transactions.reduce(64) { try $0 + $1.byteCount + 1 })
        bytes.append(UInt8(ascii: "{"))
        if let after {
            bytes.append(contentsOf: #""after":"#.utf8)
            bytes.append(contentsOf: try StoreJSON.encode(after))
            bytes.append(UInt8(ascii: ","))
        }
        bytes.append(contentsOf: #""transactions":["#.utf8)
        for (index, transaction) in transactions.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            switch transaction {
            case .value(let value): bytes.append(contentsOf: try StoreJSON.encode(value))
            case .stored(_, let json): bytes.append(contentsOf: json.bytes)
            }
        }
        bytes.append(contentsOf: "]}".utf8)
        return bytes
    }
}
