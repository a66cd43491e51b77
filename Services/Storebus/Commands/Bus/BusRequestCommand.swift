import ArgumentParser
import BusClient
import BusProtocol
import StoreModels

extension BusCommand {
    /// `storebus bus req`
    struct Request: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "req", abstract: "Send a request and print its answer.",
            discussion: """
                storebus bus req '$SRV.INFO.catalog' '{}'
                storebus bus req sb.catalog.v1.storefronts.list '{}' --timeout 2s

                Exits with 1 when the answer is an error, and with 75 when nobody takes the subject or answers in \
                time (5s unless --timeout says otherwise).
                """)

        @Argument(help: ArgumentHelp("Where it goes.", valueName: "subject"))
        var subject: String

        @Argument(help: ArgumentHelp("What it says.", valueName: "body"))
        var body: String = ""

        @OptionGroup var headers: BusHeaderOptions
        @OptionGroup var bus: BusJoinOptions

        func run() async throws {
            let isError = try await bus.join { client, context throws(CLIError) in
                let began = ContinuousClock.now
                let reply = try await asking { () throws(BusError) in
                    try await client.request(
                        subject, body: Array(body.utf8), headers: BusWords.headers(headers), timeout: bus.answerTime)
                }
                let time = BusWords.milliseconds(ContinuousClock.now - began)
                context.print(Self.answer(reply, time))
                return reply.headers[BusHeader.natsServiceError] != nil
            }
            if isError { throw QuietExit(status: .refused) }
        }

        private static func answer(_ reply: BusMessage, _ time: String) -> Answer {
            let problem = reply.headers[BusHeader.natsServiceError].map { sentence in
                "an error: \(reply.headers[BusHeader.natsServiceErrorCode] ?? "-") \(sentence)"
            }
            return Answer(
                String(decoding: reply.body, as: UTF8.self) + "\n",
                data: [
                    "body": BusWords.json(reply.body), "headers": BusWords.json(reply.headers),
                    "roundTripMs": .number(time),
                ], notes: ["answered in \(time) ms"] + (problem.map { [$0] } ?? []))
        }
    }

    /// `storebus bus pub`
    struct Publish: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "pub", abstract: "Publish a message; nobody need be there.",
            discussion: """
                storebus bus pub lunch.ready '{"table":4}'
                """)

        @Argument(help: ArgumentHelp("Where it goes.", valueName: "subject"))
        var subject: String

        @Argument(help: ArgumentHelp("What it says.", valueName: "body"))
        var body: String = ""

        @OptionGroup var headers: BusHeaderOptions
        @OptionGroup var bus: BusJoinOptions

        func run() async throws {
            try await bus.join { client, context throws(CLIError) in
                try await asking { () throws(BusError) in
                    try client.publish(subject, body: Array(body.utf8), headers: BusWords.headers(headers))
                    try await client.flush(timeout: bus.answerTime)
                }
                let bytes = body.utf8.count
                context.print(
                    Answer(
                        "published \(bytes) bytes to \(subject)\n",
                        data: ["subject": .string(subject), "bytes": .integer(bytes)], names: [subject]))
            }
        }
    }
}
