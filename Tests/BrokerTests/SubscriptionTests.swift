import BusProtocol
import Testing

@testable import Broker

/// Goal: `sub`, `unsub`, `max`, and what becomes of the sids.
@Suite struct SubscriptionTests {
    @Test func `C11 a message reaches every plain subscription once`() {
        let harness = CoreHarness()
        let (one, two) = (harness.client(), harness.client())
        one.sub(1, "a.*")
        one.sub(2, "a.>")
        one.sub(3, "b")
        two.sub(1, "a.b")
        two.pub("a.b", more: ",\"seq\":9")
        #expect(Set(one.log()) == ["msg 1 a.b", "msg 2 a.b"])
        #expect(two.log() == ["msg 1 a.b", "ok pub 9 delivered=3"], "the ok follows the own echo")
    }

    @Test func `the ok of sub precedes its first message`() {
        let client = CoreHarness().client()
        client.sub(1, "a", more: ",\"seq\":4")
        client.pub("a")
        #expect(client.log() == ["ok sub 4", "msg 1 a"])
    }

    @Test func `C7 bodies and headers arrive as they were sent`() {
        let client = CoreHarness().client()
        client.sub(1, "a")
        let body: [UInt8] = [0, 1, 255, 0x7B]
        client.send(#"{"op":"pub","seq":1,"headers": { "h" : "v\u00e9" },"key":"k\"","subject":"a"}"#, body: body)
        guard case .msg(let message)? = client.messages().first else { return #expect(Bool(false), "no message") }
        #expect(message.headers == ["h": "vé"] && message.key == "k\"" && message.reply == nil)
        client.send(#"{"op":"pub","subject":"a"}"#, body: body)
        #expect(client.take().map(\.body) == [body])
    }

    @Test func `a sid in use is dup_sid and the first subscription stays`() {
        let client = CoreHarness().client()
        client.sub(1, "a")
        client.sub(1, "b", more: ",\"seq\":2")
        client.pub("a")
        client.pub("b")
        #expect(client.log() == ["err dup_sid 2", "msg 1 a"])
    }

    @Test func `C15 plain unsub is a barrier`() {
        let client = CoreHarness().client()
        client.sub(1, "a")
        client.send(#"{"op":"unsub","sid":1,"seq":3}"#)
        client.pub("a", more: ",\"seq\":4")
        #expect(client.log() == ["ok unsub 3", "ok pub 4 delivered=0"])
        client.sub(1, "a", more: ",\"seq\":5")
        client.pub("a")
        #expect(client.log() == ["ok sub 5", "msg 1 a"], "the sid may be used again")
    }

    @Test func `C15 unsub of an unknown sid is silent without seq`() {
        let client = CoreHarness().client()
        client.send(#"{"op":"unsub","sid":7}"#)
        client.send(#"{"op":"unsub","sid":7,"seq":1}"#)
        #expect(client.log() == ["err unknown_sid 1"])
    }

    @Test func `C14 max counts deliveries since sub and ends the subscription`() {
        let client = CoreHarness().client()
        client.sub(1, "a", more: ",\"max\":2")
        for _ in 0..<3 { client.pub("a") }
        #expect(client.log() == ["msg 1 a", "msg 1 a"])
        client.send(#"{"op":"unsub","sid":1,"seq":1}"#)
        client.send(#"{"op":"unsub","sid":1,"seq":2}"#)
        #expect(client.log() == ["ok unsub 1", "err unknown_sid 2"], "ok once for a sid that max has just ended")
    }

    @Test func `C14 unsub with max ends now at or below the count, later otherwise`() {
        let client = CoreHarness().client()
        for sid in 1...3 { client.sub(sid, "a") }
        client.pub("a")
        _ = client.take()
        client.send(#"{"op":"unsub","sid":1,"max":1,"seq":1}"#)
        client.send(#"{"op":"unsub","sid":2,"max":0,"seq":2}"#)
        client.send(#"{"op":"unsub","sid":3,"max":2,"seq":3}"#)
        client.pub("a")
        client.pub("a")
        #expect(client.log() == ["ok unsub 1", "ok unsub 2", "ok unsub 3", "msg 3 a"])
    }

    @Test func `C13 without echo a connection does not get its own messages`() {
        let harness = CoreHarness()
        let quiet = harness.client(echo: false)
        let other = harness.client()
        quiet.sub(1, "a")
        quiet.sub(2, "w", queue: "q")
        other.sub(1, "w", queue: "q")
        for _ in 0..<20 { quiet.pub("w") }
        quiet.pub("a", more: ",\"seq\":1")
        #expect(quiet.log() == ["ok pub 1 delivered=0"])
        #expect(other.take().count == 20)
        other.pub("a")
        #expect(quiet.log() == ["msg 1 a"])
    }

    @Test func `subscriptions are counted to the limit`() {
        var limits = BrokerLimits()
        limits.subscriptions = 3
        let client = CoreHarness(limits: limits).client()
        for sid in 1...4 { client.sub(sid, "a.\(sid)", more: ",\"seq\":\(sid)") }
        #expect(client.log() == ["ok sub 1", "ok sub 2", "ok sub 3", "err too_many_subs 4"])
        client.send(#"{"op":"unsub","sid":1}"#)
        client.sub(4, "a.4", more: ",\"seq\":5")
        #expect(client.log() == ["ok sub 5"])
    }

    @Test func `C21 inboxes are private`() {
        let harness = CoreHarness()
        let (one, two) = (harness.client(), harness.client())
        for pattern in ["\(two.inbox).>", "\(two.inbox).1", "_INBOX.>", "_INBOX.*.1", "_INBOX", one.inbox] {
            one.sub(9, pattern, more: ",\"seq\":1")
            #expect(one.log() == ["err perm_sub 1"], "\(pattern)")
        }
        one.sub(1, "\(one.inbox).*", more: ",\"seq\":2")
        one.sub(2, ">", more: ",\"seq\":3")
        two.sub(1, "*.*.*")
        #expect(one.log() == ["ok sub 2", "ok sub 3"])
        one.pub("\(one.inbox).1", more: ",\"seq\":4")
        #expect(one.log() == ["msg 1 \(one.inbox).1", "ok pub 4 delivered=1"], "no wildcard sees it")
        two.pub("\(one.inbox).1", more: ",\"seq\":1")
        #expect(one.log() == [] && two.log() == ["err perm_pub 1"])
        #expect(harness.core.counters.permissionsDenied == 7)
    }

    @Test(arguments: ["$X", "$SYS.>", "$SYS.REQ.VARZ", "$SRV", "$SRVX.a", "$JS.API"])
    func `what lies under the dollar sign is reserved`(subject: String) {
        let client = CoreHarness().client()
        client.sub(1, subject, more: ",\"seq\":1")
        #expect(client.log() == ["err reserved 1"])
        if !subject.hasSuffix(">") {
            client.pub(subject, more: ",\"seq\":2")
            #expect(client.log() == ["err reserved 2"])
        }
    }

    @Test func `services may use their own subjects under the dollar sign`() {
        let client = CoreHarness().client()
        client.sub(1, "$SRV.PING")
        client.sub(2, "$SRV.>")
        client.sub(3, ">")
        client.pub("$SRV.PING", more: ",\"seq\":1")
        #expect(Set(client.log()) == ["msg 1 $SRV.PING", "msg 2 $SRV.PING", "ok pub 1 delivered=2"])
    }

    @Test func `a closed connection leaves nothing behind`() {
        let harness = CoreHarness()
        let gone = harness.client(instance: "i")
        gone.sub(1, "a.*")
        gone.sub(2, "a.b", queue: "q")
        gone.sub(3, "\(gone.inbox).>")
        let stays = harness.client()
        stays.pub("a.b")
        harness.disconnect(gone.cid)
        #expect(harness.core.subscriptionCount == 0 && harness.core.router.subscriptionCount == 0)
        #expect(harness.core.router.rememberedCount == 0 && harness.core.totalPendingBytes == 0)
        #expect(harness.core.inboxes.count == 1 && harness.core.instances.isEmpty)
        #expect(harness.core.closed.map(\.reason) == ["eof"])
    }
}
