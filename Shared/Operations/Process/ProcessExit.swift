/// The reason for a process's end, as its exit code. The numbers are those of `sysexits.h`, so that scripts and
/// supervisors can act on them.
package enum ProcessExit: Int32, Sendable {
    case success = 0
    /// Wrong flags or arguments.
    case usage = 64
    /// An input file cannot be used.
    case badInput = 65
    /// Something that must be reached or bound cannot be.
    case unavailable = 69
    /// A fault of Storebus.
    case bug = 70
    /// The data directory belongs to another process.
    case locked = 73
    /// It may work when it is started again.
    case temporary = 75
    /// Credentials were not accepted.
    case notAllowed = 77
    /// A setting is missing or wrong.
    case badConfiguration = 78
}
