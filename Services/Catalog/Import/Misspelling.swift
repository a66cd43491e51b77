/// Finds the intended word for an unknown member.
enum Misspelling {
    /// Maximum number of letters that may be wrong, missing or added. Case is ignored.
    private static let distanceMax = 2

    /// Finds the correction of a word.
    /// - Returns: The nearest of `words`, if one is near.
    static func correction(of text: String, among words: [String]) -> String? {
        let wanted = Array(text.lowercased().utf8)
        let distances = words.map { (word: $0, distance: distance(wanted, Array($0.lowercased().utf8))) }
        return distances.filter { $0.distance <= distanceMax }.min { $0.distance < $1.distance }?.word
    }

    /// Returns the number of letters to change, add or remove (Levenshtein). It is more than `distanceMax` when the
    /// lengths alone differ too much.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        guard abs(left.count - right.count) <= distanceMax else { return distanceMax + 1 }
        var row = Array(0...right.count)
        for (position, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = position + 1
            for (column, other) in right.enumerated() {
                let substitution = diagonal + (letter == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(substitution, diagonal + 1, row[column] + 1)
            }
        }
        return row[right.count]
    }
}
