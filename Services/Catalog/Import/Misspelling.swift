/// Finds the word that was meant, for members that nobody reads.
enum Misspelling {
    /// Two letters may be wrong, missing or too many, and case does not count.
    private static let distanceMax = 2

    /// - Returns: the nearest of `words`; nil when none is near.
    static func correction(of text: String, among words: [String]) -> String? {
        let wanted = Array(text.lowercased().utf8)
        let distances = words.map { (word: $0, distance: distance(wanted, Array($0.lowercased().utf8))) }
        return distances.filter { $0.distance <= distanceMax }.min { $0.distance < $1.distance }?.word
    }

    /// How many letters have to be changed, added or removed (Levenshtein); more than enough when the lengths alone say
    /// so.
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
