import ArgumentParser
import BusClient
import BusService
import Chaos
import StoreHTTP
import StoreModels

/// `storebus chaos check DIR` and `storebus chaos check --live`
struct ChaosCheckCommand: BusJoinCommand {
    static let configuration = CommandConfiguration(
        "check", "Check the history of a run again and write its reports anew, or check a running store.",
        """
        storebus chaos check chaos-7
        storebus chaos check chaos-7 -o json
        storebus chaos check --live --seconds 20

        Checking a directory needs no store. Exits with 1 unless every invariant that the history can decide \
        held, and every kind of operation succeeded at least once.

        With --live it checks the steady state of a running store. A new customer of a new app buys, repeats the \
        purchase under its key, finds it unfinished, finishes it, restores it, and reads it in the history and, \
        if the bus is reachable and permits it, in the processor's ledger. Like a client, the check repeats \
        transient refusals until the time is over. Exits with 0 when all of it held and with 1 otherwise.
        """)

    @Argument("The directory of the run, with its history.jsonl.", "dir", .directory) var directory: String?
    @Flag(help: "Check the running store instead of a directory.") var live = false
    @Option("The time for all checks of --live.", "n") var seconds = 10
    @OptionGroup var bus: BusJoinOptions
    @OptionGroup var options: GlobalOptions

    private var output: OutputOptions { options.output }

    func validate() throws {
        guard live != (directory != nil) else { throw ValidationError("name the directory of a run, or --live") }
        guard (1...3_600).contains(seconds) else { throw ValidationError("--seconds is 1 to 3600") }
        try output.checkIsOneDocument("chaos")
    }

    func run() async throws {
        guard let directory else { return try await runLive() }
        let run = RunDirectory(directory)
        let report = try Self.report(of: run)
        output.print(
            CommandResult(
                data: report.json(in: run.path), text: report.text(in: run.path, isBrief: output.quiet)))
        if report.check.verdict != .valid { throw QuietExit(status: .refused) }
    }

    private func runLive() async throws {
        let deadline = ContinuousClock.now + .seconds(seconds)
        let context = try CommandContext.find(options)
        guard context.api.adminKey != nil else {
            throw CLIError(
                .usage, "check --live needs the operator's key, to make its app",
                hints: ["name it: STOREBUS_ADMIN_KEY or STOREBUS_ADMIN_KEY_FILE"])
        }
        let check = LiveCheck(api: context.api, account: "live-\(ChaosPlan.newName())", deadline: deadline)
        let result = await check.run(try ledger(context))
        context.print(result.line + "\n", data: result.json)
        if !result.isGood { throw QuietExit(status: .refused) }
    }

    /// The store's ledger. Nil for a store at an address of another machine, whose bus is not named.
    private func ledger(_ context: CommandContext) throws(CLIError) -> LiveCheck.Ledger? {
        let environment = context.environment
        let isNamed = bus.busUrl != nil || environment.variables["BUS_URL"] != nil
        guard isNamed || context.directory != nil else { return nil }
        let target = try BusTarget.find(
            url: bus.busUrl, tokenFile: bus.busTokenFile, data: options.data, environment)
        return { key throws(CLIError) in
            try await target.join { client throws(CLIError) in try await LiveCheck.ledger(client)(key) }
        }
    }

    /// Checks a run's history and writes its reports beside it.
    static func report(of run: RunDirectory) throws(CLIError) -> RunReport {
        do throws(HistoryFault) {
            let report = RunReport(try run.history(), options: try run.options())
            try run.write(report)
            return report
        } catch {
            throw CLIError(.fileUnreadable, "\(error)", hints: ["\(error.remedy)"])
        }
    }
}

/// The steady state of a store. A new customer buys, retries, finishes, restores, and finds it in history and ledger.
struct LiveCheck: Sendable {
    /// One thing that has to hold.
    struct Finding: Hashable, Sendable {
        var name: String
        /// The reason it does not hold, or nil if it does.
        var fault: String?
        /// Milliseconds.
        var took: Int64

        var json: JSONValue {
            .object([
                "name": .string(name), "holds": .bool(fault == nil), "milliseconds": .integer(Int(took)),
                "fault": fault.map { .string($0) } ?? .null,
            ])
        }
    }

    /// The findings of the check, in its order. The last finding is the first that does not hold.
    struct Result: Hashable, Sendable {
        var findings: [Finding]
        /// The reason why the ledger was not read, or nil if it was.
        var ledgerUnread: String?

