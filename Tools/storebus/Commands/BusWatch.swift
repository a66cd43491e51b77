import ArgumentParser
import BusClient
import BusProtocol
import BusService
import StoreModels

extension BusCommand {
    /// `storebus bus sub`
    struct Subscribe: BusJoinCommand, TerminalCommand {
        static let configuration = CommandConfiguration(
            "sub", "Print the messages on a subject as they come.",
            """
            storebus bus sub 'sb.evt.>'
            storebus bus sub 'sb.evt.payment.>' --count 1 --timeout 5s -o jsonl

            This is an ordinary subscription, so requests on the subject count as taken. 'bus trace' only \
            watches, and nothing counts as taken.
            """)

        @Argument("A subject. * matches one token, > the rest.", "pattern") var pattern: String
        @Option("End after this many messages.", "number") var count: Int?
        @OptionGroup var bus: BusJoinOptions
        @OptionGroup var options: GlobalOptions

        func validate() throws { try BusCommand.check(count) }

        func run() async throws {
            let watch = MessageWatch(pattern: pattern, count: count, text: nil, isTrace: false)
            try await join { client, context throws(CLIError) in try await watch.run(client, context) }
        }
    }

    /// `storebus bus trace`
    struct Trace: BusJoinCommand, TerminalCommand {
        static let configuration = CommandConfiguration(
            "trace", "Watch messages on the bus with their causes and outcomes, without taking any.",
            """
            storebus bus trace
            storebus bus trace 'sb.payment.v1.>'
            storebus bus trace 2000000000000001

            Give a subject pattern, or a word without a dot or wildcard, such as a transaction or a trace's \
            number, to see only the messages that contain it. The request that begins a purchase does not contain the \
            transaction's number yet, but its account and its product. A request is printed when it has ended: with the \
            outcome of its reply, or at its deadline without one. Bodies of replies are not shown.
            """)

        @Argument("A pattern, or a text to look for.", "txn|pattern") var what: String = ">"
        @Flag(help: "Also print the requests that services repeat, whether or not anything happens.") var polls = false
        @Option("End after this many messages.", "number") var count: Int?
        @OptionGroup var bus: BusJoinOptions
        @OptionGroup var options: GlobalOptions

        func validate() throws { try BusCommand.check(count) }

        func run() async throws {
            let isPattern = what.contains { ".*>".contains($0) }
            let watch = MessageWatch(
                pattern: "$SYS.TAP.\(isPattern ? what : ">")", count: count, text: isPattern ? nil : what,
                isTrace: true, hasPolls: polls || BrokerSubject.isPoll(what))
            try await join { client, context throws(CLIError) in try await watch.run(client, context) }
        }
    }

    fileprivate static func check(_ count: Int?) throws {
        if let count, count < 1 { throw ValidationError("--count is 1 or more") }
    }
}

/// Prints messages as they arrive, until their count, the time limit or Ctrl-C.
struct MessageWatch: Sendable {
    /// The subjects of the subscription.
    var pattern: String
    /// The number of messages to print, or nil for no limit.
    var count: Int?
    /// Prints only messages that contain this text.
    var text: String?
    /// Prints requests with their ends, and the caller and trace of a message instead of its reply subject.
    var isTrace: Bool
    /// Prints the requests that services repeat.
    var hasPolls = true

    /// Maximum number of messages waiting to be printed. Beyond it the oldest is dropped and counted.
    private static let waitingMax = 65_536
    /// The time between two looks for requests without a reply.
    private static let overduePause = Duration.milliseconds(250)

    /// - Throws: `busRefused` and `usage` of the subscription, `notInTime` if fewer than `count` messages arrived.
    func run(_ bus: any BusClient, _ context: CommandContext) async throws(CLIError) {
        if isTrace { try bus.requireSystemSubjects() }
        // Nil: a look for requests without a reply.
        let (messages, sink) = AsyncStream<BusMessage?>.makeStream(bufferingPolicy: .bufferingNewest(Self.waitingMax))
        var subscriptions: [any BusSubscription] = []
        for subject in (isTrace ? [BrokerSubject.replies] : []) + [pattern] {
            subscriptions.append(
                try await callingBus { () throws(BusError) in
                    try await bus.subscribe(subject, queue: nil) { sink.yield($0) }
                })
        }
        context.narrate("waiting for messages on \(pattern)\(context.timeLimit == nil ? "; Ctrl-C ends" : "")\n")
        let limit = context.timeLimit.map { time in
            Task {
                try? await ContinuousClock().sleep(for: time)
                sink.finish()
            }
        }
        let looks = Task { [isTrace] in
            while isTrace, (try? await ContinuousClock().sleep(for: Self.overduePause)) != nil { sink.yield(nil) }
        }
        var seen = 0
        var requests = TracedRequests()
        func show(_ all: [TracedMessage]) {
            for one in all where count.map({ seen < $0 }) ?? true {
                context.console.result(line(one, context))
                seen += 1
            }
        }
        for await message in messages {
            show(message.map { taken($0, &requests) } ?? requests.overdue(at: .now))
            if seen == count { break }
        }
        show(requests.waiting)
        limit?.cancel()
        looks.cancel()
        for subscription in subscriptions { await subscription.unsubscribe() }
        if let count, seen < count {
            throw CLIError(
                .notInTime, "\(seen) of \(count) messages came on \(pattern)", hints: ["wait longer with --timeout"])
        }
    }

