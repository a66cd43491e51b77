import Foundation
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

/// Goal: a clock that jumps a year makes every period of every subscription happen once and in order, and one charge
/// each, whichever process dies on the way (S1, S2, S4; O5).
/// Method: shoppers begin a trial; the clock is advanced by a year under one key; a process is killed with SIGKILL
/// while the year is worked off, the same request is repeated until it is answered as finished; then the processor's
/// own books and the timelines are compared. The moment of the kill is drawn from a printed seed.
@Suite(.process) struct RenewalTests {
    private static let product = "com.example.pro.monthly"
    private static let shopperCount = 8
    /// A week's trial ends on day 7; then a month is paid for twelve times before the year is over.
    private static let paidPeriods = Array(1...12)

    @Test(arguments: ["payment-queue", "payment-processor", "broker"])
    func `kill -9 while a year passes: each period once, each charged once`(service: String) async throws {
        try await StoreStack.run { store in try await Self.passAYear(in: store, killing: service) }
    }

    @Test func `two payment queues on one database, one of them killed: each period once`() async throws {
        let environment = try await Engine.postgres.environment()
        try await StoreStack.run(["--replicas", "payment-queue=2"], environment: environment) { store in
            try await Self.passAYear(in: store, killing: "payment-queue")
        }
    }

    private static func passAYear(in store: StoreStack, killing service: String) async throws {
        var random = SplitMix64.seeded("renewals, \(service)")
        let delay = Int.random(in: 5...400, using: &random)
        var trials: [PaymentTransaction] = []
        for index in 0..<shopperCount {
            let customer = try await store.session(account: "subscriber\(index)")
            trials.append(try await customer.buy(product, key: "trial-\(index)"))
        }
        #expect(trials.allSatisfy { $0.isTrialPeriod == true && $0.price?.minorUnits == 0 })
        let advanced = Task { try await advance(store) }
        try await Task.sleep(for: .milliseconds(delay))
        let killed = try store.signal(service)
        try await store.waitForReplacement(of: service, after: killed)
        let end = try await advanced.value
        try await expectOneCharge(forEachPeriodOf: trials, in: store)
        for trial in trials { try await expectTimeline(of: trial, until: end, in: store) }
    }

    /// The same key until the answer says that all has happened.
    /// - Returns: the clock's time then.
    private static func advance(_ store: StoreStack) async throws -> Timestamp {
        var end: Timestamp?
        try await eventually("the year has passed", within: .seconds(60)) {
            let answer = try? await store.request(
                .POST, "/admin/v1/apps/com.example.app/clock/advance", token: store.adminKey,
                headers: ["idempotency-key": "a-year"], body: Array(#"{"by": "P1Y"}"#.utf8))
            guard let answer, answer.status < 500 else { return false }
            guard answer.status == 200 || answer.status == 202 else {
                throw StackError("advance: \(answer.status) \(answer.text)")
            }
            end = try answer.decoded(as: JSONValue.self)["to"]?.stringValue.flatMap(Timestamp.init)
            return answer.status == 200
        }
        return try #require(end)
    }

    /// The processor's books: for each subscription the keys of twelve periods, no other charge at all.
    private static func expectOneCharge(
        forEachPeriodOf trials: [PaymentTransaction], in store: StoreStack
    ) async throws {
        let charges = try await Ledger.charges(of: store)
        let expected = trials.flatMap { trial in
            paidPeriods.map { "renew:\(trial.id):\($0)" }
        }
        #expect(charges.filter { $0.outcome == .approved }.map(\.chargeKey).sorted() == expected.sorted())
        #expect(Set(charges.compactMap { $0.amount?.minorUnits }) == [999])
    }

    /// Checks that periods are contiguous and unique, and that the last one has not ended.
    private static func expectTimeline(
        of trial: PaymentTransaction, until end: Timestamp, in store: StoreStack
    ) async throws {
        // The year may have passed before the kill, and the queue comes back while this is read.
        let timeline: SubscriptionTimeline = try await store.must(
            .GET, "/admin/v1/subscriptions/\(trial.id)/timeline"
        ).decoded()
        #expect(timeline.events.map(\.kind) == [.subscribed] + paidPeriods.map { _ in .renewed })
        #expect(timeline.events.map(\.period) == [0] + paidPeriods)
        for (one, next) in zip(timeline.events, timeline.events.dropFirst()) { #expect(one.expiresDate == next.at) }
        #expect(timeline.subscription.state == .subscribed)
        #expect(timeline.subscription.expiresDate > end)
    }
}
