import ServiceDatabase
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

@Suite struct RequestFingerprintTests {
    private let payment = Payment(requestIdentifier: "key", productIdentifier: "coins", applicationUsername: "a")

    @Test func `the key itself plays no part, every other field does`() {
        var other = payment
        other.requestIdentifier = "another"
        #expect(RequestFingerprint.of(other) == RequestFingerprint.of(payment))
        let changes: [(inout Payment) -> Void] = [
            { $0.productIdentifier = "gold" }, { $0.quantity = 2 }, { $0.applicationUsername = "b" },
            { $0.applicationUsername = nil }, { $0.applicationUsername = "" }, { $0.appAccountToken = "a" },
            { $0.simulatesAskToBuyInSandbox = true }, { $0.intentIdentifier = "i" },
            {
                $0.paymentDiscount = PaymentDiscount(
                    identifier: "d", keyIdentifier: "k", nonce: "n", signature: "s", timestamp: 1)
            },
        ]
        let all = changes.map { change in
            var changed = payment
            change(&changed)
            return RequestFingerprint.of(changed)
        }
        #expect(Set(all + [RequestFingerprint.of(payment)]).count == changes.count + 1)
    }

    @Test func `text does not run from one field into the next`() {
        let left = Payment(
            requestIdentifier: "k", productIdentifier: "p", applicationUsername: "ab", appAccountToken: "c")
        let right = Payment(
            requestIdentifier: "k", productIdentifier: "p", applicationUsername: "a", appAccountToken: "bc")
        #expect(RequestFingerprint.of(left) != RequestFingerprint.of(right))
    }
}

@Suite struct CustomerKeyTests {
    @Test func `32 digits of SHA-256 over app, NUL, customer`() {
        // printf 'com.example.app\0c_1' | sha256sum
        #expect(
            CustomerKey.of(bundleId: "com.example.app", customerIdentifier: "c_1") == "e43fd27d6f0834895e1d597458ef4736"
        )
        #expect(
            CustomerKey.of(bundleId: "a", customerIdentifier: "bc")
                != CustomerKey.of(bundleId: "ab", customerIdentifier: "c"))
    }
}

@Suite struct PaymentValidationTests {
    private func code(_ change: (inout Payment) -> Void) -> StoreError? {
        var payment = Payment(requestIdentifier: "key", productIdentifier: "coins")
        change(&payment)
        do throws(StoreError) {
            try PaymentValidation.check(payment)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [(0, false), (1, true), (10, true), (11, false), (-1, false)])
    func `quantity is 1 to 10, else 422`(_ quantity: Int, _ isGood: Bool) {
        let error = code { $0.quantity = quantity }
        #expect((error == nil) == isGood)
        if let error { #expect(error.code == .requestInvalid && error.status == 422) }
    }

    @Test(arguments: [
        ("", false), ("k", true), (String(repeating: "k", count: 255), true), ("é", false), ("a\n", false),
        ("a b~", true),
    ])
    func `a key is 1 to 255 printable ASCII characters`(_ key: String, _ isGood: Bool) {
        #expect(code { $0.requestIdentifier = key }?.code == (isGood ? nil : .idempotencyKeyInvalid))
        #expect(code { $0.requestIdentifier = String(repeating: "k", count: 256) }?.code == .idempotencyKeyInvalid)
    }

    @Test(arguments: [("", false), ("i_1", true), (String(repeating: "i", count: 1021), false)])
    func `an intent is named in 1 to 1020 bytes`(_ intent: String, _ isGood: Bool) {
        #expect(code { $0.intentIdentifier = intent }?.code == (isGood ? nil : .requestInvalid))
    }

    @Test func `members have bounds`() {
        #expect(
            code { $0.applicationUsername = String(repeating: "u", count: 4097) }?.details["path"]
                == .string("$.applicationUsername"))
        #expect(code { $0.productIdentifier = "" }?.code == .requestInvalid)
    }
}

@Suite struct AppClockTests {
    @Test(arguments: [1, 333_333, AppClock.realTime, 2_592_000_000_000] as [Int64])
    func `a clock reaches an instant at the first wall time that shows it`(_ rate: Int64) {
        var clock = AppClock.started(at: Timestamp(milliseconds: 1_000))
        clock.anchorBusiness = Timestamp(milliseconds: 50_000)
        clock.rateMillionths = rate
        for ahead in [1, 2, 999, 86_400_000] as [Int64] {
            let instant = Timestamp(milliseconds: 50_000 + ahead)
            guard let wall = clock.wall(reaching: instant, from: Timestamp(milliseconds: 1_000)) else {
                Issue.record("not reached")
                continue
            }
            #expect(clock.now(wall: wall) >= instant)
            #expect(clock.now(wall: Timestamp(milliseconds: wall.milliseconds - 1)) < instant)
            #expect(clock.wall(reaching: instant, from: wall + .seconds(1)) == wall + .seconds(1))
        }
        clock.isFrozen = true
        #expect(clock.wall(reaching: Timestamp(milliseconds: 50_001), from: Timestamp(milliseconds: 9_000)) == nil)
        #expect(
            clock.wall(reaching: Timestamp(milliseconds: 50_000), from: Timestamp(milliseconds: 9_000))
                == Timestamp(milliseconds: 9_000))
    }

