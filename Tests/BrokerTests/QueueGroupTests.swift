import BusProtocol
import StorebusTesting
import Testing

@testable import Broker

/// Goal: one member of a queue group gets a message, and it is a good choice.
@Suite struct QueueGroupTests {
    @Test func `C11 exactly one member of each group and every plain subscription get a message`() {
        let harness = CoreHarness()
        let clients = (0..<5).map { _ in harness.client() }
        for client in clients {
            client.sub(1, "a.*", queue: "q")
            client.sub(2, "a.b", queue: "r")
        }
        clients[0].sub(3, "a.>")
        for number in 0..<200 { clients[1].pub("a.b", more: ",\"seq\":\(number + 1)") }
        var counts: [Int: Int] = [:]
        for client in clients {
            for case .msg(let message) in client.messages() { counts[message.sid, default: 0] += 1 }
        }
        #expect(counts == [1: 200, 2: 200, 3: 200])
    }

    @Test func `one queue name over different patterns is one group`() {
        let harness = CoreHarness()
        let client = harness.client()
        client.sub(1, "a.*", queue: "q")
        client.sub(2, "a.>", queue: "q")
        client.sub(3, "a.b", queue: "q")
        client.pub("a.b", more: ",\"seq\":1")
        let log = client.log()
        #expect(log.count == 2 && log.last == "ok pub 1 delivered=1")
    }

    @Test func `a member is not passed over for its own plain subscription to the same subject`() {
        let harness = CoreHarness()
        let (both, member, publisher) = (harness.client(), harness.client(), harness.client())
        both.sub(1, "a")
        both.sub(2, "a", queue: "q")
        member.sub(2, "a", queue: "q")
        var taken = 0
        for _ in 0..<60 {
            publisher.pub("a")
            let messages = both.messages()
            taken += messages.count { if case .msg(let message) = $0 { message.sid == 2 } else { false } }
            _ = member.take()
        }
        #expect((15...45).contains(taken))
    }

    @Test func `the same subject and queue twice on one connection are two members`() {
        let client = CoreHarness().client()
        client.sub(1, "a", queue: "q")
        client.sub(2, "a", queue: "q")
        for _ in 0..<200 { client.pub("a") }
        let sids = client.messages().compactMap { if case .msg(let message) = $0 { message.sid } else { nil } }
        #expect(sids.count == 200 && Set(sids) == [1, 2])
    }

    @Test func `C31 a key stays with its member, and only a lost member's keys move`() {
        let harness = CoreHarness()
        let members = (0..<4).map { harness.client(instance: "i\($0)") }
        for member in members { member.sub(1, "work", queue: "q") }
        let publisher = harness.client()
        func owners() -> [Int: Int] {
            var owners: [Int: Int] = [:]
            for key in 0..<100 {
                publisher.pub("work", more: ",\"key\":\"k\(key)\"")
                for member in members where !member.take().isEmpty { owners[key] = member.cid }
            }
            return owners
        }
        let before = owners()
        #expect(Set(before.values).count == 4 && owners() == before)
        harness.disconnect(members[0].cid)
        let after = owners()
        for key in 0..<100 where before[key] != members[0].cid { #expect(after[key] == before[key]) }
        #expect(!after.values.contains(members[0].cid) && after.count == 100)
    }

    @Test func `C31 a key means the same however it is written`() {
        let harness = CoreHarness()
        let members = (0..<5).map { _ in harness.client() }
        for member in members { member.sub(1, "work", queue: "q") }
        members[0].pub("work", more: ",\"key\":\"abc\"")
        members[0].pub("work", more: ",\"key\":\"\\u0061bc\"")
        #expect(members.map { $0.take().count }.sorted() == [0, 0, 0, 0, 2])
    }

    @Test func `C12 a member that does not answer gets less, and nothing once it is slow`() {
        let harness = CoreHarness(seed: 7)
        let members = (0..<3).map { _ in harness.client() }
        for member in members { member.sub(1, "work", queue: "q") }
        let asks = harness.client()
        asks.sub(1, "\(asks.inbox).>")
        var given: [Int: Int] = [:]
        for number in 0..<300 {
            asks.pub("work", reply: "\(asks.inbox).\(number)")
            for member in members {
                for case .msg(let message) in member.messages() {
                    given[member.cid, default: 0] += 1
                    if member.cid != members[0].cid { member.pub(message.reply ?? "") }
                }
            }
            if number == 100 { harness.now += .milliseconds(1001) }
        }
        #expect(given[members[0].cid, default: 0] <= 15, "95 in 100 go to those who answer")
        #expect(given.values.reduce(0, +) == 300)
    }

    @Test func `C12 when all are slow all are eligible again`() {
        let harness = CoreHarness()
        let members = (0..<2).map { _ in harness.client() }
        for member in members { member.sub(1, "work", queue: "q") }
        let asks = harness.client()
        for number in 0..<10 { asks.pub("work", reply: "\(asks.inbox).\(number)") }
        harness.now += .seconds(2)
        for number in 10..<20 { asks.pub("work", reply: "\(asks.inbox).\(number)") }
        #expect(members.map { $0.take().count }.reduce(0, +) == 20)
    }

    @Test func `C12 a member over its soft limit is passed over`() {
        var limits = BrokerLimits()
        limits.softPendingBytes = 1000
        let harness = CoreHarness(limits: limits)
        let (slow, quick, publisher) = (harness.client(), harness.client(), harness.client())
        slow.sub(1, "work", queue: "q")
        quick.sub(1, "work", queue: "q")
        slow.sub(2, "flood")
        harness.heldBack[slow.cid] = 0
        publisher.pub("flood", body: [UInt8](repeating: 0, count: 1001))
        for _ in 0..<50 { publisher.pub("work") }
        #expect(quick.take().count == 50)
    }

    @Test func `C12 the draw is fair`() {
        let harness = CoreHarness(seed: SplitMix64.seeded().next(bound: 1 << 40))
        let members = (0..<4).map { _ in harness.client() }
        for member in members { member.sub(1, "work", queue: "q") }
        let publisher = harness.client()
        for _ in 0..<4000 { publisher.pub("work") }
        for member in members {
            let count = member.take().count
            #expect((700...1300).contains(count), "\(count) of 4000")
        }
    }
}

extension SplitMix64 {
    /// A number below `bound`.
    func next(bound: UInt64) -> UInt64 {
        var copy = self
        return copy.next(upperBound: bound)
    }
}
