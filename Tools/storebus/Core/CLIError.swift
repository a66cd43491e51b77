import StoreModels

/// An error with its place, reason and remedy. The code is the contract (`docs/ERRORS.md`), the sentences are
/// not.
///
/// ```
/// error: no Storebus at http://127.0.0.1:7430 (connection refused)             [serverUnreachable]
///   start one: storebus up      another address: --url or STOREBUS_URL
/// ```
struct CLIError: Error, Hashable, Sendable {
    var code: CLIErrorCode
    /// The error and its place in one sentence without a full stop.
    var message: String
    /// Remedies, shown on the second line.
    var hints: [Advice]
    var status: CLIExit
    /// Finds the request in the services' logs.
    var traceId: String?
    var retryable: Bool
    var details: [String: JSONValue]

    init(
        _ code: CLIErrorCode, _ message: String, hints: [Advice] = [], status: CLIExit? = nil,
        traceId: String? = nil, retryable: Bool = false, details: [String: JSONValue] = [:]
    ) {
        self.code = code
        self.message = message
        self.hints = hints
        self.status = status ?? code.status
        self.traceId = traceId
        self.retryable = retryable
        self.details = details
    }

    /// Returns the error with completed commands in its hints.
    func completed(_ commands: PrintedCommands) -> CLIError {
        with(hints: hints.map { commands.complete($0) })
    }

    /// Returns the error with other remedies.
    func with(message: String? = nil, hints: [Advice]) -> CLIError {
        var error = self
        error.message = message ?? self.message
        error.hints = hints
        return error
    }

    /// Whether the error has a code of the store.
    func `is`(_ code: StoreErrorCode) -> Bool { self.code.name == code.name }

    /// The text form: the sentence, the code at the right, the hints below.
    var text: String { text(.plain) }

    func text(_ style: Style) -> String {
        let space = String(repeating: " ", count: max(2, 71 - message.count))
        var first = style.paint("error:", .bad) + " \(Table.onOneLine(message))\(space)[\(code.name)]"
        if let traceId { first += "  trace \(traceId)" }
        let problems = self.problems.map { "  \($0)" }
        let second = hints.isEmpty ? [] : ["  \(hints.joined(separator: "      "))"]
        return ([first] + problems + second).joined(separator: "\n") + "\n"
    }

    /// The JSON form, one line:
    /// `{"error":{"code":"…","details":{},"docs":"docs/ERRORS.md#…","hint":"…","message":"…","retryable":false,
    /// "trace_id":"…"}}`
    var json: String {
        var members: [String: JSONValue] = [
            "code": .string(code.name), "message": .string(message),
            "hint": .string(hints.joined(separator: "; ").text),
            "docs": .string("docs/ERRORS.md#\(code.name.lowercased())"), "retryable": .bool(retryable),
            "details": .object(details), "trace_id": .null,
        ]
        if let traceId { members["trace_id"] = .string(traceId) }
        return JSONText.line(.object(["error": .object(members)]))
    }

    /// Problems of a rejected file, one a line.
    ///
    /// Catalog lists them in `details.problems`. At most ten are shown.
    var problems: [String] {
        guard case .array(let problems)? = details["problems"] else { return [] }
        let lines = problems.prefix(10).map { problem in
            [problem["path"]?.stringValue, problem["reason"]?.stringValue].compactMap { $0 }.joined(separator: ": ")
        }
        return lines + (problems.count > 10 ? ["… and \(problems.count - 10) more"] : [])
    }
}

/// The code of an error: one of ``StoreErrorCode``, spelled the same, or one of the command line.
struct CLIErrorCode: Hashable, Sendable {
    let name: String
    /// The exit status, unless the error has another.
    let status: CLIExit

    private init(_ name: String, _ status: CLIExit) {
        self.name = name
        self.status = status
    }

