import StoreModels

/// The name of an error as `storebus` prints it: the store's own codes of ``StoreErrorCode``, spelled the same, and
/// those that only a command line can have.
struct CLIErrorCode: Hashable, Sendable {
    let name: String
    /// How the program ends with it, unless the error says otherwise.
    let status: CLIExit

    private init(_ name: String, _ status: CLIExit) {
        self.name = name
        self.status = status
    }

    static let usage = CLIErrorCode("usage", .usage)
    static let fileNotFound = CLIErrorCode("fileNotFound", .noSuchFile)
    static let fileUnreadable = CLIErrorCode("fileUnreadable", .noSuchFile)
    static let serverUnreachable = CLIErrorCode("serverUnreachable", .unreachable)
    /// Something answers at the address that is no store, or a store of another version.
    static let answerInvalid = CLIErrorCode("answerInvalid", .unreachable)
    static let dataDirectoryInUse = CLIErrorCode("dataDirectoryInUse", .locked)
    static let dataDirectoryUnusable = CLIErrorCode("dataDirectoryUnusable", .badConfiguration)
    static let portInUse = CLIErrorCode("portInUse", .badConfiguration)
    static let addressUnusable = CLIErrorCode("addressUnusable", .badConfiguration)
    static let executableMissing = CLIErrorCode("executableMissing", .badConfiguration)
    /// What `--database-url` or `DATABASE_URL` says is no PostgreSQL's URL.
    static let databaseUnusable = CLIErrorCode("databaseUnusable", .badConfiguration)
    static let replicasNeedDatabase = CLIErrorCode("replicasNeedDatabase", .badConfiguration)
    static let serviceFailed = CLIErrorCode("serviceFailed", .temporary)
    static let notReady = CLIErrorCode("notReady", .temporary)
    static let transactionAmbiguous = CLIErrorCode("transactionAmbiguous", .usage)
    /// A question was answered with no.
    static let notConfirmed = CLIErrorCode("notConfirmed", .refused)
    /// `wait` and `ready`: it did not happen in time.
    static let notInTime = CLIErrorCode("notInTime", .refused)
    /// `doctor` found something that has to be mended.
    static let unhealthy = CLIErrorCode("unhealthy", .refused)
    /// A program that `env` was to run, or a file that `completions` was to write.
    static let commandFailed = CLIErrorCode("commandFailed", .noSuchFile)
    /// Ctrl-C, where something had to be put in order before the end.
    /// A file that holds no receipt.
    static let receiptUnreadable = CLIErrorCode("receiptUnreadable", .badInput)
    /// `verify`: a status other than 0.
    static let receiptRefused = CLIErrorCode("receiptRefused", .refused)
    /// `buy --offer`: the customer may not have it, or the product has none such.
    static let offerUnavailable = CLIErrorCode("offerUnavailable", .purchaseFailed)
    /// `buy --offer-key`: no private key, or not one that signs offers.
    static let offerKeyUnusable = CLIErrorCode("offerKeyUnusable", .badInput)
    /// No broker answers where the bus should be.
    static let busUnreachable = CLIErrorCode("busUnreachable", .unreachable)
    /// The broker took neither the credentials nor, with them, what was asked for.
    static let busRefused = CLIErrorCode("busRefused", .notAllowed)
    /// Nobody on the bus takes the subject, or answers in time.
    static let nobodyAnswers = CLIErrorCode("nobodyAnswers", .temporary)
    static let interrupted = CLIErrorCode("interrupted", .interrupted)
    static let `internal` = CLIErrorCode("internal", .bug)

    /// The codes above, for the registry in the docs.
    static let own: [CLIErrorCode] = [
        usage, fileNotFound, fileUnreadable, serverUnreachable, answerInvalid, dataDirectoryInUse,
        dataDirectoryUnusable, portInUse, addressUnusable, executableMissing, databaseUnusable, replicasNeedDatabase,
        serviceFailed, notReady, transactionAmbiguous, notConfirmed, notInTime, unhealthy, commandFailed,
        receiptUnreadable, receiptRefused, offerUnavailable, offerKeyUnusable, busUnreachable, busRefused,
        nobodyAnswers,
        interrupted, `internal`,
    ]

    /// A code the store answered with.
    init(_ code: StoreErrorCode) {
        self.init(code.name, Self.status(of: code))
    }

    private static func status(of code: StoreErrorCode) -> CLIExit {
        switch code {
        case .unauthenticated, .forbidden: .notAllowed
        case .requestInvalid, .idempotencyKeyInvalid, .urlInvalid: .usage
        case .catalogInvalid, .receiptInvalid, .bodyTooLarge: .badInput
        case .inFlight, .rateLimited, .deadlineExceeded, .outcomeUnknown, .serviceUnavailable: .temporary
        case .internal: .bug
        default: .refused
        }
    }
}
