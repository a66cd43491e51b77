import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus watch`
struct WatchCommand: OneAppCommand, TerminalCommand {
    static let configuration = CommandConfiguration(
        "watch", "Watch transactions live.",
        """
        storebus watch
        storebus watch type=purchased product~pro.
        storebus watch --as alice
        storebus tx watch product~pro.

        Without --as, prints the events of all accounts' transactions from now on. With it, \
        prints the stream of that account's transaction observer: every unfinished transaction, then \
        each change. Received transactions count as delivered. Runs until Ctrl-C or --timeout. It reconnects \
        after a lost connection and notes the events it missed. With -o jsonl, prints one event a line.
        """)

    @Argument("Which events, such as type=purchased account=alice.", "filter") var filter: [String] = []
    @Option("Be this account's app.", "account", Completion.accounts, name: .customLong("as")) var account: String?
    @Option("With --as: the device. Default: <account>-1.", "device") var device: String?
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if account != nil, !filter.isEmpty { throw ValidationError("a filter and --as exclude each other") }
        if account == nil, device != nil { throw ValidationError("--device needs --as") }
    }

    func run(_ context: CommandContext) async throws {
        guard let account else {
            var filter = try Filter(filter, ofEvents: true)
            try filter.add("bundleId", app.bundleId)
            let watch = EventWatch(context: context, filter: filter)
            return try await context.untilTimeLimit { () throws(CLIError) in try await watch.run() }
        }
        let installation = Installation(bundleId: context.bundleId, account: account, deviceId: device)
        let observer = StreamWatcher(installation: installation, context: context)
        try await context.untilTimeLimit { () throws(CLIError) in try await observer.run() }
    }
}

/// Prints all accounts' events by long polling, without a gap between two polls.
struct EventWatch: Sendable {
    let context: CommandContext
    let filter: Filter

    /// Timeout of one poll. The store allows a minute.
    private static let poll = Duration.seconds(30)

    /// Continues until the task is cancelled. If a store does not know the place any more, it is asked for the events
    /// from then on.
    /// - Throws: Errors that a retry cannot change, and that of an address without a store.
    func run() async throws(CLIError) {
        var interruptions = Interruptions(context)
        var after: String?
        var seen = Timestamp.wallClock()
        context.narrate("watching from now on\(context.timeLimit == nil ? "; Ctrl-C ends" : "")\n")
        while !Task.isCancelled {
            let start = ContinuousClock.now
            do throws(CLIError) {
                after = try await next(after, within: after == nil ? .seconds(1) : Self.poll)
                seen = .wallClock()
                interruptions.storeAnswered()
            } catch {
                guard error.positionFault == nil else {
                    (after, seen) = (nil, missed(since: seen))
                    continue
                }
                try await interruptions.wait(after: error, lived: ContinuousClock.now - start)
            }
        }
    }

    /// Says that the store has lost the place of the last answer.
    private func missed(since seen: Timestamp) -> Timestamp {
        let now = Timestamp.wallClock()
        context.narrate(
            "note: events between \(Format.clock(seen)) and \(Format.clock(now)) are missing: the store no longer has "
                + "the position; going on from now\n")
        return now
    }

    private func next(_ after: String?, within time: Duration) async throws(CLIError) -> String {
        let reply = try await context.api.events(filter.eventsRequest(after: after), within: time)
        for event in reply.events where filter.matches(event) {
            context.console.result(EventLine.text(event, context.format, context.style))
        }
        return reply.after
    }
}

extension Filter {
    /// The terms the store filters by. The others are applied here.
    func eventsRequest(after: String?) -> EventsRequest {
        EventsRequest(
            after: after, type: exact("type").flatMap(StoreEvent.Kind.init), account: exact("account"),
            bundleId: exact("bundleId"))
    }

    func matches(_ event: StoreEvent) -> Bool {
        matches(
            event.transaction, account: event.account, bundleId: event.bundleId, type: event.type, now: event.at)
    }
}

/// Opens the observer's stream, prints its events, and reconnects when it breaks.
struct StreamWatcher: Sendable {
    let installation: Installation
    let context: CommandContext
    /// Whether the command ends after the events that happened before it started.
    var endsWhenSynchronized = false

    /// The reason for the end of a stream.
    private enum End: Hashable {
        /// A newer session of this installation has a stream, which another one would end.
        case superseded
        /// Everything was received, and the command does not follow.
        case synchronized
        /// The connection broke or was closed. `lived` is how long it lasted.
        case broken(String, lived: Duration)
    }

    /// Continues until it is superseded or the task is cancelled.
    /// - Throws: Errors that a retry cannot change, and that of an address without a store.
    func run() async throws(CLIError) {
        var interruptions = Interruptions(context, waitsAtStart: !endsWhenSynchronized)
        while !Task.isCancelled {
            var reason: CLIError
            var lived = Duration.zero
            do throws(CLIError) {
                switch try await follow({ interruptions.storeAnswered() }) {
                case .synchronized: return
                case .superseded:
                    return context.narrate(
                        "note: a newer session of \(installation.account) on \(installation.deviceId) took over\n")
                case .broken(let sentence, let time):
                    (reason, lived) = (CLIError(.serverUnreachable, sentence, retryable: true), time)
                }
            } catch {
                reason = error
            }
            try await interruptions.wait(after: reason, lived: lived, next: "connecting again")
        }
    }

    /// Maximum size of an event in bytes. A page of 100 transactions has a few hundred kilobytes.
    private static let eventByteCountMax = 8 * 1024 * 1024

    private func follow(_ onOpen: () -> Void) async throws(CLIError) -> End {
        let bytes = try await context.sessions.with(installation) { session throws(CLIError) in
            try await context.api.openStream(token: session.token)
        }
        onOpen()
        let start = ContinuousClock.now
        var parser = ServerSentEventParser(byteCountMax: Self.eventByteCountMax)
        var printer = EventPrinter(account: installation.account, ends: endsWhenSynchronized)
        do {
            for try await piece in bytes {
                for item in try parser.append(piece) {
                    if let end = show(item, &printer) { return end }
                }
            }
            return .broken("the store closed the stream", lived: ContinuousClock.now - start)
        } catch is ServerSentEventParser.EventTooLong {
            throw CLIError(.answerInvalid, "the stream sent an event larger than any of a store")
        } catch {
            return .broken("the connection broke", lived: ContinuousClock.now - start)
        }
    }

    /// - Returns: The reason for a final end, or nil to continue.
    private func show(_ item: ServerSentEventParser.Item, _ printer: inout EventPrinter) -> End? {
        switch (item, context.format) {
        case (.event(let event), .json), (.event(let event), .jsonl):
            context.console.result(EventPrinter.json(event) + "\n")
        case (.event(let event), .names): context.console.result(EventPrinter.names(event))
        case (.event(let event), .human): context.console.result(printer.text(event, at: .wallClock()))
        case (.comment(let comment), _):
            if let note = printer.note(comment) { context.narrate(note) }
        }
        guard case .event(let event) = item else { return nil }
        return switch StreamEventName(rawValue: event.name) {
        case .superseded: .superseded
        case .synchronized where endsWhenSynchronized: .synchronized
        default: nil
        }
    }
}
