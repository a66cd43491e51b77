import StoreModels

/// Changes how an account behaves for the time of one thing, and puts back what was set before: also when that fails,
/// and at Ctrl-C. Only a process that is killed leaves the change behind.
struct TesterLoan: Sendable {
    let account: String
    let context: CommandContext

    /// How long putting back is tried while the store is away.
    private static let patience = Duration.seconds(10)

    /// - Parameters:
    ///   - change: from the JSON of what is set to what shall be.
    ///   - body: cancelled at Ctrl-C.
    /// - Returns: what the body has come to, and a sentence when the settings could not be put back.
    /// - Throws: `interrupted` at Ctrl-C, else what the body or setting throws.
    func during<Value: Sendable>(
        _ change: (JSONValue) -> JSONValue, _ body: @escaping @Sendable () async throws(CLIError) -> Value
    ) async throws(CLIError) -> (value: Value, note: String?) {
        let before = try await overrides()
        let changed = change(before)
        // A task of its own, so that Ctrl-C can end it and not what has to be done behind it. From its first request on
        // something is to be put back: an answer that is lost may have been a success.
        let work = Task {
            await Self.result { () throws(CLIError) in
                _ = try await context.api.putTester(account, changed)
                return try await body()
            }
        }
        let signals = context.environment.onStop { work.cancel() }
        defer { withExtendedLifetime(signals) {} }
        let result = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
        let wasStopped = work.isCancelled
        let note = await Task { await putBack(before) }.value
        if let note, case .failure = result { context.narrate("note: \(note)\n") }
        if wasStopped, case .failure(let error) = result, error.code == .serverUnreachable || error.code == .interrupted
        {
            throw CLIError(
                .interrupted, "interrupted; \(note ?? "what was set of \(account) is as it was")",
                hints: ["what has become of it: storebus tx list --as \(account)"])
        }
        return (try result.get(), note)
    }

    private static func result<Value>(
        _ body: () async throws(CLIError) -> Value
    ) async -> Result<Value, CLIError> {
        do throws(CLIError) {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }

    /// What the operator has set; an empty object for an account nobody has.
    private func overrides() async throws(CLIError) -> JSONValue {
        do {
            return try await context.api.tester(account).json["overrides"] ?? .object([:])
        } catch  where error.code.name == StoreErrorCode.notFound.name {
            return .object([:])
        }
    }

    /// - Returns: why it could not be done.
    private func putBack(_ before: JSONValue) async -> String? {
        let members = (before.objectValue ?? [:]).filter { $0.value != .null }
        do throws(CLIError) {
            try await Patience.repeating(until: .now + Self.patience) { () throws(CLIError) in
                if members.isEmpty {
                    try await context.api.resetTester(account)
                } else {
                    _ = try await context.api.putTester(account, .object(members))
                }
            }
            return nil
        } catch {
            return
                "what was set of \(account) could not be put back (\(error.message)): storebus account show \(account)"
        }
    }
}
