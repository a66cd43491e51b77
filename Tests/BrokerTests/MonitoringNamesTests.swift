import BusProtocol
import EventLoop
import Foundation
import Logging
import StorebusTesting
import Testing

@testable import Broker

/// Goal: what reads nats-server's pages reads ours, and Prometheus has nothing to complain of.
@Suite struct MonitoringNamesTests {
    private let process = ProcessStats(
        host: "127.0.0.1", port: 7420, startTime: 1_795_232_300_000, loopLagMicroseconds: 42)

    private func page(_ harness: CoreHarness, _ path: String, _ query: [String: String] = [:]) throws -> MonitorPage {
        try #require(harness.core.page(path, query: query, process, uptime: harness.now))
    }

    private func json(_ harness: CoreHarness, _ path: String, _ query: [String: String] = [:]) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(page(harness, path, query).body)) as? [String: Any])
    }

    /// Names of nats-server 2.15's pages, without those of what we have not: clusters, gateways, leaf nodes, MQTT,
    /// JetStream, TLS of single connections, a web page of its own, round-trip times, and the fan-out of its cache.
    @Test(arguments: [
        (
            "/varz",
            """
            server_id server_name version proto host port max_connections ping_interval ping_max auth_timeout \
            tls_required tls_verify \
            max_control_line max_payload max_pending write_deadline start now uptime mem cores cpu connections \
            total_connections in_msgs in_bytes out_msgs out_bytes slow_consumers stale_connections subscriptions
            """
        ), ("/varz", "no_responders no_interest perm_denied loop_lag_us"),
        ("/connz", "server_id now num_connections total offset limit connections"),
        (
            "/subsz",
            """
            server_id now num_subscriptions num_cache num_inserts num_removes num_matches cache_hit_rate total offset \
            limit
            """
        ), ("/healthz", "status"),
    ])
    func `pages have nats-server's names`(path: String, names: String) throws {
        let members = try json(CoreHarness(), path)
        for name in names.split(separator: " ") { #expect(members[String(name)] != nil, "\(path) \(name)") }
    }

    @Test func `connections have nats-server's names, open and closed`() throws {
        let harness = CoreHarness()
        let (reader, gone) = (harness.client("reader", pingMilliseconds: 600_000), harness.client("gone"))
        reader.sub(3, "a", queue: "q")
        reader.pub("a")
        harness.advance(.seconds(2))
        harness.disconnect(gone.cid)
        let common = """
            cid kind type ip port start last_activity uptime idle pending_bytes in_msgs out_msgs in_bytes out_bytes \
            subscriptions name lang version authorized_user
            """
        let open = try #require(
            (try json(harness, "/connz", ["subs": "detail"])["connections"] as? [[String: Any]])?.first)
        for name in common.split(separator: " ") { #expect(open[String(name)] != nil, "open \(name)") }
        #expect(open["idle"] as? String == "2s" && open["last_activity"] as? String == "2026-11-21T03:39:58Z")
        let detail = try #require((open["subscriptions_list_detail"] as? [[String: Any]])?.first)
        #expect(detail["subject"] as? String == "a" && detail["qgroup"] as? String == "q")
        #expect(detail["sid"] as? String == "3" && detail["msgs"] as? Int == 1 && detail["cid"] as? Int == reader.cid)
        let closed = try #require(
            (try json(harness, "/connz", ["state": "closed"])["connections"] as? [[String: Any]])?.first)
        for name in (common + " stop reason").split(separator: " ") {
            #expect(closed[String(name)] != nil, "closed \(name)")
        }
        let list = try json(harness, "/subsz", ["subs": "1"])
        #expect(list["total"] as? Int == 1 && (list["subscriptions_list"] as? [Any])?.count == 1)
    }

    @Test func `connections are sorted by what is asked for, and an unknown word is refused`() throws {
        let harness = CoreHarness()
        let (quiet, busy, writer) = (harness.client("quiet"), harness.client("busy"), harness.client("writer"))
        busy.sub(1, "a")
        harness.heldBack[busy.cid] = 0
        writer.pub("a", body: [UInt8](repeating: 0, count: 100))
        func names(_ sort: String) throws -> [String] {
            let connections = try json(harness, "/connz", ["sort": sort])["connections"] as? [[String: Any]]
            return (connections ?? []).compactMap { $0["name"] as? String }
        }
        #expect(try names("pending").first == "busy" && names("subs").first == "busy")
        #expect(try names("msgs_to").first == "busy" && names("msgs_from").first == "writer")
        #expect(try names("cid") == ["quiet", "busy", "writer"])
        for sort in ConnzQuery.Order.allCases { #expect(try names(sort.rawValue).count == 3) }
        #expect(try page(harness, "/connz", ["sort": "pendin"]).status == 400)
        #expect(try page(harness, "/connz", ["state": "shut"]).status == 400)
        _ = quiet
    }

    @Test func `requests over the bus ask with a body what a query asks`() throws {
        let harness = CoreHarness()
        let process = process
        harness.core.systemRequests = { [unowned harness] name, query in
            harness.core.page("/\(name.lowercased())", query: query, process, uptime: harness.now)
        }
        harness.disconnect(harness.client("gone").cid)
        let client = harness.client()
        client.sub(1, "\(client.inbox).>")
        client.pub(
            "$SYS.REQ.CONNZ", reply: "\(client.inbox).1",
            body: Array(#"{"state":"closed","subs":true,"limit":5}"#.utf8))
        let answer = String(decoding: try #require(client.take().last).body, as: UTF8.self)
        #expect(answer.contains("\"gone\"") && answer.contains("\"limit\" : 5"))
        client.pub("$SYS.REQ.CONNZ", reply: "\(client.inbox).2", body: Array(#"{"sort":"x"}"#.utf8))
        guard case .msg(let refusal)? = client.messages().last else { return #expect(Bool(false), "no answer") }
        #expect(refusal.headers["Nats-Service-Error"] == "invalid sorting option: x")
    }

    @Test func `a healthy broker is ok, a stopping one unavailable with the status`() throws {
        let harness = CoreHarness()
        #expect(try json(harness, "/healthz").keys.sorted() == ["status"])
        harness.core.drain(why: "stopping", now: harness.now)
        let stopping = try json(harness, "/healthz")
        #expect(stopping["status"] as? String == "unavailable" && stopping["status_code"] as? Int == 503)
    }

    @Test func `stale connections are counted apart from slow ones`() throws {
        let harness = CoreHarness()
        _ = harness.client(pingMilliseconds: 1000)
        for _ in 0..<4 { harness.advance(.seconds(1)) }
        let varz = try json(harness, "/varz")
        #expect(varz["stale_connections"] as? Int == 1 && varz["slow_consumers"] as? Int == 0)
    }

    @Test func `lag is the longest of ten seconds, of a turn or of a late timer`() {
        var lag = LoopLag()
        #expect(lag.longest(now: .seconds(1)) == 0)
        lag.record(turnMicroseconds: 300, timerLateness: .zero, now: .seconds(1))
        lag.record(turnMicroseconds: 200, timerLateness: .microseconds(900), now: .milliseconds(1500))
        lag.record(turnMicroseconds: 100, timerLateness: .zero, now: .seconds(9))
        #expect(lag.longest(now: .seconds(9)) == 900)
        #expect(lag.longest(now: .seconds(11)) == 100)
        #expect(lag.longest(now: .seconds(19)) == 0)
    }

    @Test func `a held-up loop shows in varz`() async throws {
        let loop = try UVLoop.start(name: "lag")
        var quiet = Logger(label: "test")
        quiet.logLevel = .critical
        let broker = BrokerServer(
            configuration: BrokerConfiguration(port: 0, version: "test"), loop: loop, logger: quiet)
        _ = try await broker.start()
        await broker.hold(.milliseconds(60))
        try await eventually("the lag is measured") {
            let page = await broker.page("/varz", query: [:])
            let varz = try JSONSerialization.jsonObject(with: Data(page?.body ?? [])) as? [String: Any]
            return varz?["loop_lag_us"] as? Int ?? 0 >= 60_000
        }
        await broker.kill()
        await loop.close()
    }

    /// Names, types and units as Prometheus asks for them: https://prometheus.io/docs/practices/naming/
    @Test func `metrics are named as Prometheus wants it`() throws {
        let lines = try metrics().split(separator: "\n")
        var types: [Substring: Substring] = [:]
        var helped: Set<Substring> = []
        for line in lines {
            let words = line.split(separator: " ", maxSplits: 3)
            switch (words[0], words[1]) {
            case ("#", "HELP"): helped.insert(words[2])
            case ("#", "TYPE"): types[words[2]] = words[3]
            default:
                let name = words[0].prefix { $0 != "{" }
                #expect(name.wholeMatch(of: /storebus_broker_[a-z][a-z0-9_]*/) != nil, "\(name)")
                #expect(helped.contains(name), "\(name) has a HELP before it")
                #expect(name.hasSuffix("_total") == (types[name] == "counter"), "\(name) is a \(types[name] ?? "?")")
                #expect(!name.contains("micro") && !name.contains("milli"), "\(name) is in base units")
                #expect(Double(words[1]) != nil, "\(line)")
            }
        }
        #expect(types.count > 15 && Set(types.keys) == helped)
    }

    @Test(.enabled(if: Self.promtool != nil, "promtool is not installed (apt-get install prometheus)"))
    func `promtool has nothing to say about the metrics`() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(Self.promtool))
        process.arguments = ["check", "metrics"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(metrics().utf8))
        try input.fileHandleForWriting.close()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0 && said.isEmpty, "\(said)")
    }

    private static let promtool = ["/usr/bin/promtool", "/usr/local/bin/promtool"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// The page of a broker that has met an error and can make faults.
    private func metrics() throws -> String {
        let harness = CoreHarness()
        harness.core.chaos = Chaos()
        harness.client().pub("$X")
        return String(decoding: try page(harness, "/metrics").body, as: UTF8.self)
    }
}

extension BrokerServer {
    /// Keeps the broker's own thread busy, as a turn that is too long would.
    fileprivate func hold(_ duration: Duration) {
        let end = ContinuousClock.now + duration
        while ContinuousClock.now < end {}
    }
}
