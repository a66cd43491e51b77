import StoreModels

/// One restore from the command line: begun, waited for, and what it brought looked up.
struct RestoreRun: Sendable {
    var installation: Installation
    var applicationUsername: String?
    var key: String
    /// For the end, over all attempts.
    var timeout: Duration

    func run(_ context: CommandContext) async throws(CLIError) -> RestoreOutcome {
        let deadline = ContinuousClock.now + timeout
        let api = context.api
        // Every step may be repeated: one key is one restore.
        func ask<Value>(_ body: (String) async throws(CLIError) -> Value) async throws(CLIError) -> Value {
            try await Patience.repeating(until: deadline) { () throws(CLIError) in
                try await context.sessions.with(installation) { session throws(CLIError) in
                    try await body(session.token)
                }
            }
        }
        let before = try await ask { token throws(CLIError) in try await api.unfinishedTransactions(token: token) }
        let identifier = try await ask { token throws(CLIError) in
            try await api.startRestore(applicationUsername: applicationUsername, key: key, token: token)
        }
        var restore: Restore
        repeat {
            restore = try await ask { token throws(CLIError) in try await api.restore(identifier, token: token) }
            if restore.state != .running || ContinuousClock.now >= deadline { break }
            try? await ContinuousClock().sleep(for: Patience.pause)
        } while !Task.isCancelled
        let after = try await ask { token throws(CLIError) in try await api.unfinishedTransactions(token: token) }
        return RestoreOutcome(
            installation: installation, restore: restore, transactions: Self.new(after, since: before), key: key)
    }

    /// What the restore brought. A key that was used before brings nothing new; then it is what came with it and is not
    /// finished yet.
    static func new(
        _ after: [PaymentTransaction], since before: [PaymentTransaction]
    ) -> [PaymentTransaction] {
        let known = Set(before.map(\.id))
        let restored = after.filter { $0.transactionState == .restored }
        let new = restored.filter { !known.contains($0.id) }
        return new.isEmpty ? restored : new
    }
}
