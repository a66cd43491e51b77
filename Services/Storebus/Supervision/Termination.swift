/// How a process ended.
enum Termination: Hashable, Sendable, CustomStringConvertible {
    case exited(Int32)
    case signalled(Int32)

    /// From what `waitpid` says.
    init(waitStatus: Int32) {
        let signal = waitStatus & 0x7f
        self = signal == 0 ? .exited((waitStatus >> 8) & 0xff) : .signalled(signal)
    }

    /// Starting it again cannot help: the command line (64), a file (65), a lock held by another (73), the
    /// configuration (78) are as they were.
    var isFinal: Bool {
        if case .exited(let code) = self { return [64, 65, 73, 78].contains(code) }
        return false
    }

    var description: String {
        switch self {
        case .exited(let code): "exit \(code)"
        case .signalled(let signal): "signal \(signal)"
        }
    }
}
