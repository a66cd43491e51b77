import BusProtocol

@testable import Broker

/// Subscriptions that come and go, and subjects: grammar, matcher and router agree with naive ones.
///
/// Input: lines. `+pattern` subscribes, `+pattern queue` in a group, `-` ends the oldest subscription, anything else is
/// a subject to be routed.
enum SubjectTarget {
    static func run(_ input: [UInt8]) -> CInt {
        let connection = BrokerConnection(
            cid: 1, peer: "127.0.0.1:1", inbox: "_INBOX.x", limits: BrokerLimits(), now: .zero, time: 0)
        // So few remembered routes that remembering and forgetting both happen.
        var router = Router(rememberedMax: 4)
        var living: [ClientSubscription] = []
        for (number, line) in input.split(separator: UInt8(ascii: "\n")).prefix(64).enumerated() {
            switch line.first {
            case UInt8(ascii: "+"): subscribe(Array(line.dropFirst()), number + 1, connection, &router, &living)
            case UInt8(ascii: "-"): if !living.isEmpty { router.remove(living.removeFirst()) }
            default: route(Array(line), &router, living)
            }
        }
        for subscription in living { router.remove(subscription) }
        FuzzInput.require(
            router.subscriptionCount == 0 && router.rememberedCount == 0, "nothing is left when all have gone")
        return 0
    }

    private static func subscribe(
        _ line: [UInt8], _ sid: Int, _ connection: BrokerConnection, _ router: inout Router,
        _ living: inout [ClientSubscription]
    ) {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
        let bytes = words.first.map(Array.init) ?? []
        let text = String(decoding: bytes, as: UTF8.self)
        let pattern = try? SubjectPattern(text)
        FuzzInput.require((pattern != nil) == NaiveSubject.isPattern(text), "'\(text)' is a pattern or is none")
        guard let pattern else { return }
        let queue = words.count > 1 ? try? QueueName(String(decoding: words[1], as: UTF8.self)) : nil
        let message = SubMessage(sid: sid, subject: pattern, queue: queue)
        let subscription = ClientSubscription(connection, message, pattern: pattern, kind: .ordinary)
        router.insert(subscription)
        living.append(subscription)
    }

    private static func route(_ line: [UInt8], _ router: inout Router, _ living: [ClientSubscription]) {
        let text = String(decoding: line, as: UTF8.self)
        let subject = try? Subject(text)
        FuzzInput.require((subject != nil) == NaiveSubject.isSubject(text), "'\(text)' is a subject or is none")
        guard let subject else { return }
        let expected = living.filter { NaiveSubject.matches($0.pattern.text, text) }
        for subscription in living {
            FuzzInput.require(
                subscription.pattern.matches(subject) == expected.contains { $0 === subscription },
                "'\(subscription.pattern)' against '\(text)'")
        }
        let route = router.route(text.utf8.span)
        let found = route.plain + route.groups.flatMap(\.members)
        FuzzInput.require(
            found.map(\.sid).sorted() == expected.map(\.sid).sorted(), "the router and the naive matcher on '\(text)'")
        let queues = route.groups.map(\.queue)
        FuzzInput.require(Set(queues).count == queues.count, "one group for each queue name")
    }
}
