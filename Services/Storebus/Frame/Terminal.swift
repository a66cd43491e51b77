import Glibc

/// What stands at the ends of the process's three streams.
package struct Terminal: Hashable, Sendable {
    /// Somebody can be asked.
    package var isInput: Bool
    package var isOutput: Bool
    package var isError: Bool
    /// `TERM=dumb`: a terminal that only prints.
    package var isDumb: Bool

    package init(isInput: Bool, isOutput: Bool, isError: Bool, isDumb: Bool = false) {
        self.isInput = isInput
        self.isOutput = isOutput
        self.isError = isError
        self.isDumb = isDumb
    }

    /// Pipes all around, as in a script.
    package static let none = Terminal(isInput: false, isOutput: false, isError: false)

    /// The process's own.
    package static func process(_ variables: [String: String]) -> Terminal {
        Terminal(
            isInput: isatty(STDIN_FILENO) == 1, isOutput: isatty(STDOUT_FILENO) == 1,
            isError: isatty(STDERR_FILENO) == 1, isDumb: variables["TERM"] == "dumb")
    }
}
