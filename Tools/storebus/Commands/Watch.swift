import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus watch`
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "See what happens, live.",
        discussion: """
            storebus watch
            storebus watch type=purchased product~pro.
            storebus watch --as alice
            storebus tx watch product~pro.

            Without --as, what happens to all accounts' transactions from now on, seen from outside. With it, what the \
            transaction observer of that account's app receives: every unfinished transaction, then what changes; what \
            is received counts as delivered. Until Ctrl-C; a lost connection is made again. With -o jsonl one event a \
            line.
            """)

    @Argument(help: ArgumentHelp("Which events, such as type=purchased account=alice.", valueName: "filter"))
    var filter: [String] = []

    @Option(
        name: .customLong("as"), help: ArgumentHelp("Be this account's app.", valueName: "account"),
        completion: Completion.accounts)
    var account: String?

    @Option(help: ArgumentHelp("With --as: the device. Default: <account>-1.", valueName: "device"))
    var device: String?

    @OptionGroup var app: AppOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if account != nil, !filter.isEmpty { throw ValidationError("a filter and --as exclude each other") }
        if account == nil, device != nil { throw ValidationError("--device needs --as") }
    }

    func run() async throws {
        let context = try await CommandContext.find(global, app: app)
        guard let account else {
            var filter = try Filter(filter, bare: "type")
            try filter.add("bundleId", app.bundleId)
            return try await EventWatch(context: context, filter: filter).run()
        }
        let installation = Installation(bundleId: context.bundleId, account: account, deviceId: device)
        try await Observer(installation: installation, context: context).run()
    }
}

/// Prints all accounts' events by long polling, without a gap between two polls.
struct EventWatch: Sendable {
    let context: CommandContext
    let filter: Filter

    /// Timeout of one poll. The store allows a minute.
    private static let poll = Duration.seconds(30)

    /// Continues until the task is cancelled.
    /// - Throws: The error of the first attempt, and errors that a retry cannot change.
    func run() async throws(CLIError) {
        var backoff = Backoff()
        var after: String?
        var wasOpen = false
        context.narrate("watching from now on; Ctrl-C ends\n")
        while !Task.isCancelled {
            let start = ContinuousClock.now
            do {
                after = try await next(after, within: wasOpen ? Self.poll : .seconds(1))
                wasOpen = true
            } catch  where wasOpen && (error.retryable || error.status == .temporary) {
                let delay = backoff.next(lived: ContinuousClock.now - start)
                context.narrate("note: \(error.message); asking again in \(Format.delay(delay))\n")
                try? await ContinuousClock().sleep(for: delay)
            }
        }
    }

    private func next(_ after: String?, within time: Duration) async throws(CLIError) -> String {
        let reply = try await context.api.events(filter.eventsRequest(after: after), within: time)
        for event in reply.events where filter.matches(event, now: .wallClock()) {
            context.console.result(EventLine.text(event, context.format, context.style, at: .wallClock()))
        }
        return reply.after
    }
}

extension Filter {
    /// The terms the store filters by; the others are applied here.
    func eventsRequest(after: String?) -> EventsRequest {
        EventsRequest(
            after: after, type: exact("type").flatMap(StoreEvent.Kind.init), account: exact("account"),
            bundleId: exact("bundleId"))
    }

    func matches(_ event: StoreEvent, now: Timestamp) -> Bool {
        matches(event.transaction, account: event.account, bundleId: event.bundleId, type: event.type, now: now)
    }
}

/// Opens the observer's stream, prints its events, and reconnects when it breaks.
struct Observer: Sendable {
    let installation: Installation
    let context: CommandContext
    /// Whether the command ends after the events that happened before it started.
    let endsWhenSynchronized: Bool

    init(installation: Installation, context: CommandContext, endsWhenSynchronized: Bool = false) {
        self.installation = installation
        self.context = context
        self.endsWhenSynchronized = endsWhenSynchronized
    }

    /// The reason for the end of a stream.
    private enum End: Hashable {
        /// A newer session of this installation has a stream, which another one would end.
        case superseded
        /// Everything was received, and the command does not follow.
        case synchronized
        /// The connection broke or was closed; `lived` is how long it lasted.
        case broken(String, lived: Duration)
    }

    /// Continues until it is superseded or the task is cancelled.
    /// - Throws: The error of the first attempt, and errors that a retry cannot change.
    func run() async throws(CLIError) {
        var backoff = Backoff()
        var wasOpen = false
        while !Task.isCancelled {
            let end: End
            do {
                end = try await follow { wasOpen = true }
            } catch  where wasOpen && (error.retryable || error.status == .temporary || error.status == .unreachable) {
                end = .broken(error.message, lived: .zero)
            }
            guard case .broken(let reason, let lived) = end else {
                if end == .synchronized { return }
                context.narrate(
                    "note: a newer session of \(installation.account) on \(installation.deviceId) took over\n")
                return
            }
            let delay = backoff.next(lived: lived)
            context.narrate("note: \(reason); connecting again in \(Format.delay(delay))\n")
            try? await ContinuousClock().sleep(for: delay)
        }
    }

    /// Maximum size of an event in bytes; a page of 100 transactions has a few hundred kilobytes.
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

    /// - Returns: The reason for a final end; nil to continue.
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
