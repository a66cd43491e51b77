/// The `original` of a restored or renewed transaction, whose own `original` is null.
///
/// A reference, because a Swift struct cannot hold itself. On the wire it is the transaction itself.
public final class OriginalTransaction: Hashable, Sendable, Codable {
    /// The first transaction of the product or subscription. Its `original` is nil.
    public let transaction: PaymentTransaction

    /// Drops the transaction's own `original`, so that it is never nested twice.
    public init(_ transaction: PaymentTransaction) {
        var flat = transaction
        flat.original = nil
        self.transaction = flat
    }

    /// Reads the transaction itself and drops its own `original`.
    public convenience init(from decoder: any Decoder) throws {
        self.init(try PaymentTransaction(from: decoder))
    }

    public func encode(to encoder: any Encoder) throws {
        try transaction.encode(to: encoder)
    }

    public static func == (left: OriginalTransaction, right: OriginalTransaction) -> Bool {
        left.transaction == right.transaction
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(transaction) }
}
