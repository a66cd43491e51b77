import BusProtocol
import Foundation
import Testing

@testable import Broker

/// Goal: the pages speak nats-server's language and count what happened.
@Suite struct MonitoringTests {
    private let process = ProcessStats(
        host: "127.0.0.1", port: 7420, startTime: 1_795_232_300_000, loopLagMicroseconds: 42)

    private func json(_ harness: CoreHarness, _ path: String, _ query: [String: String] = [:]) throws -> [String: Any] {
        let page = try #require(harness.core.page(path, query: query, process, uptime: harness.now))
        return try #require(JSONSerialization.jsonObject(with: Data(page.body)) as? [String: Any])
    }

    @Test func `varz counts messages, refusals and messages without a subscriber`() throws {
        let harness = CoreHarness()
        let client = harness.client()
        client.sub(1, "\(client.inbox).>")
        client.sub(2, "a")
        client.pub("a", body: [1])
        client.pub("nobody", reply: "\(client.inbox).1")
        client.pub("nobody")
        client.sub(3, "$X")
        let varz = try json(harness, "/varz")
        #expect(varz["in_msgs"] as? Int == 3 && varz["out_msgs"] as? Int == 2)
        #expect(
            varz["no_responders"] as? Int == 1 && varz["no_interest"] as? Int == 1 && varz["perm_denied"] as? Int == 1)
        #expect(varz["connections"] as? Int == 1 && varz["subscriptions"] as? Int == 2)
        #expect(varz["loop_lag_us"] as? Int == 42 && varz["max_payload"] as? Int == 1 << 20)
        #expect(varz["uptime"] as? String == "1m40s" && varz["start"] as? String == "2026-11-21T03:38:20Z")
    }

    @Test func `connz lists the living and the closed`() throws {
        let harness = CoreHarness()
        let (one, two) = (harness.client("one", instance: "i"), harness.client("two"))
        one.sub(1, "b.*")
        one.sub(2, "a")
        two.sub(1, "a")
        two.sub(2, "c")
        harness.disconnect(two.cid)
        let open = try json(harness, "/connz", ["subs": "1"])
        let first = try #require((open["connections"] as? [[String: Any]])?.first)
        #expect(open["total"] as? Int == 1 && first["name"] as? String == "one" && first["instance"] as? String == "i")
        #expect(first["subscriptions_list"] as? [String] == ["a", "b.*"] && first["port"] as? Int == 5000)
        let closed = try json(harness, "/connz", ["state": "closed"])
        let last = try #require((closed["connections"] as? [[String: Any]])?.first)
        #expect(last["name"] as? String == "two" && last["reason"] as? String == "eof")
        #expect(last["subscriptions"] as? Int == 2, "as many as it had when it went")
        let all = try json(harness, "/connz", ["state": "any", "sort": "subs", "limit": "1"])
        #expect(all["total"] as? Int == 2 && all["num_connections"] as? Int == 1)
        #expect(try json(harness, "/connz", ["state": "all"])["total"] as? Int == 2)
    }

    @Test func `closed connections are remembered to the limit`() {
        var limits = BrokerLimits()
        limits.closedConnections = 3
        let harness = CoreHarness(limits: limits)
        for _ in 0..<5 { harness.disconnect(harness.client().cid) }
        #expect(harness.core.closed.map(\.cid) == [3, 4, 5])
    }

    @Test func `subsz, healthz and metrics`() throws {
        let harness = CoreHarness()
        let client = harness.client()
        client.sub(1, "a")
        client.sub(2, "\(client.inbox).1")
        client.pub("a")
        client.pub("a")
        let subsz = try json(harness, "/subsz")
        #expect(subsz["num_subscriptions"] as? Int == 2 && subsz["num_inbox"] as? Int == 1)
        #expect(subsz["num_cache"] as? Int == 1 && subsz["cache_hit_rate"] as? Double == 0.5)
        #expect(try json(harness, "/healthz")["status"] as? String == "ok")
        harness.core.drain(why: "stopping", now: harness.now)
        let health = harness.core.page("/healthz", query: [:], process, uptime: harness.now)
        #expect(health?.status == 503)
        let metrics = harness.core.page("/metrics", query: [:], process, uptime: harness.now)
        let text = String(decoding: metrics?.body ?? [], as: UTF8.self)
        #expect(
            text.contains("# TYPE storebus_broker_messages_in_total counter\nstorebus_broker_messages_in_total 2\n"))
        #expect(harness.core.page("/nothing", query: [:], process, uptime: harness.now) == nil)
    }
}
