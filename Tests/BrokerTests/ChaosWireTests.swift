import BusProtocol
import StorebusTesting
import Testing

@testable import Broker

/// Goal: each fault is seen by a client over a real socket, and the broker goes on.
@Suite(.serialized) struct ChaosWireTests {
    /// Runs a body against a broker with chaos.
    private func withBroker(
        _ body: @Sendable @concurrent (_ broker: BrokerServer, _ port: Int) async throws -> Void
    ) async throws {
        try await WireClient.withBroker(BrokerConfiguration(port: 0, chaos: true, version: "test"), body)
    }

    /// Connects a subscriber of `a`, and a writer that sets a chaos rule for it.
    private func pair(_ port: Int, _ rule: String, more: String = "") throws -> (reader: WireClient, writer: WireClient)
    {
        let reader = try WireClient.signedIn(port: port, more: more)
        try reader.send(#"{"op":"sub","sid":1,"subject":"a","seq":1}"#)
        _ = try reader.next()
        let writer = try WireClient.signedIn(port: port)
        try writer.send("{\"op\":\"sub\",\"sid\":9,\"subject\":\"\(writer.inbox).>\"}")
        try writer.send(
            "{\"op\":\"pub\",\"subject\":\"$SYS.CHAOS.SET\",\"reply\":\"\(writer.inbox).1\"}",
            body: Array("{\"seed\":1,\"rules\":[{\"match\":\"a\",\(rule)}]}".utf8))
        guard case .msg(let answer) = try writer.next().message, answer.headers.isEmpty else {
            throw WireClient.Silence(description: "the rule was refused")
        }
        return (reader, writer)
    }

    private func publish(_ writer: WireClient, _ bodies: [String]) throws {
        try writer.send(
            bytes: bodies.flatMap { WireClient.frame(#"{"op":"pub","subject":"a"}"#, body: Array($0.utf8)) })
    }

    private func bodies(_ reader: WireClient, _ count: Int) throws -> [String] {
        try (0..<count).map { _ in String(decoding: try reader.next().body, as: UTF8.self) }
    }

    @Test(arguments: [
        (#""action":"drop","count":1"#, ["2", "3"]), (#""action":"dup","count":1"#, ["1", "1", "2", "3"]),
        (#""action":"delay","ms":50,"count":1"#, ["2", "3", "1"]),
        (#""action":"reorder","ms":60000,"count":1"#, ["2", "1", "3"]),
        (#""action":"slice","count":1"#, ["1", "2", "3"]),
    ])
    func `messages are lost, doubled, late, out of order or in pieces`(rule: String, seen: [String]) async throws {
        try await withBroker { _, port in
            let (reader, writer) = try pair(port, rule)
            try publish(writer, ["1", "2", "3"])
            #expect(try bodies(reader, seen.count) == seen)
            try reader.send(#"{"op":"unsub","sid":1,"seq":5}"#)
            #expect(try reader.log(1) == ["ok unsub 5"], "and the connection is as good as before")
        }
    }

    @Test func `a sliced message takes several reads`() async throws {
        try await withBroker { _, port in
            let (reader, writer) = try pair(port, #""action":"slice""#)
            let body = [UInt8](repeating: 7, count: 4000)
            // A reader that is kept from running may find all pieces at once; not every time.
            for _ in 0..<50 {
                try writer.send(#"{"op":"pub","subject":"a"}"#, body: body)
                let before = reader.reads
                #expect(try reader.next().body == body)
                if reader.reads > before + 1 { return }
            }
            Issue.record("fifty messages came in one piece each")
        }
    }

    @Test func `a corrupted message differs in one bit of prefix or header`() async throws {
        try await withBroker { _, port in
            let (reader, writer) = try pair(port, #""action":"corrupt","count":1"#)
            try writer.send(#"{"op":"pub","subject":"a","seq":1}"#, body: [1, 2, 3])
            #expect(try writer.log(1) == ["ok pub 1 delivered=1"])
            reader.finish()
            var expected: [UInt8] = []
            MsgMessage(sid: 1, subject: "a").encode(body: [1, 2, 3].span, into: &expected)
            let seen = try reader.rest()
            #expect(seen.count == expected.count && seen.suffix(3) == [1, 2, 3])
            #expect(zip(seen, expected).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount } == 1)
        }
    }

    @Test func `monitoring shows a cut connection as such, and others continue`() async throws {
        try await withBroker { broker, port in
            let (reader, writer) = try pair(port, #""action":"close","count":1"#)
            try publish(writer, ["1"])
            #expect(try reader.rest().isEmpty)
            try await eventually("the closed connection is remembered") {
                let page = await broker.page("/connz", query: ["state": "closed"])
                return String(decoding: page?.body ?? [], as: UTF8.self).contains("\"reason\" : \"chaos\"")
            }
            try writer.send(#"{"op":"pub","subject":"a","seq":1}"#)
            #expect(try writer.log(1) == ["ok pub 1 delivered=0"])
        }
    }

    @Test func `a black hole says nothing more, not even why it ends`() async throws {
        try await withBroker { broker, port in
            let (reader, writer) = try pair(port, #""action":"blackhole""#, more: ",\"ping_ms\":1000")
            try publish(writer, ["1", "2"])
            #expect(try reader.rest().isEmpty, "pings and 'stale' are swallowed too")
            try await eventually("the broker has found it stale") {
                let page = await broker.page("/connz", query: ["state": "closed"])
                return String(decoding: page?.body ?? [], as: UTF8.self).contains("\"reason\" : \"stale\"")
            }
        }
    }
}
