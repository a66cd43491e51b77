import ArgumentParser
import StoreModels

extension BusCommand {
    /// `storebus bus sub`
    struct Subscribe: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sub", abstract: "Print the messages on a subject as they come.",
            discussion: """
                storebus bus sub 'sb.evt.>'
                storebus bus sub 'sb.evt.payment.>' --count 1 --timeout 5s -o jsonl

                A plain subscription: requests on such a subject count as taken. 'bus trace' only watches: nothing counts as taken.
                """)

        @Argument(help: ArgumentHelp("A subject; * is one token, > the rest.", valueName: "pattern"))
        var pattern: String

        @Option(help: ArgumentHelp("End after this many messages.", valueName: "number"))
        var count: Int?

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
            commandName: "trace", abstract: "See what passes over the bus, with who caused it, and take nothing away.",
            discussion: """
                storebus bus trace
                storebus bus trace 'sb.payment.v1.>'
                storebus bus trace 2000000000000001

                With a word that is not a subject pattern (it has no dot and no wildcard), such as a transaction or a trace's number, \
                only messages that hold it. Answers go to private inboxes, which nobody can look into.
                """)

        @Argument(help: ArgumentHelp("A pattern, or a text to look for.", valueName: "txn|pattern"))
        var what: String = ">"

        @Option(help: ArgumentHelp("End after this many messages.", valueName: "number"))
        var count: Int?

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
