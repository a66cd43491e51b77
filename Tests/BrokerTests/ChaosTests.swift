import BusProtocol
import Foundation
import StorebusTesting
import Testing

@testable import Broker

/// Goal: faults are made on demand only, repeatably, and none of them spoils what the broker knows.
@Suite struct ChaosTests {
    private func harness() -> CoreHarness {
        let harness = CoreHarness()
        harness.core.chaos = Chaos()
        return harness
    }

    /// Sends a request to `$SYS.CHAOS.<verb>` and returns the answer.
    private func ask(_ harness: CoreHarness, _ verb: String, _ body: String = "") throws -> [String: Any] {
        let client = harness.client("operator")
        client.sub(1, "\(client.inbox).>")
        client.pub("$SYS.CHAOS.\(verb)", reply: "\(client.inbox).1", body: Array(body.utf8))
        let answer = try #require(client.take().last)
        return try #require(JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    }

    private func rules(_ rules: [ChaosRule], _ harness: CoreHarness, seed: UInt64 = 7) {
        harness.core.chaos?.set(rules, seed: seed)
    }

    private func rule(
        _ match: String, _ action: ChaosAction, p: Double = 1, from: String? = nil, to: String? = nil, ms: Int = 50,
        count: Int? = nil
    ) throws -> ChaosRule {
        ChaosRule(
            match: try SubjectPattern(match), from: from, to: to, p: p, action: action, milliseconds: ms, count: count)
    }

    @Test(arguments: ["SET", "LIST", "CLEAR"])
    func `without the switch there is no chaos to be asked for`(verb: String) throws {
        let harness = CoreHarness()
        let client = harness.client()
        client.sub(1, "\(client.inbox).>")
        client.pub("$SYS.CHAOS.\(verb)", reply: "\(client.inbox).1", more: ",\"seq\":1")
        #expect(client.log() == ["err reserved 1"])
        #expect(harness.core.chaos == nil)
    }

    @Test func `rules are set, listed with what they did, and cleared`() throws {
        let harness = harness()
        let set = try ask(
            harness, "SET", #"{"seed":7,"rules":[{"match":"a.*","to":"reader","action":"drop","count":2}]}"#)
        #expect(set["seed"] as? Int == 7)
        let (reader, writer) = (harness.client("reader"), harness.client("writer"))
        reader.sub(1, "a.b")
        for _ in 0..<3 { writer.pub("a.b") }
        #expect(reader.log() == ["msg 1 a.b"])
        let listed = try #require(try ask(harness, "LIST")["rules"] as? [[String: Any]])
        #expect(listed.first?["matched"] as? Int == 3 && listed.first?["struck"] as? Int == 2)
        #expect(try ask(harness, "LIST")["faults"] as? [String: Int] == ["drop": 2])
        #expect((try ask(harness, "CLEAR")["rules"] as? [Any])?.isEmpty == true)
        writer.pub("a.b")
        #expect(reader.log() == ["msg 1 a.b"])
        #expect(harness.events.contains(.chaos(seed: 7, rules: 1)), "the seed stands in the log")
    }

    @Test(arguments: [
        #"{"rules":[{"match":"a..b","action":"drop"}]}"#, #"{"rules":[{"match":"a","action":"explode"}]}"#,
        #"{"rules":[{"match":"a","action":"drop","p":2}]}"#, #"{"rules":[{"match":"a","action":"delay","ms":0}]}"#,
        #"{"rules":[{"match":"a","action":"drop","count":0}]}"#, #"{"seed":-1,"rules":[]}"#, "{}", "",
    ])
    func `what is no rule is refused, and the rules in force stay`(body: String) throws {
        let harness = harness()
        rules([try rule("a", .drop)], harness)
        let error = try #require(try ask(harness, "SET", body)["error"] as? [String: Any])
        #expect(error["status"] as? Int == 400 && error["message"] as? String != "")
        #expect(harness.core.chaos?.dice.tallies.count == 1)
    }

    @Test func `the same seed hits the same messages, regardless of the others`() throws {
        func lost(seed: UInt64, othersBetween: Bool) throws -> [Int] {
            let harness = harness()
            rules([try rule("b", .dup, p: 0.5), try rule("a", .drop, p: 0.3)], harness, seed: seed)
            let (reader, writer) = (harness.client("reader"), harness.client("writer"))
            reader.sub(1, "*")
            for number in 0..<200 {
                if othersBetween, number % 3 == 0 { writer.pub("b") }
                writer.pub("a", body: [UInt8(number)])
            }
            let seen = reader.take().filter { !$0.body.isEmpty }.map { Int($0.body[0]) }
            return (0..<200).filter { !seen.contains($0) }
        }
        let first = try lost(seed: 7, othersBetween: false)
        #expect((30...90).contains(first.count), "\(first.count) of 200 at 0.3")
        #expect(try lost(seed: 7, othersBetween: false) == first)
        #expect(try lost(seed: 7, othersBetween: true) == first)
        #expect(try lost(seed: 8, othersBetween: false) != first)
    }

    @Test func `the dice take any generator and ask each rule by names and subject`() throws {
        struct Zeros: RandomNumberGenerator { mutating func next() -> UInt64 { 0 } }
        var dice = ChaosDice(
            rules: [
                try rule("a", .drop, from: "x", count: 1), try rule("a", .dup, to: "u"), try rule(">", .close, p: 0),
            ]
        ) { _ in Zeros() }
        let (x, y) = (ChaosParty(name: "x", user: "u"), ChaosParty(name: "y", user: "v"))
        let first = dice.roll("a".utf8.span, from: x, to: x)
        let second = dice.roll("a".utf8.span, from: x, to: x)
        let third = dice.roll("a".utf8.span, from: y, to: y)
        let hidden = dice.roll("$SRV.PING".utf8.span, from: x, to: x)
        #expect(first?.action == .drop && second?.action == .dup && third == nil && hidden == nil)
        #expect(dice.tallies.map(\.matched) == [2, 2, 3] && dice.tallies.map(\.struck) == [1, 1, 0])
    }

    @Test func `delay and reorder change the order, by time and by the next message`() throws {
        let harness = harness()
        rules([try rule("slow", .delay, ms: 50), try rule("back", .reorder, ms: 60_000)], harness)
        let (reader, writer) = (harness.client("reader"), harness.client("writer"))
        reader.sub(1, ">")
        for subject in ["slow", "a", "back", "b", "c"] { writer.pub(subject) }
        #expect(reader.log() == ["msg 1 a", "msg 1 b", "msg 1 back", "msg 1 c"])
        harness.advance(.milliseconds(49))
        #expect(reader.log() == [])
        harness.advance(.milliseconds(1))
        #expect(reader.log() == ["msg 1 slow"])
        writer.pub("back")
        harness.advance(.milliseconds(60_000))
        #expect(reader.log().filter { $0.hasPrefix("msg") } == ["msg 1 back"], "without another message it comes late")
    }

    @Test func `nothing held back follows the ok of an unsub, and a delivery owed by max still comes`() throws {
        let harness = harness()
        rules([try rule("a", .delay, ms: 50)], harness)
        let (reader, writer) = (harness.client("reader"), harness.client("writer"))
        reader.sub(1, "a")
        reader.sub(2, "a", more: ",\"max\":1")
        writer.pub("a", more: ",\"seq\":1")
        #expect(writer.log() == ["ok pub 1 delivered=2"])
        reader.send(#"{"op":"unsub","sid":1,"seq":1}"#)
        harness.advance(.milliseconds(50))
        #expect(reader.log() == ["ok unsub 1", "msg 2 a"])
    }

    @Test func `corrupt turns one bit, never of the body`() {
        var random = SplitMix64.seeded()
        var frame: [UInt8] = []
        MsgMessage(sid: 1, subject: "a").encode(body: [1, 2, 3].span, into: &frame)
        for _ in 0..<500 {
            var copy = frame
            Chaos.corrupt(&copy, random.next())
            let turned = zip(frame, copy).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount }
            #expect(turned == 1 && copy.suffix(3) == frame.suffix(3))
        }
    }

    @Test func `pages say that faults can be asked for, and how many there were`() throws {
        let process = ProcessStats(host: "127.0.0.1", port: 1, startTime: 0, loopLagMicroseconds: 0)
        func page(_ harness: CoreHarness, _ path: String) -> String {
            String(decoding: harness.core.page(path, query: [:], process, uptime: .zero)?.body ?? [], as: UTF8.self)
        }
        let (sound, spoilt) = (CoreHarness(), harness())
        #expect(!page(sound, "/healthz").contains("chaos") && !page(sound, "/metrics").contains("chaos"))
        #expect(page(spoilt, "/healthz").contains("\"chaos\" : true"))
        #expect(page(spoilt, "/metrics").contains("storebus_broker_chaos_faults_total{action=\"drop\"} 0\n"))
    }

    @Test(arguments: ChaosAction.allCases)
    func `under every fault the broker's books stay right`(action: ChaosAction) throws {
        var random = SplitMix64.seeded()
        let harness = harness()
        rules([try rule(">", action, p: 0.3), try rule("_INBOX.>", action, p: 0.3)], harness)
        let writer = harness.client("writer")
        var readers = (0..<4).map { harness.client("reader\($0)") }
        var barred: [Int: Set<Int>] = [:]
        for step in 1...1500 {
            let index = Int.random(in: 0..<readers.count, using: &random)
            if readers[index].isEnded {
                harness.disconnect(readers[index].cid)
                readers[index] = harness.client("again\(step)")
            }
            let reader = readers[index]
            switch Int.random(in: 0..<6, using: &random) {
            case 0: reader.sub(step, ["a", "*", "b"].randomElement(using: &random) ?? "a", queue: "q")
            case 1: reader.sub(step, "a", more: ",\"max\":2")
            case 2: reader.sub(step, "\(reader.inbox).1")
            case 3:
                guard let sid = harness.core.connections[reader.cid]?.subscriptions.keys.min() else { continue }
                reader.send("{\"op\":\"unsub\",\"sid\":\(sid)}")
                barred[reader.cid, default: []].insert(sid)
                _ = reader.take()
            default: writer.pub(["a", "b"].randomElement(using: &random) ?? "a", reply: "\(writer.inbox).1")
            }
            harness.advance(.milliseconds(Int.random(in: 0...40, using: &random)))
            guard action != .corrupt else { continue }
            for case .msg(let message) in reader.messages() {
                #expect(barred[reader.cid]?.contains(message.sid) != true, "after its barrier")
            }
        }
        for reader in readers { harness.disconnect(reader.cid) }
        harness.disconnect(writer.cid)
        harness.advance(.seconds(61))
        let core = harness.core
        #expect(core.chaos?.counts[action] ?? 0 > 0, "it has struck")
        #expect(core.connections.isEmpty && core.router.subscriptionCount == 0 && core.inboxes.count == 0)
        #expect(core.totalPendingBytes == 0 && core.chaos?.delays.isEmpty == true)
        #expect(core.chaos?.blackholes.isEmpty == true)
    }
}