        var isGood: Bool { findings.allSatisfy { $0.fault == nil } }

        var line: String {
            if let failed = findings.first(where: { $0.fault != nil }) {
                return "FAILS  \(failed.name): \(failed.fault ?? "")"
            }
            let ledger = ledgerUnread.map { ", the ledger was not read (\($0))" } ?? ""
            return "SERVES  \(findings.count) checks in \(findings.map(\.took).reduce(0, +)) ms\(ledger)"
        }

        var json: JSONValue {
            .object([
                "serves": .bool(isGood), "checks": .array(findings.map(\.json)),
                "ledgerUnread": ledgerUnread.map { .string($0) } ?? .null,
            ])
        }
    }

    /// The charges of the ledger with this key. Throws if the ledger cannot be read.
    typealias Ledger = @Sendable (_ chargeKey: String) async throws(CLIError) -> [Charge]

    let api: StoreAPI
    /// The new customer.
    let account: String
    /// The end of the check. Requests that fail temporarily are repeated until then.
    let deadline: ContinuousClock.Instant

    /// The check's own app, which it makes if it is missing.
    static let bundleId = "com.storebus.chaos.live"
    /// Bought once and restored ever after.
    static let product = "chaos.map"

    /// Runs all checks until one does not hold.
    func run(_ ledger: Ledger?) async -> Result {
        var result = Result(findings: [])
        do throws(Stop) {
            try await check(into: &result, ledger)
        } catch {
            // Its finding is the last one.
        }
        return result
    }

    /// Ends the check behind a finding that does not hold.
    private struct Stop: Error {}

    private func check(into result: inout Result, _ ledger: Ledger?) async throws(Stop) {
        try await step("catalogue", &result) { () throws(CLIError) in try await makeApp() }
        let session = try await step("session", &result) { () throws(CLIError) in
            try await api.call(
                SessionRoutes.open, body: Installation(bundleId: Self.bundleId, account: account).sessionRequest())
        }
        let token = session.token
        let key = "\(account)-purchase"
        let bought = try await step("purchase", &result) { () throws(CLIError) in try await buy(key, token) }
        try await step("retry", &result) { () throws(CLIError) in
            let again = try await buy(key, token)
            try require(
                again.id.isExactly(bought.id) && again.transactionIdentifier.isExactly(bought.transactionIdentifier),
                "the same key has transaction \(again.id), and had \(bought.id)")
        }
        try await step("unfinished", &result) { () throws(CLIError) in
            let found = try await api.all(TransactionRoutes.unfinished, token: token).filter { $0.id == bought.id }
            try require(found.count == 1, "the purchase is \(found.count) times among the unfinished")
        }
        try await step("finish", &result) { () throws(CLIError) in
            _ = try await api.call(TransactionRoutes.finish, [.id: bought.id], token: token)
            let found = try await api.all(TransactionRoutes.unfinished, token: token).filter { $0.id == bought.id }
            try require(found.isEmpty, "the finished transaction is among the unfinished")
        }
        try await step("restore", &result) { () throws(CLIError) in try await restore(token) }
        try await step("history", &result) { () throws(CLIError) in
            let found = try await api.all(TransactionRoutes.history, token: token)
            let purchases = found.filter { $0.transactionIdentifier.isExactly(bought.transactionIdentifier) }
            try require(
                purchases.count == 1 && purchases[0].transactionState == .purchased,
                "the purchase is \(purchases.count) times in the history")
        }
        guard let ledger else {
            result.ledgerUnread = "no bus"
            return
        }
        try await readLedger(ledger, bought, &result)
    }

    private func readLedger(
        _ ledger: Ledger, _ bought: PaymentTransaction, _ result: inout Result
    ) async throws(Stop) {
        var unread: String?
        try await step("ledger", &result) { () throws(CLIError) in
            let charges: [Charge]
            do throws(CLIError) {
                charges = try await ledger("purchase:\(bought.id)")
            } catch  where error.code == .busRefused || error.code == .busUnreachable {
                unread = error.message
                return
            }
            try require(charges.count == 1, "the purchase was charged \(charges.count) times")
            guard charges[0].outcome != .authorized else {
                throw CLIError(.notReady, "the charge is authorized and not captured", retryable: true)
            }
            try require(
                charges[0].outcome == .approved && charges[0].amount == bought.price,
                "the charge is \(charges[0].outcome.rawValue) with another amount than the purchase's, or not approved")
        }
        if unread != nil { result.findings.removeLast() }
        result.ledgerUnread = unread
    }

