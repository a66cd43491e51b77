import BusProtocol
import Testing

@testable import Broker

/// Goal: request and reply over a private inbox, and the error of a request without a responder.
@Suite struct RequestTests {
    private func requester(_ harness: CoreHarness, echo: Bool = true) -> TestClient {
        let client = harness.client("requester", echo: echo)
        client.sub(1, "\(client.inbox).>")
        return client
    }

    @Test func `C16 a request is answered into the private inbox`() {
        let harness = CoreHarness()
        let (asks, answers) = (requester(harness), harness.client())
        answers.sub(5, "work", queue: "q")
        asks.pub("work", reply: "\(asks.inbox).1", more: ",\"seq\":1", body: [1])
        guard case .msg(let request)? = answers.messages().first else { return #expect(Bool(false), "no request") }
        answers.pub(request.reply ?? "", more: ",\"seq\":7", body: [2])
        #expect(answers.log() == ["ok pub 7 delivered=1"])
        #expect(asks.log() == ["ok pub 1 delivered=1", "msg 1 \(asks.inbox).1"])
    }

    @Test func `a requester that asks for it gets 502 at once when the responder has gone`() throws {
        let harness = CoreHarness()
        let asks = harness.client("asks", lost: true)
        asks.sub(1, "\(asks.inbox).>")
        let plain = requester(harness)
        let takes = harness.client()
        takes.sub(5, "work", queue: "q")
        asks.pub("work", reply: "\(asks.inbox).1")
        asks.pub("work", reply: "\(asks.inbox).2")
        plain.pub("work", reply: "\(plain.inbox).1")
        takes.pub("\(asks.inbox).1", body: [1])
        #expect(asks.log() == ["msg 1 \(asks.inbox).1"])
        // Long after it has ceased to count as load.
        harness.advance(.seconds(6))
        _ = asks.take()
        harness.disconnect(takes.cid)
        harness.flush()
        #expect(asks.log() == ["msg 1 \(asks.inbox).2 502"], "not the answered one")
        #expect(plain.log().filter { $0.contains("502") } == [], "who has not asked is told as ever")
        #expect(harness.core.counters.takersLost == 1)
    }

    @Test func `a subscriber without a queue that leaves fails no request, another may answer`() {
        let harness = CoreHarness()
        let asks = harness.client("asks", lost: true)
        asks.sub(1, "\(asks.inbox).>")
        let hears = harness.client()
        hears.sub(5, "work")
        asks.pub("work", reply: "\(asks.inbox).1")
        harness.disconnect(hears.cid)
        harness.flush()
        #expect(asks.log() == [])
    }

    @Test func `C16 without a taker the requester gets 503 before the ok`() throws {
        for echo in [true, false] {
            let harness = CoreHarness()
            let client = requester(harness, echo: echo)
            client.sub(2, "\(client.inbox).1")
            client.pub("nobody.here", reply: "\(client.inbox).1", more: ",\"seq\":3", body: [1, 2, 3])
            let received = client.take()
            #expect(received.map(\.message.short) == ["msg 1 \(client.inbox).1 503", "ok pub 3 delivered=0"])
            guard case .msg(let status)? = received.first?.message else { return #expect(Bool(false), "no status") }
            #expect(status.headers == ["Sb-Subject": "nobody.here"] && received[0].body.isEmpty)
            #expect(harness.core.counters.noResponders == 1)
        }
    }

    @Test func `C16 503 needs a subscription for the reply, and without reply there is silence`() {
        let harness = CoreHarness()
        let client = harness.client()
        client.pub("nobody", reply: "\(client.inbox).1", more: ",\"seq\":1")
        client.pub("nobody", more: ",\"seq\":2")
        #expect(client.log() == ["ok pub 1 delivered=0", "ok pub 2 delivered=0"])
        #expect(harness.core.counters.noInterest == 1)
        client.sub(4, "answers.*")
        client.pub("nobody", reply: "answers.1")
        #expect(client.log() == ["msg 4 answers.1 503"], "any own subscription will do")
    }

    @Test func `C16 a 503 counts as a delivery for max`() {
        let harness = CoreHarness()
        let client = harness.client()
        client.sub(1, "\(client.inbox).1", more: ",\"max\":1")
        client.pub("nobody", reply: "\(client.inbox).1")
        client.pub("nobody", reply: "\(client.inbox).1")
        #expect(client.log() == ["msg 1 \(client.inbox).1 503"])
    }

    @Test func `C16 with every queue member overloaded the requester gets 429`() {
        var limits = BrokerLimits()
        limits.softPendingBytes = 1000
        let harness = CoreHarness(limits: limits)
        let (asks, answers) = (requester(harness), harness.client())
        answers.sub(1, "work", queue: "q")
        answers.sub(2, "flood")
        harness.heldBack[answers.cid] = 0
        asks.pub("flood", body: [UInt8](repeating: 0, count: 2000))
        asks.pub("work", reply: "\(asks.inbox).1", more: ",\"seq\":1")
        asks.pub("work", more: ",\"seq\":2")
        #expect(asks.log() == ["msg 1 \(asks.inbox).1 429", "ok pub 1 delivered=0", "ok pub 2 delivered=0"])
        #expect(harness.core.counters.noEligible == 2)
    }

    @Test func `C19 an answer is granted once, for a minute, to the receiver alone`() {
        let harness = CoreHarness()
        let (asks, answers, stranger) = (requester(harness), harness.client(), harness.client())
        answers.sub(1, "work")
        asks.pub("work", reply: "\(asks.inbox).1")
        asks.pub("work", reply: "\(asks.inbox).2")
        _ = (answers.take(), asks.take())
        stranger.pub("\(asks.inbox).1", more: ",\"seq\":1")
        #expect(stranger.log() == ["err perm_pub 1"])
        answers.pub("\(asks.inbox).3", more: ",\"seq\":2")
        answers.pub("\(asks.inbox).1", more: ",\"seq\":3")
        answers.pub("\(asks.inbox).1", more: ",\"seq\":4")
        #expect(answers.log() == ["err perm_pub 2", "ok pub 3 delivered=1", "err perm_pub 4"])
        harness.now += .seconds(61)
        answers.pub("\(asks.inbox).2", more: ",\"seq\":5")
        #expect(answers.log() == ["err perm_pub 5"], "a grant expires")
        #expect(asks.log() == ["msg 1 \(asks.inbox).1"])
    }

    @Test func `C19 a user grants neither himself nor others what he may not do`() {
        let harness = CoreHarness()
        let (asks, passes, answers) = (requester(harness), harness.client(), harness.client())
        let inbox = "\(asks.inbox).1"
        passes.sub(1, "self")
        answers.sub(1, "work")
        // He knows the inbox, but was asked nothing.
        passes.pub("self", reply: inbox)
        passes.pub(inbox, more: ",\"seq\":1")
        #expect(passes.log() == ["msg 1 self", "err perm_pub 1"])
        passes.pub("work", reply: inbox)
        answers.pub(inbox, more: ",\"seq\":1")
        #expect(answers.log() == ["msg 1 work", "err perm_pub 1"])
        // Asked, he may pass the request on.
        asks.pub("self", reply: inbox)
        passes.pub("work", reply: inbox)
        answers.pub(inbox, more: ",\"seq\":2")
        #expect(answers.log() == ["msg 1 work", "ok pub 2 delivered=1"])
        #expect(asks.log() == ["msg 1 \(inbox)"])
    }

    @Test func `C19 a connection full of grants gets no more queue messages`() {
        var limits = BrokerLimits()
        limits.grants = 2
        let harness = CoreHarness(limits: limits)
        let (asks, answers) = (requester(harness), harness.client())
        answers.sub(1, "work", queue: "q")
        for number in 1...3 { asks.pub("work", reply: "\(asks.inbox).\(number)") }
        #expect(answers.take().count == 2)
        #expect(asks.log() == ["msg 1 \(asks.inbox).3 429"])
        answers.pub("\(asks.inbox).1")
        asks.pub("work", reply: "\(asks.inbox).4")
        #expect(answers.take().count == 1)
    }

    @Test func `C16 an answer to a requester that is gone is not delivered`() {
        let harness = CoreHarness()
        let (asks, answers) = (requester(harness), harness.client())
        answers.sub(1, "work")
        asks.pub("work", reply: "\(asks.inbox).1")
        harness.disconnect(asks.cid)
        _ = answers.take()
        answers.pub("\(asks.inbox).1", more: ",\"seq\":1")
        #expect(answers.log() == ["ok pub 1 delivered=0"])
    }

    @Test func `C8 a client cannot forge a status`() {
        let client = CoreHarness().client()
        client.sub(1, "a")
        client.pub("a", more: ",\"status\":503,\"seq\":1")
        #expect(client.log() == ["err bad_header 1"])
    }
}
