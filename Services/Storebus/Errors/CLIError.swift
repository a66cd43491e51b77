import StoreModels

/// What went wrong, where, why, and what to do next; the code is the contract (`docs/ERRORS.md`), the sentences are
/// not.
///
/// ```
/// error: no Storebus at http://127.0.0.1:7430 (connection refused)             [serverUnreachable]
///   start one: storebus up      another address: --url or STOREBUS_URL
/// ```
struct CLIError: Error, Hashable, Sendable {
    var code: CLIErrorCode
    /// What and where, in one sentence without a full stop.
    var message: String
    /// What to do next; each is shown behind the other on the second line.
    var hints: [String]
    var status: CLIExit
    /// Finds the request in the services' logs.
    var traceId: String?
    var retryable: Bool
    var details: [String: JSONValue]

    init(
        _ code: CLIErrorCode, _ message: String, hints: [String] = [], status: CLIExit? = nil,
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

    /// The same, with hints that can be typed as they stand.
    func completed(_ commands: PrintedCommands) -> CLIError {
        var error = self
        error.hints = hints.map { commands.complete($0) }
        return error
    }

    /// The form people read: the sentence, the code at the right, the hints below.
    var text: String { text(.plain) }

    func text(_ style: Style) -> String {
        let space = String(repeating: " ", count: max(2, 71 - message.count))
        var first = style.paint("error:", .bad) + " \(Table.onOneLine(message))\(space)[\(code.name)]"
        if let traceId { first += "  trace \(traceId)" }
        let problems = self.problems.map { "  \($0)" }
        let second = hints.isEmpty ? [] : ["  " + hints.joined(separator: "      ")]
        return ([first] + problems + second).joined(separator: "\n") + "\n"
    }

    /// The form programs read, one line:
    /// `{"error":{"code":"…","details":{},"docs":"docs/ERRORS.md#…","hint":"…","message":"…","retryable":false,
    /// "trace_id":"…"}}`
    var json: String {
        var members: [String: JSONValue] = [
            "code": .string(code.name), "message": .string(message), "hint": .string(hints.joined(separator: "; ")),
            "docs": .string("docs/ERRORS.md#\(code.name.lowercased())"), "retryable": .bool(retryable),
            "details": .object(details), "trace_id": .null,
        ]
        if let traceId { members["trace_id"] = .string(traceId) }
        return JSONText.line(.object(["error": .object(members)]))
    }

    /// Places and reasons of a refused file, one a line, as Catalog lists them in `details.problems`; at most ten.
    private var problems: [String] {
        guard case .array(let problems)? = details["problems"] else { return [] }
        let lines = problems.prefix(10).map { problem in
            [problem["path"]?.stringValue, problem["reason"]?.stringValue].compactMap { $0 }.joined(separator: ": ")
        }
        return lines + (problems.count > 10 ? ["… and \(problems.count - 10) more"] : [])
    }
}