    // MARK: Steps

    /// Repeats `body` until it holds or fails for certain, and notes how it ended.
    @discardableResult
    private func step<Value>(
        _ name: String, _ result: inout Result, _ body: () async throws(CLIError) -> Value
    ) async throws(Stop) -> Value {
        let start = ContinuousClock.now
        do throws(CLIError) {
            let value = try await Retry.run(until: deadline, body)
            result.findings.append(Finding(name: name, took: (ContinuousClock.now - start).milliseconds))
            return value
        } catch {
            result.findings.append(
                Finding(
                    name: name, fault: "\(error.message) [\(error.code.name)]",
                    took: (ContinuousClock.now - start).milliseconds))
            throw Stop()
        }
    }

    private func require(_ holds: Bool, _ fault: String) throws(CLIError) {
        if !holds { throw CLIError(.unhealthy, fault) }
    }

    private func makeApp() async throws(CLIError) {
        do throws(CLIError) {
            _ = try await api.call(AppRoutes.get, [.bundleId: Self.bundleId])
        } catch  where error.is(.notFound) {
            _ = try await api.importCatalog(
                Array(ChaosCatalog.storekit.utf8), fileName: "Chaos.storekit", bundleId: Self.bundleId)
        }
    }

    /// Buys, or reads the outcome of the purchase under its key.
    private func buy(_ key: String, _ token: String) async throws(CLIError) -> PaymentTransaction {
        let made = try await api.addPayment(
            PaymentRequest(productIdentifier: Self.product), key: key, token: token, timeout: .seconds(5)
        ).transaction
        guard made.transactionState != .purchasing else {
            throw CLIError(.notReady, "the purchase has no outcome", retryable: true)
        }
        try require(made.transactionState == .purchased, "the purchase ended as \(made.transactionState.rawValue)")
        return made
    }

    private func restore(_ token: String) async throws(CLIError) {
        let identifier = try await api.call(
            RestoreRoutes.start, token: token, key: "\(account)-restore", body: NewRestore()
        ).restoreIdentifier
        while true {
            let restore = try await api.restore(identifier, token: token)
            switch restore.state {
            case .finished: return try require(restore.restored == 1, "\(restore.restored) restored, bought was 1")
            case .failed: throw CLIError(.unhealthy, "the restore failed")
            case .running:
                guard ContinuousClock.now < deadline else {
                    throw CLIError(.notInTime, "the restore did not end")
                }
                try? await ContinuousClock().sleep(for: .milliseconds(50))
            }
        }
    }
}

extension LiveCheck {
    /// Reads the processor's ledger over the bus.
    static func ledger(_ bus: any BusClient) -> Ledger {
        { key throws(CLIError) in
            // A user of the bus without the permission learns so from a plain request only.
            let first = (try? StoreJSON.encode(ChargeListRequest(limit: 1))) ?? []
            _ = try await callingBus { () throws(BusError) in
                try await bus.request(
                    ProcessorEndpoints.listCharges.subject, body: first, timeout: .seconds(2))
            }
            let caller = ServiceCaller(bus: bus, caller: "chaos", retries: true)
            do throws(StoreError) {
                return try await caller.ledger(ProcessorEndpoints.listCharges, of: bundleId, \.after)
                    .flatMap { $0.charges.filter { $0.chargeKey.isExactly(key) } }
            } catch {
                throw CLIError(.noResponders, "the ledger: \(error.message)", retryable: true)
            }
        }
    }
}

extension ServiceCaller {
    /// Reads all pages of a list of the processor's.
    /// - Parameter after: The cursor of the next page, or nil on the last.
    func ledger<Page: Codable & Sendable>(
        _ list: Endpoint<ChargeListRequest, Page>, of bundleId: String, _ after: KeyPath<Page, String?>
    ) async throws(StoreError) -> [Page] {
        var pages: [Page] = []
        repeat {
            let request = ChargeListRequest(after: pages.last?[keyPath: after], limit: 500, bundleId: bundleId)
            pages.append(try await call(list, request))
        } while pages.last?[keyPath: after] != nil
        return pages
    }
}
