import BusProtocol
import Foundation
import Testing

@testable import Broker

/// Goal: `docs/PROTOCOL.md` is true. Its examples are played against the broker byte for byte, and its tables are held
/// against the code.
@Suite struct ProtocolPageTests {
    /// A frame as the page writes it; a body follows ` | `.
    ///
    ///     A> 00 00 00 0d  00 00 00 00  {"op":"ping"}
    private struct Line {
        let client: Character
        let isFromClient: Bool
        let bytes: [UInt8]
        let text: String
    }

    private struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "docs/PROTOCOL.md")

    /// The inboxes of the page's two clients; they are as long as real ones, so that lengths stay right.
    private static let inboxes: [Character: String] = [
        "A": "_INBOX.0aKx9PqLr3vTn7YbWc5ZdE", "B": "_INBOX.1Fh8sUj2mQe6RgNoXtVi4B",
    ]

    /// The fenced blocks of a language.
    private static func blocks(_ language: String) throws -> [[String]] {
        let text = try String(contentsOf: page, encoding: .utf8)
        return text.components(separatedBy: "\n```\(language)\n").dropFirst().map {
            $0.components(separatedBy: "\n```")[0].components(separatedBy: "\n")
        }
    }

    /// One example line, its prefix checked against what follows it.
    private static func line(_ text: String) throws -> Line {
        guard let match = text.firstMatch(of: /^([AB])([<>]) ((?:[0-9a-f]{2}\s+){8})(\{.*?\})(?: \| (.*))?$/) else {
            throw Malformed(description: "no example: \(text)")
        }
        let prefix = match.output.3.split(whereSeparator: \.isWhitespace).compactMap { UInt8($0, radix: 16) }
        let (header, body) = (Array(match.output.4.utf8), Array((match.output.5 ?? "").utf8))
        let bytes = prefix + header + body
        var decoder = FrameDecoder(limits: .fromBroker)
        var frames = 0
        try decoder.decode(bytes.span) { decoded, rest in
            frames += 1
            #expect(decoded.count == header.count && rest.count == body.count, "\(text)")
            return .proceed
        }
        #expect(frames == 1 && !decoder.isMidFrame, "the lengths of: \(text)")
        return Line(
            client: Character(String(match.output.1)), isFromClient: match.output.2 == ">", bytes: bytes,
            text: String(match.output.4))
    }

    /// A frame with the page's inboxes replaced by those of this run.
    private static func translated(_ bytes: [UInt8], _ clients: [Character: TestClient]) -> [UInt8] {
        var text = String(decoding: bytes[BusLimits.prefixBytes...], as: UTF8.self)
        for (name, client) in clients { text = text.replacing(inboxes[name] ?? "", with: client.inbox) }
        return bytes[..<BusLimits.prefixBytes] + Array(text.utf8)
    }

    @Test func `every conversation of the page happens so`() throws {
        let conversations = try Self.blocks("sbp").map { try $0.map(Self.line) }
        #expect(conversations.count >= 6)
        for conversation in conversations where !conversation[0].text.contains("hello") {
            let harness = CoreHarness()
            let clients: [Character: TestClient] = ["A": harness.client("a"), "B": harness.client("b")]
            var sent = clients.mapValues { harness.raw[$0.cid]?.count ?? 0 }
            for line in conversation {
                let client = try #require(clients[line.client])
                let bytes = Self.translated(line.bytes, clients)
                if line.isFromClient {
                    harness.receive(bytes, on: client.cid)
                    continue
                }
                let start = sent[line.client] ?? 0
                let arrived = Array((harness.raw[client.cid] ?? []).dropFirst(start).prefix(bytes.count))
                #expect(arrived == bytes, "\(line.text) is \(String(decoding: arrived.dropFirst(8), as: UTF8.self))")
                sent[line.client] = start + bytes.count
            }
            for (name, client) in clients {
                #expect(harness.raw[client.cid]?.count == sent[name], "\(name) gets more than the page shows")
            }
        }
    }

    @Test func `signing in happens so, but for what differs each time`() throws {
        let lines = try #require(try Self.blocks("sbp").map { try $0.map(Self.line) }.first)
        let harness = CoreHarness()
        let client = harness.accept()
        guard case .hello(var hello)? = client.messages().first else { return #expect(Bool(false), "no hello") }
        let shown = Array(lines[0].text.utf8)
        guard case .hello(let expected) = try ServerMessage(shown.span) else { return #expect(Bool(false), "no hello") }
        #expect(hello.id.utf8.count == expected.id.utf8.count)
        (hello.id, hello.ver) = (expected.id, expected.ver)
        #expect(hello == expected)
        harness.receive(lines[1].bytes, on: client.cid)
        guard case .ok(var ok)? = client.messages().first else { return #expect(Bool(false), "no ok") }
        let answer = Array(lines[2].text.utf8)
        guard case .ok(let expectedOk) = try ServerMessage(answer.span) else { return #expect(Bool(false), "no ok") }
        #expect(ok.inbox?.utf8.count == expectedOk.inbox?.utf8.count)
        ok.inbox = expectedOk.inbox
        #expect(ok == expectedOk)
    }

    @Test func `frames that are only shown can be decoded`() throws {
        for text in try Self.blocks("sbp-frames").flatMap({ $0 }) {
            let line = try Self.line(text)
            let header = Array(line.text.utf8)
            #expect(try ServerMessage(header.span) != .unknown)
        }
        let hex = try #require(try Self.blocks("hex").first?.first)
        let bytes = hex.split(whereSeparator: \.isWhitespace).compactMap { UInt8($0, radix: 16) }
        var ping: [UInt8] = []
        ControlFrame.ping(into: &ping)
        #expect(bytes == ping)
    }

    @Test func `the table of errors is the registry`() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let rows = text.matches(of: /\n\| `(\w+)` \| (\d+) \| (yes|no) \|/).map {
            "\($0.output.1) \($0.output.2) \($0.output.3)"
        }
        #expect(
            rows
                == BusErrorCode.allCases.map { "\($0.rawValue) \($0.num) \($0.isFatal ? "yes" : "no")" }.sorted {
                    (rows.firstIndex(of: $0) ?? .max, $0) < (rows.firstIndex(of: $1) ?? .max, $1)
                })
    }

    @Test func `the limits and ports are those of the code`() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        for sentence in [
            "bus \(BusLimits.port), its monitoring pages \(BusLimits.monitorPort)",
            "\(BusLimits.headerBytesMin)…\(BusLimits.headerBytesMax) bytes; \(BusLimits.headerBytesMaxBeforeConnect) until",
            "0…\(BusLimits.bodyBytesMax) bytes; \(BusLimits.bodyBytesMaxBeforeConnect) until",
            "\(BusLimits.subjectTokensMax) tokens, \(BusLimits.subjectBytesMax) bytes",
            "| queue name | \(BusLimits.queueBytesMax) bytes", "| `key` | \(BusLimits.keyBytesMax) bytes",
            "| `headers` | \(BusLimits.headersMax) entries", "| `name`, `inst` | \(BusLimits.nameBytesMax) bytes",
            "| subscriptions of a connection | \(BusLimits.subscriptionsMax) |",
            "| connections | \(BusLimits.connectionsMax) |", "H + B at most \(BusLimits.messageBytesMax)",
            "\(BusLimits.deliveryHeaderSlackBytes) bytes longer", "holds \(BrokerLimits().grants) unused grants",
            "over \(BrokerLimits().softPendingBytes >> 20) MiB", "to \(BrokerLimits().hardPendingBytes >> 20) MiB",
            "over \(BrokerLimits().totalPendingBytes >> 20) MiB",
        ] {
            #expect(text.contains(sentence), "\(sentence)")
        }
        for op in BusOp.allCases {
            #expect(text.contains("| `\(op.rawValue)`") || text.contains("` `\(op.rawValue)` |"))
        }
    }
}
