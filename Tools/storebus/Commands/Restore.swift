import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus restore --as alice`
struct RestoreCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "restore", "Restore an account's purchases, as its app on a device would.",
        """
        storebus restore --as alice
        storebus restore --as alice --device alice-2

        Restores non-consumables and subscriptions that renew as new transactions in state restored, on this \
        device only. Nothing is charged. Unfinished transactions are left out, because the queue has them \
        already. Waits for the end, 30s unless --timeout says otherwise, and shows the restored transactions. To \
        make a restore fail use storebus account set alice --simulate restore=unknown.
        """)

    @Option("Recorded with the restore. It filters nothing.", "name") var applicationUsername: String?
    @Option("The same key again gives the same restore.", "key") var idempotencyKey: String?
    @OptionGroup var account: AccountOptions
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let run = RestoreRun(
            installation: account.installation(context), applicationUsername: applicationUsername,
            key: idempotencyKey ?? "cli-\(Secret.make().prefix(32))", timeout: context.timeLimit ?? .seconds(30))
        let outcome = try await context.progress.during("restoring") { () throws(CLIError) in
            try await run.run(context)
        }
        context.print(outcome.result)
        if outcome.status != .success { throw QuietExit(status: outcome.status) }
    }
}

/// Runs one restore: starts it, waits for its end, and loads its transactions.
struct RestoreRun: Sendable {
    var installation: Installation
    var applicationUsername: String?
    var key: String
    /// Timeout for the end, over all attempts.
    var timeout: Duration

    func run(_ context: CommandContext) async throws(CLIError) -> RestoreOutcome {
        let deadline = ContinuousClock.now + timeout
        let api = context.api
        // Each step is safe to repeat, because one key is one restore.
        func ask<Value>(_ body: (String) async throws(CLIError) -> Value) async throws(CLIError) -> Value {
            try await Retry.run(until: deadline) { () throws(CLIError) in
                try await context.sessions.with(installation) { session throws(CLIError) in
                    try await body(session.token)
                }
            }
        }
        func unfinished() async throws(CLIError) -> [PaymentTransaction] {
            try await ask { token throws(CLIError) in try await api.all(TransactionRoutes.unfinished, token: token) }
        }
        let before = try await unfinished()
        let identifier = try await ask { token throws(CLIError) in
            try await api.call(
                RestoreRoutes.start, token: token, key: key, body: NewRestore(applicationUsername: applicationUsername)
            ).restoreIdentifier
        }
        var restore: Restore
        repeat {
            restore = try await ask { token throws(CLIError) in try await api.restore(identifier, token: token) }
            if restore.state != .running || ContinuousClock.now >= deadline { break }
            try? await ContinuousClock().sleep(for: Retry.pause)
        } while !Task.isCancelled
        return RestoreOutcome(
            installation: installation, restore: restore,
            transactions: Self.new(try await unfinished(), since: before),
            leftOut: before.filter { $0.transactionState == .purchased }, key: key)
    }

    /// Returns the restored transactions. A repeated key restores no new ones, so these are the unfinished ones of the
    /// first request.
    static func new(
        _ after: [PaymentTransaction], since before: [PaymentTransaction]
    ) -> [PaymentTransaction] {
        let known = Set(before.map(\.id))
        let restored = after.filter { $0.transactionState == .restored }
        let new = restored.filter { !known.contains($0.id) }
        return new.isEmpty ? restored : new
    }
}

/// The output of `storebus restore`:
///
/// ```
/// account   alice on device alice-2
/// restored  2 transactions      restore r_01j…
///
/// TRANSACTION       ORIGINAL          PRODUCT                  BOUGHT
/// 2000000000000007  2000000000000001  com.example.pro.monthly  2026-11-21 10:00:04Z
/// ```
struct RestoreOutcome: Sendable {
    var installation: Installation
    var restore: Restore
    var transactions: [PaymentTransaction]
    /// Purchases that are not finished, so the queue has them already.
    var leftOut: [PaymentTransaction]
    var key: String

    var status: CLIExit {
        switch restore.state {
        case .finished: .success
        case .failed: .purchaseFailed
        case .running: .temporary
        }
    }

    var result: CommandResult {
        CommandResult(data: json, names: transactions.map { Format.name($0) }, next: next) { [self] in text($0) }
    }

    private func text(_ style: Style) -> String {
        let fields: FieldList = [
            "account": "\(installation.account) on device \(installation.deviceId)",
            "restore": restore.restoreIdentifier, "state": restore.state.rawValue,
            "restored": Format.count(restore.restored, "transaction"),
            "left out": leftOut.isEmpty ? nil : Format.count(leftOut.count, "unfinished transaction"),
            "error": restore.error.map { "\($0.name) (\($0.code)): \($0.localizedDescription)" },
        ]
        return fields.text(style) + (transactions.isEmpty ? "" : "\n" + table.text(style))
    }

    private var table: Table {
        Table(["TRANSACTION", "ORIGINAL", "PRODUCT", "BOUGHT"], transactions) { transaction in
            [
                Format.name(transaction), transaction.originalTransactionIdentifier ?? "-",
                transaction.payment.productIdentifier,
                (transaction.original?.transaction.transactionDate ?? transaction.transactionDate).map(Format.time)
                    ?? "-",
            ]
        }
    }

    private var json: JSONValue {
        [
            "account": .string(installation.account), "deviceId": .string(installation.deviceId),
            "bundleId": .string(installation.bundleId), "restore": JSONText.value(restore),
            "transactions": .array(transactions.map { JSONText.value($0) }),
            "leftOut": .array(leftOut.map { JSONText.value($0) }), "idempotencyKey": .string(key),
        ]
    }

    private var next: Advice {
        let device = installation.deviceOption
        switch restore.state {
        case .running: return "storebus restore --as \(installation.account)\(device) --idempotency-key \(key)"
        case .failed: return "storebus account show \(installation.account)"
        case .finished:
            guard let first = transactions.first ?? leftOut.first else {
                return "storebus tx list --as \(installation.account)"
            }
            return "storebus finish \(Format.name(first)) --as \(installation.account)\(device)"
        }
    }
}
