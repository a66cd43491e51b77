import ArgumentParser
import StoreModels

/// `storebus wait FILTER`
struct WaitCommand: AsyncParsableCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        "wait", "Wait for an event, in tests.",
        """
        storebus wait purchased --as alice --timeout 5s
        storebus wait finished product=com.example.pro.monthly -o names
        storebus wait intentDeferred --as alice

        Reads events from now on, or after --after. To continue, pass the 'after' of the last answer (-o json). \
        Waits 30s unless --timeout says otherwise, and exits with 1 when no event has matched by then.
        """)

    @Argument(
        "The event: \(Self.kinds.joined(separator: ", ")), or terms as in tx list, except finished.", "filter",
        .list(Self.kinds))
    var filter: [String] = []
    @OptionGroup var owner: AccountFilter
    @Option("Only this app's.", "id") var bundleId: String?
    @Option("Start after this position.", "after") var after: String?
    @OptionGroup var global: GlobalOptions

    private static let intentKinds = IntentEvent.Kind.rawValues
    private static let kinds = StoreEvent.Kind.rawValues + intentKinds

    func run() async throws {
        var filter = try Filter(filter, ofEvents: true, alsoTypes: Self.intentKinds)
        try filter.add("account", owner.account)
        let context = try CommandContext.find(global, bundleId: bundleId)
        if filter.exact("bundleId") == nil || bundleId != nil { try filter.add("bundleId", context.namedApp) }
        let wait = EventWaiter(
            api: context.api, filter: filter, timeout: context.timeLimit ?? .seconds(30), after: after)
        let result = try await context.progress.during("waiting for \(wait.words)") { () throws(CLIError) in
            if wait.intentKind == nil { return Self.result(try await wait.run()) }
            return Self.result(try await wait.runForIntents())
        }
        context.print(result)
    }

    private static func result(_ found: (event: StoreEvent, after: String)) -> CommandResult {
        let name = Format.name(found.event.transaction)
        return CommandResult(
            data: JSONText.value(found.event), names: [name], next: "storebus tx show \(name)", after: found.after
        ) { EventLine.text(found.event, .human, $0) }
    }

    private static func result(_ found: (event: IntentEvent, after: String)) -> CommandResult {
        let intent = found.event.intent
        return CommandResult(
            data: JSONText.value(found.event).with(["summary": .string(IntentTable.remarks(intent))]),
            names: [intent.intentIdentifier], next: "storebus intent show \(intent.intentIdentifier)",
            after: found.after
        ) { EventLine.text(found.event, $0) }
    }
}

/// Waits for the first event a filter takes.
struct EventWaiter: Sendable {
    let api: StoreAPI
    let filter: Filter
    let timeout: Duration
    let after: String?

    /// Maximum waiting time of one request.
    private static let pollMax = Duration.seconds(60)

    var words: String {
        let words = filter.terms.map { $0.name == "type" ? $0.value : "\($0.name) \($0.value)" }
        return words.isEmpty ? "an event" : words.joined(separator: ", ")
    }

    /// - Throws: `notInTime`, with exit status 1.
    func run() async throws(CLIError) -> (event: StoreEvent, after: String) {
        try await first { after, time throws(CLIError) in
            let reply = try await api.events(filter.eventsRequest(after: after), within: time)
            return (reply.events.first { filter.matches($0) }, reply.after)
        }
    }

    /// The wanted kind of intent event. Nil for events of transactions.
    var intentKind: IntentEvent.Kind? { filter.exact("type").flatMap(IntentEvent.Kind.init) }

    /// Waits for an event of intents.
    /// - Throws: As ``run()``.
    func runForIntents() async throws(CLIError) -> (event: IntentEvent, after: String) {
        try await first { after, time throws(CLIError) in
            let request = IntentEventsRequest(
                after: after, type: intentKind, account: filter.exact("account"), bundleId: filter.exact("bundleId"))
            let reply = try await api.intentEvents(request, within: time)
            return (reply.events.first { filter.matches($0) }, reply.after)
        }
    }

    private func first<Event>(
        _ ask: (String?, Duration) async throws(CLIError) -> (event: Event?, after: String)
    ) async throws(CLIError) -> (event: Event, after: String) {
        let deadline = ContinuousClock.now + timeout
        var after = after
        while true {
            let remaining = deadline - .now
            guard remaining > .zero else { throw late(after) }
            do throws(CLIError) {
                let reply = try await ask(after, min(remaining, Self.pollMax))
                if let event = reply.event { return (event, reply.after) }
                after = reply.after
            } catch {
                guard error.mayPass, error.status != .unreachable || after != self.after, deadline - .now > Retry.pause
                else { throw error }
                try? await ContinuousClock().sleep(for: Retry.pause)
            }
        }
    }

    private func late(_ after: String?) -> CLIError {
        CLIError(
            .notInTime, "\(words) did not happen within \(Format.delay(timeout))",
            hints: [
                "see the state: storebus \(intentKind == nil ? "tx" : "intent") list", "wait longer: --timeout 1m",
            ], retryable: true,
            details: after.map { ["after": .string($0)] } ?? [:])
    }
}
