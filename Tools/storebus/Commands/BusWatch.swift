import ArgumentParser
import BusClient
import BusProtocol
import StoreModels

extension BusCommand {
    /// `storebus bus sub`
    struct Subscribe: AsyncParsableCommand {
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

        func validate() throws { try BusCommand.check(count) }

        func run() async throws {
            let watch = MessageWatch(pattern: pattern, count: count, text: nil, isTrace: false)
            try await bus.join { client, context throws(CLIError) in try await watch.run(client, context) }
        }
    }

    /// `storebus bus trace`
    struct Trace: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            "trace", "Watch messages on the bus with their causes, without taking any.",
            """
            storebus bus trace
            storebus bus trace 'sb.payment.v1.>'
            storebus bus trace 2000000000000001

            Give a subject pattern, or a word without a dot or wildcard, such as a transaction or a trace's \
            number, to see only the messages that contain it. Answers go to private inboxes and cannot be read.
            """)

        @Argument("A pattern, or a text to look for.", "txn|pattern") var what: String = ">"
        @Option("End after this many messages.", "number") var count: Int?
        @OptionGroup var bus: BusJoinOptions

        func validate() throws { try BusCommand.check(count) }

        func run() async throws {
            let isPattern = what.contains { ".*>".contains($0) }
            let watch = MessageWatch(
                pattern: "$SYS.TAP.\(isPattern ? what : ">")", count: count, text: isPattern ? nil : what, isTrace: true
            )
            try await bus.join { client, context throws(CLIError) in try await watch.run(client, context) }
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
    /// Prints the caller and trace of a message instead of its reply subject.
    var isTrace: Bool

    /// Maximum number of messages waiting to be printed. Beyond it the oldest is dropped and counted.
    private static let waitingMax = 65_536

    /// - Throws: `busRefused` and `usage` of the subscription, `notInTime` if fewer than `count` messages arrived.
    func run(_ bus: any BusClient, _ context: CommandContext) async throws(CLIError) {
        if isTrace { try bus.requireSystemSubjects() }
        let (messages, sink) = AsyncStream<BusMessage>.makeStream(bufferingPolicy: .bufferingNewest(Self.waitingMax))
        let subscription = try await callingBus { () throws(BusError) in
            try await bus.subscribe(pattern, queue: nil) { sink.yield($0) }
        }
        context.narrate("waiting for messages on \(pattern)\(context.timeLimit == nil ? "; Ctrl-C ends" : "")\n")
        let limit = context.timeLimit.map { time in
            Task {
                try? await ContinuousClock().sleep(for: time)
                sink.finish()
            }
        }
        var seen = 0
        for await message in messages where count.map({ seen < $0 }) ?? true {
            guard text.map({ Self.holds(message, $0) }) ?? true else { continue }
            context.console.result(line(message, context))
            seen += 1
            if seen == count { break }
        }
        limit?.cancel()
        await subscription.unsubscribe()
        if let count, seen < count {
            throw CLIError(
                .notInTime, "\(seen) of \(count) messages came on \(pattern)", hints: ["wait longer with --timeout"])
        }
    }

    private func line(_ message: BusMessage, _ context: CommandContext) -> String {
        let now = Timestamp.wallClock()
        switch context.format {
        case .json, .jsonl: return JSONText.line(BusFormat.json(message, at: now)) + "\n"
        case .names: return Table.onOneLine(message.subject) + "\n"
        case .human:
            let middle = isTrace ? trace(message) : message.reply.map { ["reply \($0)"] } ?? []
            let words = [Format.clock(now), message.subject] + middle + [String(decoding: message.body, as: UTF8.self)]
            return words.filter { !$0.isEmpty }.map(Table.onOneLine).joined(separator: "  ") + "\n"
        }
    }

    private func trace(_ message: BusMessage) -> [String] {
        [BusHeader.traceparent, BusHeader.sbActor].compactMap { name in
            message.headers[name].map { "\(name) \($0)" }
        }
    }

    private static func holds(_ message: BusMessage, _ text: String) -> Bool {
        message.subject.contains(text) || String(decoding: message.body, as: UTF8.self).contains(text)
            || message.headers.contains { $0.value.contains(text) }
    }
}
