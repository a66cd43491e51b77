import BusProtocol
import Testing

@testable import Broker

/// Goal: what advisories tell of other brokers is not so here (S15). Each test has the advisory's number; those about
/// permissions and inboxes that `PermissionTests`, `RequestTests` and `SubscriptionTests` hold anyway are not repeated.
@Suite struct AdvisoryTests {
    private static let users = [
        BrokerUser(name: "gateway", token: "token-of-gateway", rules: PermissionRules()),
        BrokerUser(name: "default", token: "token-of-default", rules: PermissionRules()),
    ]

    private static func connect(_ auth: String) -> String {
        #"{"op":"connect","v":"1","name":"n","lang":"l","ver":"1","auth":\#(auth)}"#
    }

    @Test(arguments: [
        #"{"method":"none"}"#, #"{"method":"token","token":""}"#, #"{"method":"token","token":"default"}"#,
        #"{"method":"token","token":"gateway"}"#, #"{"method":"none","token":"token-of-gateway"}"#,
        #"{"method":"token","token":"token-of-gatewa"}"#, #"{"method":"token","token":"token-of-gateway "}"#,
    ])
    func `CVE-2023-47090: with users there is no user without a token`(auth: String) {
        let client = CoreHarness(authenticator: .users(Self.users)).accept()
        client.send(Self.connect(auth))
        #expect(client.log() == ["hello", "err auth_failed!"] && client.isEnded)
    }

    @Test func `CVE-2022-29946, BIT-2026-58251: a queue group is no way round what is denied, in any pattern`() throws {
        let rules = PermissionRules(
            sub: .init(allow: [try SubjectPattern(">")], deny: [try SubjectPattern("sb.payment.>")]))
        let harness = CoreHarness(
            authenticator: .users([
                BrokerUser(name: "spy", token: "spy", rules: rules),
                BrokerUser(name: "all", token: "all", rules: PermissionRules()),
            ]))
        let (spy, all) = (harness.client(auth: .token("spy")), harness.client(auth: .token("all")))
        let patterns = [
            "sb.payment.v1.queue.add", "sb.payment.>", "sb.*.v1.queue.add", "sb.>", "*.payment.>", "*.*.*.*.*", ">",
            "sb.payment.*.>", "*.>",
        ]
        for (number, pattern) in patterns.enumerated() {
            for queue in [nil, "q", "payment"] {
                spy.sub(number + 1, pattern, queue: queue, more: ",\"seq\":\(number)")
                #expect(spy.log() == ["err perm_sub \(number)"], "\(pattern) in \(queue ?? "no group")")
            }
        }
        all.pub("sb.payment.v1.queue.add", more: ",\"seq\":1")
        #expect(all.log() == ["ok pub 1 delivered=0"] && spy.log() == [])
        #expect(harness.core.subscriptionCount == 0)
    }

    @Test(arguments: [0, 1, 7, 8, 9, 60], [0, 3])
    func `BIT-2026-58253: a frame before connect does nothing, in the same read or cut anywhere`(
        cut: Int, bodyLength: Int
    ) throws {
        let harness = CoreHarness(authenticator: .token("t"))
        let listener = harness.client(auth: .token("t"))
        listener.sub(1, "orders")
        var bytes: [UInt8] = []
        // As clients write it, which the broker reads in one pass, and then a connect that would be taken.
        try PubMessage(subject: try Subject("orders"), body: Array(repeating: 1, count: bodyLength)).encode(
            into: &bytes)
        ConnectMessage(name: "n", ver: "1", auth: .token("t")).encode(into: &bytes)
        let stranger = harness.accept()
        harness.receive(Array(bytes.prefix(cut)), on: stranger.cid)
        harness.receive(Array(bytes.dropFirst(cut)), on: stranger.cid)
        let log = stranger.log()
        #expect(log.first == "hello" && log.count == 2 && log[1].hasPrefix("err ") && log[1].hasSuffix("!"), "\(log)")
        #expect(stranger.isEnded && listener.log() == [])
    }

    @Test(
        arguments: [
            ([0, 0, 0, 60, 0x05, 0xF5, 0xE1, 0], "err body_too_large!"),
            ([0, 0, 0, 60, 0, 0, 0, 1], "err body_too_large!"),
            ([0, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0], "err header_too_large!"),
            ([0, 0, 0x10, 1, 0, 0, 0, 0], "err header_too_large!"),
        ] as [([UInt8], String)])
    func `before signing in a length is refused by its prefix, and nothing is kept for it`(
        prefix: [UInt8], answer: String
    ) {
        let harness = CoreHarness(authenticator: .token("t"))
        let stranger = harness.accept()
        harness.receive(prefix, on: stranger.cid)
        #expect(stranger.log() == ["hello", answer] && stranger.isEnded)
        harness.disconnect(stranger.cid)
        #expect(harness.core.totalPendingBytes == 0 && harness.core.inboxes.count == 0)
    }

    @Test func `a stranger learns nothing of who is on the bus`() {
        let harness = CoreHarness(authenticator: .users(Self.users))
        let known = harness.client("payment-queue-of-acme", auth: .token("token-of-gateway"))
        known.sub(1, "sb.payment.v1.queue.add", queue: "q")
        for attempt in [
            Self.connect(#"{"method":"token","token":"x"}"#), #"{"op":"ping","t":"x"}"#,
            #"{"op":"pub","subject":"$SYS.REQ.CONNZ","reply":"\#(known.inbox).1"}"#,
            #"{"op":"sub","sid":1,"subject":">"}"#,
        ] {
            let stranger = harness.accept()
            stranger.send(attempt)
            _ = stranger.log()
            let said = String(decoding: harness.raw[stranger.cid] ?? [], as: UTF8.self)
            for word in ["acme", "payment", "gateway", known.inbox] { #expect(!said.contains(word), "\(attempt)") }
        }
        #expect(known.log() == [])
    }
}
