/// How `storebus` ends, after `sysexits.h` where it has a word for it. The table stands in `storebus --help` too.
package enum CLIExit: Int32, CaseIterable, Sendable {
    case success = 0
    /// The store understood and refused: not finishable, storefront differs, key used for another request. Also what
    /// was expected did not happen: `wait`, `ready`, `doctor`.
    case refused = 1
    /// A restore or a download too.
    case purchaseFailed = 10
    case purchaseDeferred = 11
    case usage = 64
    /// A file that is not what it should be.
    case badInput = 65
    case noSuchFile = 66
    /// No store answers at the address.
    case unreachable = 69
    /// A fault of Storebus.
    case bug = 70
    /// The data directory is held by another process.
    case locked = 73
    /// It may work when it is tried again.
    case temporary = 75
    case notAllowed = 77
    /// A flag, a variable or a port that cannot be.
    case badConfiguration = 78
    case interrupted = 130

    /// One line of the table in `--help`.
    var meaning: String {
        switch self {
        case .success: "done"
        case .refused: "the store refused, or what was expected did not happen"
        case .purchaseFailed: "the purchase, restore or download failed or was cancelled"
        case .purchaseDeferred: "the purchase waits for approval"
        case .usage: "wrong command line"
        case .badInput: "bad input file"
        case .noSuchFile: "no such file"
        case .unreachable: "no store answers"
        case .bug: "a fault of Storebus"
        case .locked: "the data directory is in use"
        case .temporary: "not now, try again"
        case .notAllowed: "not allowed"
        case .badConfiguration: "bad configuration"
        case .interrupted: "interrupted"
        }
    }
}
