import Broker
import BusClient
import BusProtocol
import EventLoop
import Foundation
import Logging
import NIOHTTP1
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Gateway
@testable import OperatorAPI

/// The bus as its operator sees it, at a gateway whose operator's connection is to a real broker.
@Suite(.timeLimit(.minutes(5))) struct BusTests {
    /// A broker, a gateway, and another client of the broker.
    private struct Operated: Sendable {
        let store: GatewayHarness
        let other: SBPClient

        func ask(_ path: String) async throws -> JSONValue {
            let answer = try await store.send(.GET, path, token: Sample.adminKey)
            #expect(answer.status == 200, "\(path): \(answer.text)")
            return answer.json
        }

        func send(_ method: HTTPMethod, _ path: String, _ body: String? = nil) async throws -> Answer {
            try await store.send(method, path, token: Sample.adminKey, body: body)
        }

        func tap(_ query: String = "") async throws -> EventReader {
            try await store.open("/admin/v1/bus/tap\(query)", Sample.adminKey, [])
        }
    }

    private static func run(
        chaos: Bool = false, users: [BrokerUser]? = nil, token: String? = nil,
        _ body: @Sendable (Operated) async throws -> Void
    ) async throws {
        let logger = InMemoryGateway.logger
        let loop = try UVLoop.start(name: "test")
        let broker = BrokerServer(
            configuration: BrokerConfiguration(host: "127.0.0.1", port: 0, users: users, chaos: chaos, version: "test"),
            loop: loop, logger: logger)
        let url = BusURL(port: try await broker.start().port, token: token)
        let made = Locked<[SBPClient]>([])
        let connect: @Sendable (String) -> SBPClient = { name in
            let client = SBPClient(configuration: .init(url: url, name: name), loop: loop, logger: logger)
            client.start()
            made.withLock { $0.append(client) }
            return client
        }
        let other = connect("other")
        let connection = OperatorConnection(other.capabilities) { connect("gateway-operator") }
        let result: Result<Void, any Error>
        do {
            result = .success(
                try await GatewayHarness.run(operatorBus: connection) { store in
                    try await body(Operated(store: store, other: other))
                })
        } catch {
            result = .failure(error)
        }
        for client in made.withLock({ $0 }) { await client.close() }
        await broker.kill()
        await loop.close()
        try result.get()
    }

    private func names(_ json: JSONValue, _ list: String, _ member: String) -> [String] {
        (json[list]?.arrayValue ?? []).compactMap { $0[member]?.stringValue }
    }

    @Test func `the broker's counters and connections are shown, the closed ones with the reason`() async throws {
        try await Self.run { bus in
            try await bus.other.waitUntilConnected(timeout: .seconds(5))
            _ = try await bus.other.subscribe("sb.evt.>") { _ in }
            let state = try await bus.ask("/admin/v1/bus")
            #expect(state["connections"]?.intValue == 2)
            #expect(state["version"]?.stringValue == "test")
            #expect(state["hasFaultInjection"] == false)
            #expect(state["startedAt"]?.stringValue.flatMap { Timestamp($0) } != nil)
            let open = try await bus.ask("/admin/v1/bus/connections?sort=cid")
            #expect(names(open, "connections", "name") == ["other", "gateway-operator"])
            #expect(open["total"]?.intValue == 2)
            // The other one is on its inbox.
            #expect(open["connections"]?.arrayValue?.first?["subscriptions"]?.intValue == 2)
            #expect(open["connections"]?.arrayValue?.first?["reason"] == nil)
            let subjects = try await bus.ask("/admin/v1/bus/subjects")
            #expect(names(subjects, "subjects", "subject").contains("sb.evt.>"))
            await bus.other.close()
            try await eventually("the broker has seen the end") {
                let closed = try await bus.ask("/admin/v1/bus/connections?state=closed")
                let one = closed["connections"]?.arrayValue?.first
                return one?["name"]?.stringValue == "other" && one?["reason"]?.stringValue?.isEmpty == false
                    && one?["stoppedAt"] != nil
            }
            #expect(try await bus.send(.GET, "/admin/v1/bus/connections?sort=size").status == 400)
        }
    }

    @Test func `subscribers of a pattern and a queue group are one entry, and so are all inboxes`() throws {
        let page = try BrokerPage(
            Array(
                #"""
                {"subscriptions_list":[{"subject":"sb.a","qgroup":"q","msgs":3},{"subject":"sb.a","qgroup":"q","msgs":4},
                 {"subject":"sb.a","msgs":1},{"subject":"_INBOX.x.>","msgs":9},{"subject":"_INBOX.y.>","msgs":9}]}
                """#.utf8))
        let subjects = BusSubjectsResponse(page.pages("subscriptions_list")).subjects
        #expect(subjects.map(\.subject) == ["_INBOX.>", "sb.a", "sb.a"])
        #expect(subjects.map(\.queue) == [nil, "q", nil])
        #expect(subjects.map(\.subscribers) == [2, 2, 1])
        #expect(subjects.map(\.messages) == [18, 7, 1])
    }

    @Test func `a tap shows messages as they pass, without secrets, and takes none away`() async throws {
        try await Self.run { bus in
            try await bus.other.waitUntilConnected(timeout: .seconds(5))
            let reader = try await bus.tap("?subject=sb.%3E&text=alice")
            #expect(reader.headers["content-type"] == "text/event-stream")
            #expect(try await reader.next().json["subject"] == "sb.>")
            try bus.other.publish("sb.evt.x", body: Array(#"{"account":"bob"}"#.utf8))
            try bus.other.publish(
                "sb.evt.x", body: Array(#"{"account":"alice","token":"secret-1","list":[{"receiptData":"r"}]}"#.utf8),
                headers: ["traceparent": "00-1"])
            let event = try await reader.next()
            #expect(event.name == "messages")
            let message = event.json["messages"]?.arrayValue?.first
            #expect(event.json["messages"]?.arrayValue?.count == 1)
            #expect(message?["subject"] == "sb.evt.x")
            #expect(message?["headers"]?["traceparent"] == "00-1")
            #expect(message?["body"]?["account"] == "alice")
            #expect(message?["body"]?["token"] == .string(Redaction.replacement))
            #expect(!event.text.contains("secret-1") && !event.text.contains("\"r\""))
            #expect(event.json["missed"] == 0)
            // A request that only the tap sees has no subscriber.
            let error = await #expect(throws: BusError.self) {
                try await bus.other.request("sb.nobody.v1.x", body: Array("alice".utf8))
            }
            #expect(error?.code == .noResponders)
            let request = try await reader.next()
            #expect(request.json["messages"]?.arrayValue?.first?["body"] == "alice")
            let number = request.json["messages"]?.arrayValue?.first?["request"]
            #expect(number == 1)
            // The end comes with the request, or with the next write.
            var ends = request.json["ends"]?.arrayValue ?? []
            if ends.isEmpty { ends = try await reader.next().json["ends"]?.arrayValue ?? [] }
            #expect(ends.first?["request"] == number && ends.first?["outcome"] == "noResponders")
            reader.hangUp()
            try await eventually("the tap is gone") {
                let subjects = try await bus.ask("/admin/v1/bus/subjects")
                return bus.store.gateway.operators.eventWaits.count(.tap) == 0
                    && !names(subjects, "subjects", "subject").contains("$SYS.TAP.sb.>")
            }
        }
    }

    @Test func `more messages than an event holds are counted, and a long body is cut without its secrets`() throws {
        let tap = try BusTap(EventWaits(), text: nil)
        let long = String(repeating: "x", count: 5000)
        for number in 0..<60 {
            let body = number == 0 ? #"{"secret":"s-1","z":"\#(long)"}"# : "{}"
            tap.add(BusMessage(subject: "sb.a", body: Array(body.utf8)), at: Timestamp(milliseconds: 0))
        }
        let taken = try #require(tap.take())
        #expect(taken.messages.count == BusTap.messagesMax && taken.missed == 10)
        let text = try #require(taken.messages[0].body.stringValue)
        #expect(text.utf8.count == BusTap.bodyBytesMax && !text.contains("s-1"))
        #expect(taken.messages[0].bytes > 5000)
        #expect(tap.take() == nil)
    }

    @Test func `a request is shown with its service, and ends with its reply or at its deadline`() throws {
        let tap = try BusTap(EventWaits(), text: nil)
        let (time, start) = (Timestamp(milliseconds: 0), ContinuousClock.now)
        for (number, subject) in ["sb.payment.v1.queue.add", "sb.payment.v1.events.list"].enumerated() {
            tap.add(BusMessage(subject: subject, reply: "_INBOX.a.\(number)"), at: time, instant: start)
        }
        tap.add(BusMessage(subject: "sb.evt.payment.v1.x"), at: time, instant: start)
        let messages = try #require(tap.take()).messages
        #expect(messages.map(\.request) == [1, 2, nil])
        #expect(messages.map(\.service) == [.paymentQueue, .paymentQueue, nil])
        #expect(messages.map(\.isPoll) == [false, true, false])
        tap.add(
            BusMessage(subject: "_INBOX.a.0", body: Array("secret".utf8)), at: time,
            instant: start + .microseconds(1234))
        tap.add(BusMessage(subject: "_INBOX.b.0"), at: time, instant: start)
        let replied = try #require(tap.take())
        #expect(replied.messages.isEmpty && replied.missed == 0)
        #expect(replied.ends == [.init(request: 1, outcome: .replied, durationMs: 1.23)])
        tap.addOverdue(at: start + .seconds(4))
        #expect(tap.take() == nil)
        tap.addOverdue(at: start + .seconds(5))
        #expect(tap.take()?.ends == [.init(request: 2, outcome: .noReply, durationMs: 5000)])
    }

    @Test func `a secret is neither shown nor found, and of a URL only its place is shown`() throws {
        let body = #"{"data":"QUJD","url":"https://user:word@a.example/x?token=t#f","account":"alice"}"#
        for (text, isFound) in [("QUJD", false), ("word", false), ("token=t", false), ("a.example", true)] {
            let tap = try BusTap(EventWaits(), text: text)
            tap.add(BusMessage(subject: "sb.a", body: Array(body.utf8)), at: Timestamp(milliseconds: 0))
            let taken = tap.take()
            #expect((taken != nil) == isFound, "\(text)")
            guard let shown = taken?.messages.first?.body else { continue }
            #expect(shown["url"]?.stringValue == "https://(redacted)@a.example/x(redacted)")
            #expect(shown["data"]?.stringValue == Redaction.replacement && shown["account"] == "alice")
        }
    }

    @Test func `a tap holds a megabyte of bodies at most, and counts the rest`() throws {
        let tap = try BusTap(EventWaits(), text: nil)
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 600_000)
        for _ in 0..<3 { tap.add(BusMessage(subject: "sb.a", body: body), at: Timestamp(milliseconds: 0)) }
        let taken = try #require(tap.take())
        #expect(taken.messages.count == 1 && taken.missed == 2)
    }

    @Test func `taps have a bound, and a pattern under $ or of bad syntax is refused`() async throws {
        try await Self.run { bus in
            var readers: [EventReader] = []
            for _ in 0..<EventWaits.tapsMax { readers.append(try await bus.tap()) }
            #expect(readers.map(\.status) == Array(repeating: 200, count: EventWaits.tapsMax))
            #expect(try await bus.tap().status == 429)
            for reader in readers { reader.hangUp() }
            for pattern in ["$SRV.PING", "_INBOX.%3E", "sb..a", "sb.%3E.a"] {
                #expect(try await bus.send(.GET, "/admin/v1/bus/tap?subject=\(pattern)").status == 400)
            }
        }
    }

    @Test func `faults are set by name, beside those of others, and healed`() async throws {
        try await Self.run(chaos: true) { bus in
            #expect(try await bus.ask("/admin/v1/faults")["isEnabled"] == true)
            let set = BusRuleSet(
                seed: 5, rules: [BusRule(match: "lunch.>", p: 0.5, action: "delay", ms: 7)])
            _ = try await bus.other.request("$SYS.CHAOS.SET", body: try StoreJSON.encode(set))
            let body = #"{"fault":"partition","service":"catalog"}"#
            for _ in 0..<2 {
                let added = try await bus.send(.POST, "/admin/v1/faults", body)
                #expect(added.status == 201)
                #expect(names(added.json, "faults", "fault") == ["partition"])
                #expect(names(added.json, "faults", "service") == ["catalog"])
                #expect(added.json["rules"]?.arrayValue?.count == 7, "the same fault is in force once")
            }
            _ = try await bus.send(.POST, "/admin/v1/faults", #"{"fault":"delay","service":"broker"}"#)
            let rest = try await bus.send(.DELETE, "/admin/v1/faults?fault=partition")
            #expect(names(rest.json, "faults", "fault") == ["delay"])
            #expect(rest.json["rules"]?.arrayValue?.first?["match"] == "lunch.>")
            #expect(rest.json["rules"]?.arrayValue?.first?["ms"]?.intValue == 7)
            #expect(rest.json["seed"]?.intValue == 5)
            let healed = try await bus.send(.DELETE, "/admin/v1/faults")
            #expect(healed.status == 200 && healed.json["rules"] == .array([]))
            #expect(
                try await bus.send(.POST, "/admin/v1/faults", #"{"fault":"delay","service":"lunch"}"#).status == 400)
            #expect(
                try await bus.send(.POST, "/admin/v1/faults", #"{"fault":"kill","service":"catalog"}"#).status == 400)
        }
    }

    @Test func `faults that hit their own healing are healed all the same`() async throws {
        try await Self.run(chaos: true) { bus in
            let added = try await bus.send(.POST, "/admin/v1/faults", #"{"fault":"drop","service":"broker"}"#)
            #expect(added.status == 201)
            #expect(try await bus.send(.DELETE, "/admin/v1/faults").status == 200)
            #expect(try await bus.ask("/admin/v1/faults")["rules"] == .array([]))
        }
    }

    @Test func `a broker without its injector refuses faults with the remedy`() async throws {
        try await Self.run { bus in
            #expect(try await bus.ask("/admin/v1/faults")["isEnabled"] == false)
            let refused = try await bus.send(.POST, "/admin/v1/faults", #"{"fault":"delay","service":"catalog"}"#)
            #expect(refused.status == 409 && refused.json["code"] == "faultsDisabled")
            #expect(refused.text.contains("STOREBUS_CHAOS=1"))
            #expect(try await bus.send(.DELETE, "/admin/v1/faults").json["code"] == "faultsDisabled")
        }
    }

    @Test func `a user of the bus without permission is refused with the remedy`() async throws {
        let rules = PermissionRules(pub: .init(allow: [try SubjectPattern("sb.>")]))
        let user = BrokerUser(name: "gateway", token: "gateway-token", rules: rules)
        try await Self.run(users: [user], token: "gateway-token") { bus in
            for path in ["/admin/v1/bus", "/admin/v1/faults", "/admin/v1/bus/subjects"] {
                let refused = try await bus.send(.GET, path)
                #expect(refused.status == 403)
                #expect(refused.text.contains("BUS_OPERATOR_CREDENTIALS_FILE"))
            }
        }
    }

    @Test func `on another bus than Storebus's broker nothing can be seen, which is said`() async throws {
        try await GatewayHarness.run { store in
            for path in ["/admin/v1/bus", "/admin/v1/bus/connections", "/admin/v1/bus/tap", "/admin/v1/faults"] {
                let answer = try await store.send(.GET, path, token: Sample.adminKey)
                #expect(answer.status == 501 && answer.json["code"] == "notImplemented")
            }
        }
    }

    @Test func `an instance is drained by its identifier`() async throws {
        try await GatewayHarness.run { store in
            let services = try await store.send(.GET, "/admin/v1/services", token: Sample.adminKey).json
            let gateway = services["services"]?.arrayValue?.first { $0["name"] == "gateway" }
            let id = try #require(gateway?["id"]?.stringValue)
            let unknown = try await store.send(.POST, "/admin/v1/services/none/drain", token: Sample.adminKey)
            #expect(unknown.status == 404 && unknown.text.contains("'none'"))
            let drained = try await store.send(.POST, "/admin/v1/services/\(id)/drain", token: Sample.adminKey)
            #expect(drained.status == 202 && drained.json["name"] == "gateway")
            try await eventually("it is not on the bus") {
                let present = try await store.send(.GET, "/admin/v1/services", token: Sample.adminKey).json
                return !names(present, "services", "id").contains(id)
            }
        }
    }

    // MARK: Runs

    private func run(_ id: String, at second: Int = 0) -> ChaosRun {
        let time = Timestamp(milliseconds: 1_764_064_800_000 + Int64(second) * 1000)
        return ChaosRun(
            setup: ChaosRun.Setup(
                id: id, seed: "\(UInt64.max)", app: "chaos-\(id)", startedAt: time, durationSeconds: 60,
                workload: "mix", rate: 100, customers: 8, devices: 2, driver: "process", targets: ["payment-queue"],
                faultNames: ["kill"], database: "SQLite", version: "0.1.0",
                machine: ChaosRun.Machine(cores: 2, memoryBytes: 1 << 33),
                command: "storebus chaos run --seed \(UInt64.max)"),
            updatedAt: time, phase: .faults, elapsedSeconds: 1)
    }

    private func put(_ run: ChaosRun, as id: String? = nil, _ store: GatewayHarness) async throws -> Answer {
        try await store.send(
            .PUT, "/admin/v1/chaos/runs/\(id ?? run.setup?.id ?? "")", token: Sample.adminKey,
            bytes: try StoreJSON.encode(run))
    }

    @Test func `a run's report replaces the one before, and the newest run is first`() async throws {
        try await GatewayHarness.run { store in
            #expect(try await put(run("a"), store).status == 204)
            #expect(try await put(run("b", at: 1), store).status == 204)
            var ended = run("a")
            ended.phase = .ended
            ended.verdict = .valid
            ended.lost = 0
            #expect(try await put(ended, store).status == 204)
            let answer = try await store.send(.GET, "/admin/v1/chaos/runs", token: Sample.adminKey)
            let runs = try StoreJSON.decode(ChaosRunsResponse.self, from: answer.body).runs
            #expect(runs == [ChaosRunSummary(run("b", at: 1)), ChaosRunSummary(ended)].compactMap(\.self))
            let one = try await store.send(.GET, "/admin/v1/chaos/runs/a", token: Sample.adminKey)
            #expect(try StoreJSON.decode(ChaosRun.self, from: one.body) == ended)
            let unknown = try await store.send(.GET, "/admin/v1/chaos/runs/c", token: Sample.adminKey)
            #expect(unknown.status == 404 && unknown.text.contains("'c'"))
        }
    }

    @Test func `the last fifty runs are kept`() async throws {
        try await GatewayHarness.run { store in
            for number in 0...ChaosRuns.runsMax {
                #expect(try await put(run("r\(number)", at: number), store).status == 204)
            }
            let answer = try await store.send(.GET, "/admin/v1/chaos/runs", token: Sample.adminKey)
            let runs = try StoreJSON.decode(ChaosRunsResponse.self, from: answer.body).runs
            #expect(runs.count == ChaosRuns.runsMax && runs.first?.id == "r\(ChaosRuns.runsMax)")
            #expect(runs.last?.id == "r1")
        }
    }

    @Test func `a report that breaks a bound is refused with the place`() async throws {
        try await GatewayHarness.run { store in
            let renamed = try await put(run("a"), as: "b", store)
            #expect(renamed.json["path"] == "$.setup.id")
            var nameless = run("a")
            nameless.setup = nil
            #expect(try await put(nameless, as: "a", store).json["path"] == "$.setup")
            var long = run("a")
            long.steps = Array(
                repeating: .init(second: 0, counts: .init(), p50Milliseconds: nil, p99Milliseconds: nil), count: 1001)
            #expect(try await put(long, store).json["path"] == "$.steps")
            var negative = run("a")
            negative.counts.refused = -1
            #expect(try await put(negative, store).json["path"] == "$.counts.refused")
            var seed = run("a")
            seed.setup?.seed = "0x7"
            #expect(try await put(seed, store).json["path"] == "$.setup.seed")
            var word = run("a")
            word.setup?.targets = ["a\u{7}"]
            #expect(try await put(word, store).json["path"] == "$.setup.targets[0]")
            var fault = run("a")
            fault.faults = [.init(number: 1, fault: "kill", service: "", beganAtSecond: 1, endedAtSecond: nil)]
            #expect(try await put(fault, store).json["path"] == "$.faults[0].service")
            #expect(
                try await store.send(.GET, "/admin/v1/chaos/runs", token: Sample.adminKey).json["runs"] == .array([]))
        }
    }
}
