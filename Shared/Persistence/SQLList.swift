/// Writes the list of an `IN (…)`.
package enum SQLList {
    /// Returns a list of parameters, whose last is repeated until their number is a power of two. So only few
    /// statements are prepared.
    package static func padded(_ values: [String]) -> (placeholders: String, values: [String]) {
        guard let last = values.last else { return ("NULL", []) }
        var count = 1
        while count < values.count { count *= 2 }
        return (
            Array(repeating: "?", count: count).joined(separator: ", "),
            values + Array(repeating: last, count: count - values.count)
        )
    }
}
