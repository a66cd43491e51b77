import StoreModels

/// Keeps lists below the 512 KiB a reply on the bus may have: a page ends where the next row would not fit, and says
/// where the next page begins.
enum ReplyBudget {
    /// Room for the members around the rows, and for headers.
    static let bytesMax = 448 * 1024

    /// The longest beginning of `rows` whose JSON fits; at least one row, which never is that large by itself.
    static func fitting<Row: Encodable>(_ rows: [Row]) throws -> [Row] {
        var used = 0
        for (index, row) in rows.enumerated() {
            used += try StoreJSON.encode(row).count + 1
            if used > bytesMax, index > 0 { return Array(rows[..<index]) }
        }
        return rows
    }

    /// - Throws: `requestInvalid`.
    static func checkLimit(_ limit: Int, max: Int) throws(StoreError) {
        guard (1...max).contains(limit) else {
            throw StoreError(
                .requestInvalid, "limit must be 1 to \(max), not \(limit)", details: ["path": .string("$.limit")])
        }
    }
}
