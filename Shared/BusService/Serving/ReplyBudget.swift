import StoreModels

/// Limits lists to the rows that fit a reply of 512 KiB. A page ends where the next row would not fit, and says where
/// the next page begins.
package enum ReplyBudget {
    /// Bytes of JSON for the rows. The rest of a reply is room for the members around them.
    package static let bytesMax = BusServiceLimits.replyBytesMax - (64 << 10)

    /// The longest prefix of `rows` that fits, at least one row. No row is that large by itself.
    /// - Parameter encoded: A row's number of JSON bytes, without the comma after it.
    /// - Throws: The error of `encoded`.
    package static func fitting<Row>(_ rows: [Row], _ encoded: (Row) throws -> Int) rethrows -> [Row] {
        var used = 0
        for (index, row) in rows.enumerated() {
            used += try encoded(row) + 1
            if used > bytesMax, index > 0 { return Array(rows[..<index]) }
        }
        return rows
    }

    /// The longest prefix of `rows` whose JSON fits, at least one row.
    /// - Throws: An error when a row cannot be written as JSON.
    package static func fitting<Row: Encodable>(_ rows: [Row]) throws -> [Row] {
        try fitting(rows) { try StoreJSON.encode($0).count }
    }

    /// Checks how many rows a request asks for.
    /// - Throws: `requestInvalid` with the path `$.limit` for less than one row and for more than `max`.
    package static func checkLimit(_ limit: Int, max: Int) throws(StoreError) {
        guard (1...max).contains(limit) else {
            throw StoreError(
                .requestInvalid, "limit must be 1 to \(max), not \(limit)", details: ["path": .string("$.limit")])
        }
    }
}
