import BusProtocol
import Testing

@testable import Broker

/// Goal: what users of a users file may and may not do (C20), what a grant allows (C19), and that inboxes stay private
/// with any permissions (C21).
@Suite struct PermissionTests {
    /// A harness with one user a rule, whose token is its name.
    private func harness(_ users: [String: PermissionRules]) -> CoreHarness {
        CoreHarness(authenticator: .users(users.map { BrokerUser(name: $0.key, token: $0.key, rules: $0.value) }))
    }

    private func patterns(_ texts: [String]) throws -> [SubjectPattern] { try texts.map { try SubjectPattern($0) } }

    @Test(
        arguments: [
            (nil, [], "a.b", true), ([], [], "a.b", false), (["a.*"], [], "a.b", true), (["a.*"], [], "a.b.c", false),
            (["a.>"], ["a.b.*"], "a.b.c", false), (["a.>"], ["a.b.*"], "a.b", true), (nil, ["*.b"], "a.b", false),
            ([">"], [], "$SRV.PING", true), (["*.PING"], [], "$SRV.PING", true), (nil, [">"], "$SRV.PING", false),
            (["b"], [], "a", false), (["a", "b"], ["b"], "b", false), (["a.*.c"], [], "a.b.c", true),
        ] as [([String]?, [String], String, Bool)])
    func `C20 publishing: allow absent is everything, empty is nothing, and deny wins`(
        allow: [String]?, deny: [String], subject: String, isAllowed: Bool
    ) throws {
        let pub = PermissionRules.Subjects(allow: try allow.map(patterns), deny: try patterns(deny))
        let harness = harness(["u": PermissionRules(pub: pub)])
        let client = harness.client(auth: .token("u"))
        client.pub(subject, more: ",\"seq\":1")
        #expect(client.log() == [isAllowed ? "ok pub 1 delivered=0" : "err perm_pub 1"])
        #expect(harness.core.counters.permissionsDenied == (isAllowed ? 0 : 1))
    }

