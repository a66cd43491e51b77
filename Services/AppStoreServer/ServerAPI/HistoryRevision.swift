import Crypto
import StoreHTTP
import StoreModels

/// The `revision` of a page: the position of the next one, the customer and the query.
///
/// A client sends it back with the same query. Another customer's, or another query's, is refused. It never expires.
struct HistoryRevision: Hashable, Sendable {
    /// As ``ModifiedTransactionsPage/place``.
    let position: Int64
    /// The scope of the revision: customer, path and query.
    let scope: String

    /// Creates the revision of a page.
    /// - Parameter query: Names and values that select and order, sorted. The revision itself is not one of them.
    init(position: Int64, _ customer: CustomerReference, path: String, query: [String]) {
        self.position = position
        scope = Self.scope(of: [customer.bundleId, customer.customerIdentifier, path] + query)
    }

    /// Makes a digest of the scope that a page belongs to.
    static func scope(of parts: [String]) -> String {
        // A length before each part: no two lists of parts have the same bytes.
        var hash = SHA256()
        for part in parts {
            hash.update(data: Array("\(part.utf8.count):".utf8))
            hash.update(data: Array(part.utf8))
        }
        return Hex.text(hash.finalize().prefix(8))
    }

    var text: String { "\(position)_\(scope)" }

    /// Reads the position of a revision that belongs to the same scope.
    /// - Throws: `invalidRequestRevision` for any other text.
    func position(in text: String) throws(ServerAPIError) -> Int64 {
        let parts = text.utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
        guard parts.count == 2, let position = Int64(Substring(parts[0])), position >= 0,
            String(Substring(parts[1])) == scope
        else { throw .invalidRequestRevision }
        return position
    }
}