    /// Returns the messages to print now that a message has come.
    private func taken(_ message: BusMessage, _ requests: inout TracedRequests) -> [TracedMessage] {
        if isTrace, BrokerSubject.isReply(message) { return requests.end(with: message, at: .now) }
        guard text.map({ Self.holds(message, $0) }) ?? true, hasPolls || !BrokerSubject.isPoll(message.subject) else {
            return []
        }
        let shown = TracedMessage(message: message, at: .wallClock())
        return isTrace ? requests.add(shown, at: .now) : [shown]
    }

    private func line(_ shown: TracedMessage, _ context: CommandContext) -> String {
        let message = shown.message
        switch context.format {
        case .json, .jsonl:
            return JSONText.line(BusFormat.json(message, at: shown.at).with(isTrace ? shown.members : [:])) + "\n"
        case .names: return Table.onOneLine(message.subject) + "\n"
        case .human:
            let middle = isTrace ? shown.words : message.reply.map { ["reply \($0)"] } ?? []
            let words =
                [Format.clock(shown.at), message.subject] + middle + [String(decoding: message.body, as: UTF8.self)]
            return words.filter { !$0.isEmpty }.map(Table.onOneLine).joined(separator: "  ") + "\n"
        }
    }

    private static func holds(_ message: BusMessage, _ text: String) -> Bool {
        message.subject.contains(text) || String(decoding: message.body, as: UTF8.self).contains(text)
            || message.headers.contains { $0.value.contains(text) }
    }
}

/// A message of a trace, with the end of the request that it is.
struct TracedMessage: Sendable {
    var message: BusMessage
    /// The time at which it came.
    var at: Timestamp
    /// Nil for an event, and while the request waits for its reply.
    var end: TappedRequests.End?

    /// `payment-queue`, `replied in 1.20 ms`, and who has caused it.
    var words: [String] {
        let causes = [BusHeader.traceparent, BusHeader.sbActor].compactMap { name in
            message.headers[name].map { "\(name) \($0)" }
        }
        guard message.reply != nil else { return causes }
        return [service ?? "", end.map(Self.text) ?? "no reply yet"] + causes
    }

    var members: [String: JSONValue?] {
        [
            "service": service.map { .string($0) }, "outcome": end.map { .string($0.outcome.rawValue) },
            "durationMs": end.map { .number(BusFormat.milliseconds($0.duration)) },
            "error": end?.error.map { .string($0) },
        ]
    }

    private var service: String? {
        message.reply.flatMap { _ in BrokerSubject.service(of: message.subject)?.rawValue }
    }

    private static func text(_ end: TappedRequests.End) -> String {
        let time = "\(BusFormat.milliseconds(end.duration)) ms"
        return switch end.outcome {
        case .replied: "replied in \(time)"
        case .failed: "failed in \(time)" + (end.error.map { " (\($0))" } ?? "")
        case .noReply: "no reply in \(time)"
        case .noResponders: "no responders"
        case .overloaded: "overloaded"
        case .receiverLost: "service lost after \(time)"
        }
    }
}

/// Holds the requests of a trace until they have ended.
struct TracedRequests: Sendable {
    private var requests = TappedRequests()
    /// By their number.
    private var open: [Int: [TracedMessage]] = [:]

    /// Notes a message.
    /// - Returns: The message unless it is a request, whose end is awaited.
    mutating func add(_ shown: TracedMessage, at now: ContinuousClock.Instant) -> [TracedMessage] {
        guard let number = requests.add(shown.message, at: now) else { return [shown] }
        open[number, default: []].append(shown)
        return []
    }

    /// Returns the requests that a reply ends. None after their deadline, at which they were returned.
    mutating func end(with reply: BusMessage, at now: ContinuousClock.Instant) -> [TracedMessage] {
        requests.end(with: reply, at: now).map { ended($0) } ?? []
    }

    /// Returns the requests whose deadlines have passed since the last call.
    mutating func overdue(at now: ContinuousClock.Instant) -> [TracedMessage] {
        requests.overdue(at: now).flatMap { ended($0) }
    }

    /// The requests that have not ended, oldest first.
    var waiting: [TracedMessage] { open.sorted { $0.key < $1.key }.flatMap(\.value) }

    private mutating func ended(_ end: TappedRequests.End) -> [TracedMessage] {
        (open.removeValue(forKey: end.request) ?? []).map { shown in
            with(shown) { $0.end = end }
        }
    }
}