    @Test func `rate one is the wall clock, zero is frozen, any other runs from its anchors`() {
        var clock = AppClock.started(at: Timestamp(milliseconds: 1000))
        #expect(clock.now(wall: Timestamp(milliseconds: 5000)) == Timestamp(milliseconds: 5000))
        #expect(clock.now(wall: Timestamp(milliseconds: 500)) == Timestamp(milliseconds: 500))
        clock.rateMillionths = 0
        #expect(clock.now(wall: Timestamp(milliseconds: 9000)) == Timestamp(milliseconds: 1000))
        // A month in thirty seconds.
        clock.rateMillionths = 86_400 * 1_000_000
        #expect(clock.now(wall: Timestamp(milliseconds: 31_000)) == Timestamp(milliseconds: 1000 + 30_000 * 86_400))
    }
}

@Suite struct IdentifiersTests {
    @Test func `prompts are numbered in identifiers that sort as they came`() {
        let numbers: [Int64] = [0, 1, 31, 32, 1_023, 1 << 32, .max]
        let identifiers = numbers.map { Identifiers.prompt($0) }
        #expect(identifiers == identifiers.sorted())
        #expect(Set(identifiers).count == identifiers.count)
    }

    @Test func `what clients see tells kinds apart by the beginning`() {
        var random = SplitMix64(seed: 1)
        let wall = Timestamp(milliseconds: 1_795_000_000_000)
        let made = [
            "t_": Identifiers.transaction(wall: wall, random: &random),
            "r_": Identifiers.restore(wall: wall, random: &random),
            "a_": Identifiers.advance(wall: wall, random: &random),
            "e_": Identifiers.event(EventPosition(transaction: 7, row: 8)),
        ]
        for (prefix, identifier) in made {
            #expect(identifier.hasPrefix(prefix))
            #expect(identifier.utf8.count == 28)
        }
        func position(_ identifier: String) -> EventPosition? {
            EventPosition(identifier, prefix: Identifiers.eventPrefix)
        }
        #expect(made["e_"].flatMap(position) == EventPosition(transaction: 7, row: 8))
        #expect(made["t_"].flatMap(position) == nil)
        #expect(Identifiers.customer(random: &random).utf8.count == 26)
    }
}

@Suite struct ChargeReplyTests {
    private func charge(_ outcome: Charge.Outcome, _ amount: Money?) -> Charge {
        Charge(
            chargeKey: "k", chargeIdentifier: "1", outcome: outcome, amount: amount,
            createdAt: Timestamp(milliseconds: 0))
    }

    @Test func `only an approval of the agreed amount is a purchase`() {
        #expect(ChargeReply(charge(.approved, .usd("1.99")), expected: .usd("1.99")) == .approved)
        #expect(
            ChargeReply(charge(.approved, .usd("1.98")), expected: .usd("1.99")) == .mismatch(charged: .usd("1.98")))
        #expect(ChargeReply(charge(.approved, nil), expected: .usd("1.99")) == .mismatch(charged: nil))
    }

    @Test func `declined is error 0, cancelled error 2`() {
        guard case .failed(let declined) = ChargeReply(charge(.declined, .usd("1.99")), expected: .usd("1.99")),
            case .failed(let cancelled) = ChargeReply(charge(.cancelled, nil), expected: .usd("1.99"))
        else {
            Issue.record("both are failures")
            return
        }
        #expect(declined.code == 0)
        #expect(cancelled.code == 2)
    }
}
