/// A text as a POSIX shell takes it for one word.
enum ShellWord {
    /// Nothing inside single quotes means anything, and a single quote cannot be among them.
    static func quoted(_ text: String) -> String {
        isPlain(text)
            ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    static func isPlain(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy {
                ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0)
                    || "-_./:@%+,".unicodeScalars.contains($0)
            }
    }
}