    static let usage = CLIErrorCode("usage", .usage)
    static let fileNotFound = CLIErrorCode("fileNotFound", .noSuchFile)
    static let fileUnreadable = CLIErrorCode("fileUnreadable", .noSuchFile)
    static let serverUnreachable = CLIErrorCode("serverUnreachable", .unreachable)
    /// The address is not a store's, or the store has another version.
    static let answerInvalid = CLIErrorCode("answerInvalid", .unreachable)
    static let dataDirectoryInUse = CLIErrorCode("dataDirectoryInUse", .locked)
    static let dataDirectoryUnusable = CLIErrorCode("dataDirectoryUnusable", .badConfiguration)
    static let portInUse = CLIErrorCode("portInUse", .badConfiguration)
    static let addressUnusable = CLIErrorCode("addressUnusable", .badConfiguration)
    static let executableMissing = CLIErrorCode("executableMissing", .badConfiguration)
    /// `--database-url` or `DATABASE_URL` is not a URL of a PostgreSQL.
    static let databaseUnusable = CLIErrorCode("databaseUnusable", .badConfiguration)
    static let replicasNeedDatabase = CLIErrorCode("replicasNeedDatabase", .badConfiguration)
    static let serviceFailed = CLIErrorCode("serviceFailed", .temporary)
    static let notReady = CLIErrorCode("notReady", .temporary)
    static let transactionAmbiguous = CLIErrorCode("transactionAmbiguous", .usage)
    /// `scenario run`: a file that is no scenario.
    static let scenarioInvalid = CLIErrorCode("scenarioInvalid", .badInput)
    /// The user answered a question with no.
    static let notConfirmed = CLIErrorCode("notConfirmed", .refused)
    /// `sub renew` or `sub resolve-billing`: the charge was declined.
    static let chargeDeclined = CLIErrorCode("chargeDeclined", .purchaseFailed)
    /// `wait` timed out.
    static let notInTime = CLIErrorCode("notInTime", .refused)
    /// `doctor` found a problem.
    static let unhealthy = CLIErrorCode("unhealthy", .refused)
    /// `env` or `store run` could not run a program, or `completions` could not write a file.
    static let commandFailed = CLIErrorCode("commandFailed", .noSuchFile)
    /// A file without a receipt.
    static let receiptUnreadable = CLIErrorCode("receiptUnreadable", .badInput)
    /// `verify`: a status other than 0.
    static let receiptRefused = CLIErrorCode("receiptRefused", .refused)
    /// `verify`: a step of a signature's check that failed.
    static let signatureRefused = CLIErrorCode("signatureRefused", .refused)
    /// `verify --root`: a file without a certificate.
    static let certificateUnreadable = CLIErrorCode("certificateUnreadable", .badInput)
    /// `buy --offer`: the customer is not eligible, or the product has no such offer.
    static let offerUnavailable = CLIErrorCode("offerUnavailable", .purchaseFailed)
    /// `buy --offer-key`: no private key for offers.
    static let offerKeyUnusable = CLIErrorCode("offerKeyUnusable", .badInput)
    /// No broker responds at the address of the bus.
    static let busUnreachable = CLIErrorCode("busUnreachable", .unreachable)
    /// The broker rejected the credentials or the operation.
    static let busRefused = CLIErrorCode("busRefused", .notAllowed)
    /// No service subscribes to the subject or responds in time.
    static let noResponders = CLIErrorCode("nobodyAnswers", .temporary)
    /// The installation has no open isolated store of that name.
    static let isolatedStoreNotFound = CLIErrorCode("isolatedStoreNotFound", .refused)
    /// Ctrl-C in a command that restores settings.
    static let interrupted = CLIErrorCode("interrupted", .interrupted)
    static let `internal` = CLIErrorCode("internal", .bug)

    /// The codes above, for the registry in the docs.
    static let own: [CLIErrorCode] = [
        usage, fileNotFound, fileUnreadable, serverUnreachable, answerInvalid, dataDirectoryInUse,
        dataDirectoryUnusable, portInUse, addressUnusable, executableMissing, databaseUnusable, replicasNeedDatabase,
        serviceFailed, notReady, transactionAmbiguous, scenarioInvalid, notConfirmed, chargeDeclined, notInTime,
        unhealthy,
        commandFailed, receiptUnreadable, receiptRefused, signatureRefused, certificateUnreadable, offerUnavailable,
        offerKeyUnusable, busUnreachable, busRefused, noResponders, isolatedStoreNotFound, interrupted, `internal`,
    ]

    /// A code of the store.
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

/// The exit status, from `sysexits.h` where it has one. `storebus --help` shows the table.
package enum CLIExit: Int32, CaseIterable, Sendable {
    case success = 0
    /// The store rejected the request, or the result of `wait` or `doctor` is negative.
    case refused = 1
    /// A failed purchase, renewal, restore or download.
    case purchaseFailed = 10
    case purchaseDeferred = 11
    case usage = 64
    /// Invalid content of a file.
    case badInput = 65
    case noSuchFile = 66
    /// No store responds at the address.
    case unreachable = 69
    /// An internal error of Storebus.
    case bug = 70
    /// The data directory is held by another process.
    case locked = 73
    /// A retry may succeed.
    case temporary = 75
    case notAllowed = 77
    /// An invalid flag, variable or port.
    case badConfiguration = 78
    case interrupted = 130

    /// One line of the table in `--help`.
    var meaning: String {
        switch self {
        case .success: "done"
        case .refused: "the store refused, or the expected event did not happen"
        case .purchaseFailed: "the purchase, renewal, restore or download failed or was cancelled"
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

/// Runs a request. Nil if the store does not find the named object.
func ifFound<Value>(_ body: () async throws(CLIError) -> Value) async throws(CLIError) -> Value? {
    do throws(CLIError) {
        return try await body()
    } catch  where error.is(.notFound) {
        return nil
    }
}

extension Result where Failure == CLIError {
    /// Runs a body and keeps its error.
    static func of(_ body: () async throws(CLIError) -> Success) async -> Result {
        do throws(CLIError) {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}

/// Ends a command that has printed everything, with a status.
struct QuietExit: Error {
    var status: CLIExit
}

/// Ends a command with the status of a program that it ran.
struct ProgramExit: Error {
    var status: Int32
}
