/// Subjects and patterns once more, on strings and by recursion.
enum NaiveSubject {
    static func isSubject(_ text: String) -> Bool {
        guard let tokens = tokens(text) else { return false }
        return tokens.allSatisfy(isPlain)
    }

    static func isPattern(_ text: String) -> Bool {
        guard let tokens = tokens(text) else { return false }
        return tokens.enumerated().allSatisfy { index, token in
            isPlain(token) || token == "*" || (token == ">" && index == tokens.count - 1)
        }
    }

    /// Whether a legal pattern takes a legal subject.
    static func matches(_ pattern: String, _ subject: String) -> Bool {
        let isHidden = subject.hasPrefix("_INBOX") || subject.hasPrefix("$")
        if isHidden, pattern.hasPrefix("*") || pattern.hasPrefix(">") { return false }
        return matches(pattern.split(separator: ".")[...], subject.split(separator: ".")[...])
    }

    private static func matches(_ pattern: ArraySlice<Substring>, _ subject: ArraySlice<Substring>) -> Bool {
        guard let first = pattern.first else { return subject.isEmpty }
        guard let token = subject.first else { return false }
        if first == ">" { return true }
        return (first == "*" || first == token) && matches(pattern.dropFirst(), subject.dropFirst())
    }

    private static func tokens(_ text: String) -> [Substring]? {
        let tokens = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 255 && tokens.count <= 16 ? tokens : nil
    }

    private static func isPlain(_ token: Substring) -> Bool {
        let others = Array("_-$=:/@+~!%&#".unicodeScalars)
        return !token.isEmpty
            && token.unicodeScalars.allSatisfy { scalar in
                ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
                    || others.contains(scalar)
            }
    }
}
