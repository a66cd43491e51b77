import Glibc

/// What stands at the ends of the process's three streams.
struct Terminal: Hashable, Sendable {
    /// Somebody can be asked.
    var isInput: Bool
    var isOutput: Bool
    var isError: Bool
    /// `TERM=dumb`: a terminal that only prints.
    var isDumb: Bool = false

    /// Pipes all around, as in a script.
    static let none = Terminal(isInput: false, isOutput: false, isError: false)

    /// The process's own.
    static func process(_ variables: [String: String]) -> Terminal {
        Terminal(
            isInput: isatty(STDIN_FILENO) == 1, isOutput: isatty(STDOUT_FILENO) == 1,
            isError: isatty(STDERR_FILENO) == 1, isDumb: variables["TERM"] == "dumb")
    }
}
