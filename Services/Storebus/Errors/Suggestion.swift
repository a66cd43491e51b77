/// Guesses what somebody meant to type.
enum Suggestion {
    /// The candidate nearest to `text`, if it is near enough to be worth saying: at most a third of its letters wrong,
    /// or one the other's beginning. Equal distances are settled by the candidates' order.
    static func nearest(to text: String, among candidates: [String]) -> String? {
        let wanted = Array(text.lowercased().unicodeScalars)
        guard !wanted.isEmpty, wanted.count <= lengthMax else { return nil }
        var best: (candidate: String, distance: Int)?
        for candidate in candidates where candidate != text {
            let letters = Array(candidate.lowercased().unicodeScalars)
            guard letters.count <= lengthMax else { continue }
            let isBeginning = wanted.count >= 3 && letters.starts(with: wanted)
            let distance = isBeginning ? 1 : distance(wanted, letters)
            guard distance <= max(1, max(wanted.count, letters.count) / 3), distance < best?.distance ?? .max else {
                continue
            }
            best = (candidate, distance)
        }
        return best?.candidate
    }

    /// The same as a hint of an error; none when nothing is near enough.
    static func hints(for text: String, among candidates: [String]) -> [String] {
        nearest(to: text, among: candidates).map { ["did you mean '\($0)'?"] } ?? []
    }

    /// The same as the end of a sentence; empty when nothing is near enough.
    static func ending(for text: String, among candidates: [String]) -> String {
        nearest(to: text, among: candidates).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// Product identifiers end at 100 characters; what is longer is no slip of the finger.
    private static let lengthMax = 128

    /// Letters to insert, delete, replace or swap with their neighbour (optimal string alignment).
    static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        if left.isEmpty || right.isEmpty { return max(left.count, right.count) }
        var beforeLast = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        for i in 1...left.count {
            var row = [i] + [Int](repeating: 0, count: right.count)
            for j in 1...right.count {
                let cost = left[i - 1] == right[j - 1] ? 0 : 1
                row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost)
                if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
                    row[j] = min(row[j], beforeLast[j - 2] + 1)
                }
            }
            (beforeLast, last) = (last, row)
        }
        return last[right.count]
    }
}