    @Test(
        arguments: [
            (nil, [], "a.>", true), ([], [], "a", false), (["a.>"], [], "a.*.c", true), (["a.>"], [], ">", false),
            (["a.*"], [], "a.>", false), (["a.*"], [], "a.*", true), ([">"], [], "$SRV.>", true),
            (["*.b"], [], "a.b", true),
            (nil, ["a.b"], "a.*", false), (nil, ["a.b"], ">", false), (nil, ["a.*.c"], "a.b.*", false),
            (nil, ["a.>"], "*.b", false), (nil, ["a.b"], "a.b.>", true), (nil, ["a.>"], "a", true),
            (nil, ["a.*"], "a.b.c", true), (nil, ["*.x"], "a.>", false), (nil, ["$SRV.>"], ">", true),
            (nil, [">"], "$SRV.PING", false), (["a.>"], ["a.b"], "a.c", true), (["a.>"], ["a.b"], "a.b", false),
        ] as [([String]?, [String], String, Bool)])
    func `C20 subscribing: the allowed covers it, nothing denied overlaps it, plain or in a queue group`(
        allow: [String]?, deny: [String], pattern: String, isAllowed: Bool
    ) throws {
        let sub = PermissionRules.Subjects(allow: try allow.map(patterns), deny: try patterns(deny))
        let client = harness(["u": PermissionRules(sub: sub)]).client(auth: .token("u"))
        client.sub(1, pattern, more: ",\"seq\":1")
        client.sub(2, pattern, queue: "q", more: ",\"seq\":2")
        #expect(
            client.log() == (isAllowed ? ["ok sub 1", "ok sub 2"] : ["err perm_sub 1", "err perm_sub 2"]), "\(pattern)")
    }

    @Test func `C20 queue groups are allowed by name`() throws {
        let some = harness(["u": PermissionRules(queues: [try QueueName("q")])]).client(auth: .token("u"))
        some.sub(1, "a", queue: "q", more: ",\"seq\":1")
        some.sub(2, "a", queue: "r", more: ",\"seq\":2")
        some.sub(3, "a", more: ",\"seq\":3")
        #expect(some.log() == ["ok sub 1", "err perm_sub 2", "ok sub 3"])
        let none = harness(["u": PermissionRules(queues: [])]).client(auth: .token("u"))
        none.sub(1, "a", queue: "q", more: ",\"seq\":1")
        #expect(none.log() == ["err perm_sub 1"])
    }

    @Test func `C20 a refused subscription delivers nothing and its sid stays free`() throws {
        let rules = PermissionRules(sub: .init(deny: try patterns(["secret.*"])))
        let harness = harness(["u": rules, "all": PermissionRules()])
        let (client, other) = (harness.client(auth: .token("u")), harness.client(auth: .token("all")))
        client.sub(1, "secret.>", queue: "q")
        other.pub("secret.1", more: ",\"seq\":1")
        client.sub(1, "open", more: ",\"seq\":2")
        #expect(client.log() == ["err perm_sub", "ok sub 2"] && other.log() == ["ok pub 1 delivered=0"])
    }

    @Test func `C20 the broker's own subjects need to be named, other subjects under the dollar sign stay reserved`()
        throws
    {
        let named = PermissionRules(
            pub: .init(allow: try patterns(["$SYS.REQ.>"])), sub: .init(allow: try patterns(["$SYS.TAP.>"])))
        let denied = PermissionRules(
            sub: .init(allow: try patterns(["$SYS.TAP.>"]), deny: try patterns(["secret.>"])))
        let wild = PermissionRules(pub: .init(allow: try patterns([">"])), sub: .init(allow: try patterns([">"])))
        let harness = harness(["all": PermissionRules(), "named": named, "wild": wild, "denied": denied])
        harness.core.systemRequests = { name, _ in name == "VARZ" ? .json([1]) : nil }
        func answers(_ user: String) -> [String] {
            let client = harness.client(auth: .token(user))
            client.pub("$SYS.REQ.VARZ", more: ",\"seq\":1")
            client.pub("$SYS.CHAOS.x", more: ",\"seq\":2")
            client.pub("$JS.x", more: ",\"seq\":3")
            client.sub(1, "$SYS.TAP.a.>", more: ",\"seq\":4")
            client.sub(2, "$SYS.TAP.>", more: ",\"seq\":5")
            client.sub(3, "$SYS.REQ.VARZ", more: ",\"seq\":6")
            return client.log()
        }
        let refused = [
            "err perm_pub 1", "err perm_pub 2", "err reserved 3", "err perm_sub 4", "err perm_sub 5", "err reserved 6",
        ]
        #expect(answers("all") == refused && answers("wild") == refused)
        #expect(
            answers("named") == [
                "ok pub 1 delivered=0", "err perm_pub 2", "err reserved 3", "ok sub 4", "ok sub 5", "err reserved 6",
            ])
        #expect(
            answers("denied").suffix(3) == ["ok sub 4", "err perm_sub 5", "err reserved 6"], "no trace of the denied")
    }

    @Test func `C21 another's inbox takes answers only, even from a user allowed everything`() throws {
        let harness = harness([
            "all": PermissionRules(), "wild": PermissionRules(pub: .init(allow: try patterns([">", "_INBOX.>"]))),
        ])
        let owner = harness.client(auth: .token("all"))
        owner.sub(1, "\(owner.inbox).>", more: ",\"seq\":1")
        owner.pub("\(owner.inbox).x", more: ",\"seq\":2")
        #expect(owner.log() == ["ok sub 1", "msg 1 \(owner.inbox).x", "ok pub 2 delivered=1"])
        for user in ["all", "wild"] {
            let stranger = harness.client(auth: .token(user))
            stranger.sub(1, "\(owner.inbox).>", more: ",\"seq\":1")
            stranger.pub("\(owner.inbox).x", more: ",\"seq\":2")
            #expect(stranger.log() == ["err perm_sub 1", "err perm_pub 2"])
        }
        #expect(owner.log() == [])
    }

    @Test func `C21 the own inbox needs no allow, but can be denied`() throws {
        let harness = harness([
            "nothing": PermissionRules(sub: .init(allow: [])),
            "denied": PermissionRules(sub: .init(deny: try patterns(["_INBOX.>"]))),
        ])
        for (user, answer) in [("nothing", "ok sub 1"), ("denied", "err perm_sub 1")] {
            let client = harness.client(auth: .token(user))
            client.sub(1, "\(client.inbox).>", more: ",\"seq\":1")
            #expect(client.log() == [answer])
        }
    }

    @Test func `C19 a user that may publish nothing answers each request as often as granted`() throws {
        let rules = PermissionRules(
            pub: .init(allow: [], deny: try patterns(["forbidden.>"])),
            responses: .init(max: 2, lifetime: .milliseconds(500)))
        let harness = harness(["service": rules, "all": PermissionRules()])
        let (asks, answers) = (harness.client(auth: .token("all")), harness.client(auth: .token("service")))
        asks.sub(1, "\(asks.inbox).>")
        answers.sub(1, "work")
        for reply in ["\(asks.inbox).1", "elsewhere", "forbidden.1"] { asks.pub("work", reply: reply) }
        _ = (asks.take(), answers.take())
        for (seq, subject) in ["\(asks.inbox).1", "\(asks.inbox).1", "\(asks.inbox).1"].enumerated() {
            answers.pub(subject, more: ",\"seq\":\(seq)")
        }
        #expect(answers.log() == ["ok pub 0 delivered=1", "ok pub 1 delivered=1", "err perm_pub 2"])
        answers.pub("forbidden.1", more: ",\"seq\":3")
        answers.pub("elsewhere", more: ",\"seq\":4")
        #expect(answers.log() == ["err perm_pub 3", "ok pub 4 delivered=0"], "deny wins over responses")
        harness.now += .milliseconds(501)
        answers.pub("elsewhere", more: ",\"seq\":5")
        #expect(answers.log() == ["err perm_pub 5"], "the second one has expired")
    }

    @Test func `C19 without responses nothing is granted`() throws {
        let rules = PermissionRules(pub: .init(allow: []), responses: .init(max: 0))
        let harness = harness(["service": rules, "all": PermissionRules()])
        let (asks, answers) = (harness.client(auth: .token("all")), harness.client(auth: .token("service")))
        answers.sub(1, "work", queue: "q")
        asks.pub("work", reply: "r")
        answers.pub("r", more: ",\"seq\":1")
        #expect(answers.log() == ["msg 1 work", "err perm_pub 1"])
    }

    @Test func `C19 a publish that is refused spends no grant`() throws {
        let harness = CoreHarness()
        let (asks, answers) = (harness.client(), harness.client())
        asks.sub(1, "\(asks.inbox).>")
        answers.sub(1, "work")
        asks.pub("work", reply: "\(asks.inbox).1")
        _ = answers.take()
        answers.pub("\(asks.inbox).1", more: ",\"x\":1,\"seq\":1")
        answers.pub("\(asks.inbox).1", more: ",\"seq\":2")
        #expect(answers.log() == ["err bad_header 1", "ok pub 2 delivered=1"])
    }

    @Test func `C19 a connection full of grants is eligible again once they have expired`() {
        var limits = BrokerLimits()
        limits.grants = 2
        let harness = CoreHarness(limits: limits)
        let (asks, answers) = (harness.client(), harness.client())
        answers.sub(1, "work", queue: "q")
        for number in 1...3 { asks.pub("work", reply: "r.\(number)") }
        #expect(answers.take().count == 2)
        harness.now += .seconds(61)
        asks.pub("work", reply: "r.4")
        #expect(answers.log() == ["msg 1 work"])
    }

    @Test func `C5 each user signs in with its own token, and ok tells its name`() {
        let harness = harness(["one": PermissionRules(), "two": PermissionRules()])
        for (token, expected) in [("one", "one"), ("two", "two"), ("three", nil), ("", nil), ("on", nil)] {
            let client = harness.accept()
            guard case .hello(let hello)? = client.messages().first else { continue }
            #expect(hello.auth == ["token"])
            client.send { ConnectMessage(name: "n", ver: "1", auth: .token(token)).encode(into: &$0) }
            switch client.messages().first {
            case .ok(let ok)?: #expect(ok.user == expected)
            case .err(let error)?: #expect(expected == nil && error.known == .authFailed && error.fatal)
            default: #expect(Bool(false), "neither ok nor err")
            }
        }
    }

    @Test func `C30 the same instance of another user is another instance`() {
        let harness = harness(["one": PermissionRules(), "two": PermissionRules()])
        let first = harness.client(instance: "i", auth: .token("one"))
        let second = harness.client(instance: "i", auth: .token("two"))
        #expect(!first.isEnded && !second.isEnded)
        _ = harness.client(instance: "i", auth: .token("one"))
        #expect(first.log() == ["err replaced!"] && first.isEnded && !second.isEnded)
    }
}
