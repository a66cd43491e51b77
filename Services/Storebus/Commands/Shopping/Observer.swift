import StoreModels

/// The observer's end of the stream: opens it, prints what comes, opens it again when it breaks.
struct Observer: Sendable {
    let installation: Installation
    let context: CommandContext
    /// Whether it is over once everything that had happened before was told.
    let endsWhenSynchronized: Bool

    init(installation: Installation, context: CommandContext, endsWhenSynchronized: Bool = false) {
        self.installation = installation
        self.context = context
        self.endsWhenSynchronized = endsWhenSynchronized
    }

    /// Why a stream ended.
    private enum End: Hashable {
        /// A newer session of this installation has its own; opening another would end that one in turn.
        case superseded
        /// It has told everything, and no more is wanted.
        case synchronized
        /// The connection broke or was closed; `lived` is how long it lasted.
        case broken(String, lived: Duration)
    }

    /// Goes on until it is superseded or the task is cancelled.
    /// - Throws: what the very first attempt met, and errors that another attempt cannot change.
    func run() async throws(CLIError) {
        var backOff = BackOff()
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
            let delay = backOff.next(lived: lived)
            context.narrate("note: \(reason); connecting again in \(Words.delay(delay))\n")
            try? await ContinuousClock().sleep(for: delay)
        }
    }

    private func follow(_ onOpen: () -> Void) async throws(CLIError) -> End {
        let bytes = try await context.sessions.with(installation) { session throws(CLIError) in
            try await context.api.openStream(token: session.token)
        }
        onOpen()
        let start = ContinuousClock.now
        var parser = ServerSentEvents()
        var printer = EventPrinter(account: installation.account, ends: endsWhenSynchronized)
        do {
            for try await piece in bytes {
                for item in try parser.append(piece) {
                    if let end = show(item, &printer) { return end }
                }
            }
            return .broken("the store closed the stream", lived: ContinuousClock.now - start)
        } catch is ServerSentEvents.TooLong {
            throw CLIError(.answerInvalid, "the stream sent an event larger than any of a store")
        } catch {
            return .broken("the connection broke", lived: ContinuousClock.now - start)
        }
    }

    /// - Returns: not nil when the stream is over for good.
    private func show(_ item: ServerSentEvents.Item, _ printer: inout EventPrinter) -> End? {
        switch (item, context.format) {
        case (.event(let event), .json), (.event(let event), .jsonl):
            context.console.result(EventPrinter.json(event) + "\n")
        case (.event(let event), .names): context.console.result(EventPrinter.names(event))
        case (.event(let event), .human): context.console.result(printer.text(event, at: .wallClock()))
        case (.comment(let comment), _):
            if let note = printer.note(comment) { context.narrate(note) }
        }
        guard case .event(let event) = item else { return nil }
        return switch event.event {
        case "superseded": .superseded
        case "synchronized" where endsWhenSynchronized: .synchronized
        default: nil
        }
    }
}
