import BusClient
import BusProtocol
import NATSClient
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// `storebus bus …`, where it joins the bus itself, against a real broker.
@Suite(.serialized) struct BusCommandTests {
    private func document(_ said: Recorder) throws -> JSONValue {
        try StrictJSON.parse(Array(said.result.utf8))
    }

    @Test func `ping measures the way to every instance`() async throws {
        try await BusOnline.run { bus in
            try await bus.serve()
            let human = await bus.storebus(["ping"])
            #expect(
                human.status == .success && human.said.result.hasPrefix("SERVICE  INSTANCE  VERSION  ROUND TRIP MS\n"))
            #expect(human.said.result.contains("catalog  i1        0.1.0"))
            #expect(human.said.narration == "next: storebus bus stats\n")
            let json = try document(await bus.storebus(["ping", "catalog", "-o", "json"]).said)
            #expect(json["data"]?.arrayValue?.first?["instance"]?.stringValue == "i1")
            #expect(json["data"]?.arrayValue?.first?["roundTripMs"] != .null)
            #expect(await bus.storebus(["ping", "-o", "names"]).said.result == "i1\n")
            let nobody = await bus.storebus(["ping", "gateway"])
            #expect(nobody.status == .temporary && nobody.said.narration.contains("[nobodyAnswers]"))
        }
    }

    @Test func `req prints the answer, and says what is wrong with it`() async throws {
        try await BusOnline.run { bus in
            let other = bus.other
            _ = try await other.subscribe("echo") { message in
                try? other.respond(to: message, body: message.body, headers: ["X": message.headers["Y"] ?? ""])
            }
            _ = try await other.subscribe("sour") { message in
                try? other.respond(
                    to: message, body: Array(#"{"error":{"status":409}}"#.utf8),
                    headers: ["Nats-Service-Error": "no", "Nats-Service-Error-Code": "409"])
            }
            let human = await bus.storebus(["req", "echo", #"{"a":1}"#])
            #expect(human.status == .success && human.said.result == "{\"a\":1}\n")
            #expect(human.said.narration.hasPrefix("note: answered in "))
            let json = try document(await bus.storebus(["req", "echo", #"{"a":1}"#, "-H", "Y=z=1", "-o", "json"]).said)
            #expect(json["data"]?["body"]?["a"]?.intValue == 1)
            #expect(json["data"]?["headers"]?["X"]?.stringValue == "z=1")
            let refused = await bus.storebus(["req", "sour"])
            #expect(refused.status == .refused && refused.said.narration.contains("an error: 409 no"))
            let nobody = await bus.storebus(["req", "nobody.here", "-o", "json"])
            #expect(nobody.status == .temporary && nobody.said.narration.contains("\"code\":\"nobodyAnswers\""))
            #expect(await bus.storebus(["req", "not a subject"]).status == .usage)
            #expect(await bus.storebus(["req", "$SYS.CHAOS.SET"]).status == .notAllowed)
            #expect(await bus.storebus(["req", "echo", "-H", "nothing"]).status == .usage)
        }
    }

    @Test func `pub publishes, and sub prints so many messages`() async throws {
        try await BusOnline.run { bus in
            async let watching = bus.storebus(["sub", "lunch.*", "--count", "2", "--timeout", "30s", "-o", "jsonl"])
            // Every word goes out again until a subscriber has got it: only the broker knows who subscribes.
            try await eventually("the subscription is there") {
                let page = try await bus.other.request("$SYS.REQ.SUBSZ", body: Array(#"{"subs":true}"#.utf8))
                return String(decoding: page.body, as: UTF8.self).contains("lunch.*")
            }
            for table in 1...2 {
                let said = await bus.storebus(["pub", "lunch.ready", "{\"table\":\(table)}", "-H", "A=b"]).said
                #expect(said.result == "published 11 bytes to lunch.ready\n")
            }
            let (status, said) = await watching
            #expect(status == .success)
            let lines = try said.result.split(separator: "\n").map { try StrictJSON.parse(Array($0.utf8)) }
            #expect(lines.map { $0["body"]?["table"]?.intValue } == [1, 2])
            #expect(lines[0]["headers"]?["A"]?.stringValue == "b" && lines[0]["subject"]?.stringValue == "lunch.ready")
            let late = await bus.storebus(["sub", "lunch.*", "--count", "1", "--timeout", "100ms"])
            #expect(late.status == .refused && late.said.narration.contains("0 of 1 messages came"))
            #expect(await bus.storebus(["sub", "lunch.*", "--timeout", "100ms"]).status == .success)
            #expect(await bus.storebus(["sub", "_INBOX.>"]).status == .notAllowed)
            #expect(await bus.storebus(["sub", "a", "--count", "0"]).status == .usage)
        }
    }

    @Test func `trace looks on without taking, and shows who and in which trace`() async throws {
        try await BusOnline.run { bus in
            async let traced = bus.storebus(["trace", "2000000000000001", "--count", "1", "--timeout", "30s"])
            try await eventually("the trace is there") {
                let page = try await bus.other.request("$SYS.REQ.SUBSZ", body: Array(#"{"subs":true}"#.utf8))
                return String(decoding: page.body, as: UTF8.self).contains("$SYS.TAP.>")
            }
            try bus.other.publish("sb.other", body: Array("{}".utf8))
            await #expect(throws: BusError.self, "a trace is no taker") {
                try await bus.other.request(
                    "sb.payment-queue.v1.finish", body: Array(#"{"id":"2000000000000001"}"#.utf8),
                    headers: ["traceparent": "00-ab-cd-01", "Sb-Actor": "c:app:alice:d"])
            }
            let (status, said) = await traced
            #expect(status == .success)
            #expect(said.result.contains("no responders  traceparent 00-ab-cd-01  Sb-Actor c:app:alice:d"))
            #expect(said.result.contains("sb.payment-queue.v1.finish") && !said.result.contains("sb.other"))
        }
    }

    @Test func `a trace prints a request with its reply's outcome, and leaves polls out unless they are asked for`()
        async throws
    {
        try await BusOnline.run { bus in
            let subjects = ["sb.payment.v1.events.list", "sb.payment.v1.queue.add"]
            for subject in subjects {
                _ = try await bus.other.subscribe(subject, queue: "q") { message in
                    try? bus.other.publish(
                        message.reply ?? "", body: [],
                        headers: ["Nats-Service-Error-Code": "409", "Nats-Service-Error": "alreadyOwned: it is owned"])
                }
            }
            async let few = bus.storebus(["trace", "--count", "1", "--timeout", "30s", "-o", "jsonl"])
            async let all = bus.storebus(["trace", "--polls", "--count", "2", "--timeout", "30s"])
            try await eventually("both traces are there") {
                let page = try await bus.other.request("$SYS.REQ.SUBSZ", body: Array(#"{"subs":true}"#.utf8))
                return String(decoding: page.body, as: UTF8.self).ranges(of: "$SYS.TAP.>").count == 2
            }
            for subject in subjects { _ = try await bus.other.request(subject, body: Array("{}".utf8)) }
            let line = try StrictJSON.parse(Array(await few.said.result.utf8.dropLast()))
            #expect(line["subject"] == .string(subjects[1]) && line["service"] == "payment-queue")
            #expect(line["outcome"] == "failed" && line["error"] == "alreadyOwned: it is owned")
            #expect(line["durationMs"] != nil)
            let lines = await all.said.result.split(separator: "\n")
            #expect(lines.count == 2 && lines[0].contains(subjects[0]) && lines[1].contains(subjects[1]))
            #expect(lines[1].contains("payment-queue  failed in "))
            #expect(lines[1].contains(" ms (alreadyOwned: it is owned)"))
        }
    }

    @Test func `a traced request waits for its reply or its deadline, and a late reply prints it no second time`() {
        var requests = TracedRequests()
        let start = ContinuousClock.now
        func message(_ reply: String?) -> TracedMessage {
            TracedMessage(message: BusMessage(subject: "sb.catalog.v1.app.get", reply: reply), at: .wallClock())
        }
        #expect(requests.add(message(nil), at: start).map(\.words) == [[]], "an event is printed at once")
        for number in 1...3 { #expect(requests.add(message("_INBOX.a.\(number)"), at: start).isEmpty) }
        let replied = requests.end(with: BusMessage(subject: "_INBOX.a.2"), at: start + .milliseconds(2))
        #expect(replied.map(\.words) == [["catalog", "replied in 2.00 ms"]])
        #expect(requests.waiting.map(\.words) == Array(repeating: ["catalog", "no reply yet"], count: 2))
        let overdue = requests.overdue(at: start + .seconds(5))
        #expect(overdue.map(\.words) == Array(repeating: ["catalog", "no reply in 5000.00 ms"], count: 2))
        #expect(requests.end(with: BusMessage(subject: "_INBOX.a.1"), at: start + .seconds(6)).isEmpty)
        #expect(requests.waiting.isEmpty)
    }

    @Test func `connections are listed, open and closed, with what a table shows in the JSON`() async throws {
        try await BusOnline.run { bus in
            let human = await bus.storebus(["connections"])
            #expect(human.status == .success && human.said.result.contains("other     default  127.0.0.1:"))
            let json = try document(await bus.storebus(["connections", "--subs", "-o", "json"]).said)
            let first = try #require(json["data"]?.arrayValue?.first)
            #expect(first["name"]?.stringValue == "other" && first["subscriptions_list"] != nil)
            let closed = try document(
                await bus.storebus(["connections", "--state", "closed", "--sort", "stop", "-o", "json"]).said)
            #expect(closed["data"]?.arrayValue?.first?["reason"]?.stringValue != nil)
            #expect(await bus.storebus(["connections", "--sort", "pendin"]).said.narration.contains("'pending'"))
        }
    }

    @Test func `top prints one look elsewhere than on a terminal`() async throws {
        try await BusOnline.run { bus in
            try await bus.serve()
            let human = await bus.storebus(["top", "--interval", "100ms"])
            #expect(human.status == .success && human.said.result.contains("messages/s in"))
            #expect(human.said.result.contains("sb.catalog.v1.app.get    0.0    0.0"))
            #expect(!human.said.result.contains("\u{1B}"))
            let json = try document(await bus.storebus(["top", "--interval", "100ms", "-o", "json"]).said)
            let row = try #require(json["data"]?["endpoints"]?.arrayValue?.first)
            #expect(row["requests"]?.intValue == 12 && row["averageProcessingMs"] == .number("0.25"))
            #expect(json["data"]?["broker"]?["loopLagMicroseconds"]?.intValue != nil)
            let terminal = Terminal(isInput: true, isOutput: true, isError: true)
            let live = await bus.storebus(["top", "--interval", "100ms", "--count", "2"], terminal: terminal)
            #expect(live.said.result.contains("\u{1B}[H"))
        }
    }

    @Test func `bench measures every request it was asked for`() async throws {
        try await BusOnline.run { bus in
            let said = await bus.storebus(["bench", "--count", "300", "--size", "64", "-o", "json"]).said
            let data = try #require(try document(said)["data"])
            #expect(data["requests"]?.intValue == 300 && data["failed"]?.intValue == 0)
            for name in ["requestsPerSecond", "p50Ms", "p99Ms", "maxMs"] { #expect(data[name] != nil, "\(name)") }
            let human = await bus.storebus(["bench", "--count", "10", "--concurrency", "3"]).said
            #expect(human.result.hasPrefix("requests           10\n"))
            #expect(await bus.storebus(["bench", "--count", "0"]).status == .usage)
        }
    }

    @Test func `without a bus, with a wrong token or address, the error says what to do`() async throws {
        let away = await Recorder.run(
            ["bus", "ping", "--bus-url", "storebus://127.0.0.1:9"], transport: FakeStore())
        #expect(away.status == .unreachable && away.said.narration.contains("[busUnreachable]"))
        #expect(away.said.narration.contains("start one: storebus up"))
        let wrong = await Recorder.run(["bus", "ping", "--bus-url", "http://x"], transport: FakeStore())
        #expect(wrong.status == .usage && wrong.said.narration.contains("(--bus-url)"))
        let unread = await Recorder.run(
            ["bus", "ping", "--bus-token-file", "/nowhere/token"], transport: FakeStore())
        #expect(unread.status == .noSuchFile)
        try await BusOnline.run(token: "s3cret") { bus in
            let refused = await bus.storebus(["pub", "a"])
            #expect(refused.status == .notAllowed && refused.said.narration.contains("[busRefused]"))
            #expect(refused.said.narration.contains("--bus-token-file"))
            let directory = try TemporaryDirectory(prefix: "bus-token")
            try FileAccess.write(Array("s3cret\n".utf8), to: directory.file("token"), mode: 0o600)
            let known = await bus.storebus(["pub", "a", "--bus-token-file", directory.file("token")])
            #expect(known.status == .success, "\(known.said.narration)")
        }
    }

    @Test func `the running store's own address and token are used, and its token goes nowhere else`() throws {
        let directory = try TemporaryDirectory(prefix: "bus-way")
        let store = DataDirectory(directory.path)
        try store.prepare()
        try RunRecord(
            pid: 1, url: "http://127.0.0.1:1", busURL: "storebus://127.0.0.1:40002", monitorPort: 1,
            dataDirectory: directory.path, startedAt: Timestamp(milliseconds: 0), version: "0.1.0"
        ).write(to: store)
        try FileAccess.write(Array("t\n".utf8), to: store.busToken, mode: 0o600)
        let environment = CommandEnvironment(
            console: Recorder().console, variables: ["BUS_URL": "storebus://other:1"], currentDirectory: "/nowhere")
        func target(_ url: String?, _ data: String?) throws -> BusTarget {
            try BusTarget.find(url: url, tokenFile: nil, data: data, environment)
        }
        let own = try target(nil, directory.path)
        #expect(own.address == .storebus(BusURL(port: 40002, token: "t")) && own.origin == store.runRecord)
        #expect(try target("storebus://127.0.0.1:40002", directory.path).address == own.address)
        #expect(try target("storebus://127.0.0.1:40003", directory.path).address == .storebus(BusURL(port: 40003)))
        let cluster = NATSURL(servers: [.init(host: "a"), .init(host: "b", port: 4223)])
        #expect(try target("nats://a,b:4223", directory.path).address == .nats(cluster))
        let variable = try target(nil, nil)
        #expect(variable.address == .storebus(BusURL(host: "other", port: 1)) && variable.origin == "BUS_URL")
    }

    @Test func `a file for TLS that cannot be used is named, and a bus without TLS needs none`() throws {
        func target(_ url: String) throws -> BusTarget {
            try BusTarget.find(
                url: url, tokenFile: nil, data: nil,
                CommandEnvironment(
                    console: Recorder().console, variables: ["BUS_TLS_CA": "/nowhere/ca.pem"],
                    currentDirectory: "/nowhere"))
        }
        let error = #expect(throws: CLIError.self) { try target("tls://bus.example") }
        #expect(error?.status == .notAllowed && error?.message.contains("/nowhere/ca.pem, does not exist") == true)
        #expect(try target("storebus://bus.example").address == .storebus(BusURL(host: "bus.example")))
    }
}
