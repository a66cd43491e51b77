import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: what goes back is never more than was paid (P10), nor more than is unused.
@Suite struct RefundRulesTests {
    private func unused(_ paid: Int64, _ start: Int64, _ end: Int64, _ now: Int64) -> Int64 {
        RefundRules.unused(
            of: paid, start: Timestamp(milliseconds: start), end: Timestamp(milliseconds: end),
            now: Timestamp(milliseconds: now))
    }

    @Test func `half a month before its end half of the price goes back, rounded down`() {
        #expect(unused(999, 0, 30, 15) == 499)
        #expect(unused(999, 0, 30, 30) == 0)
        #expect(unused(999, 0, 30, 0) == 999)
        #expect(unused(1, 0, 30, 1) == 0)
        #expect(unused(0, 0, 30, 15) == 0)
    }

    @Test func `a clock behind the period's beginning gives all of it back and no more, one behind its end nothing`() {
        #expect(unused(999, 10, 40, 5) == 999)
        #expect(unused(999, 10, 40, 99) == 0)
        #expect(unused(999, 10, 10, 10) == 0)
    }

    @Test func `the largest price over the longest period does not overflow`() {
        #expect(unused(.max, 0, 4_000_000_000_000, 0) == .max)
        #expect(unused(.max, 0, 4_000_000_000_000, 2_000_000_000_000) == .max / 2)
    }

    @Test func `P10 over random periods: between nothing and the price, and never growing with time`() {
        var random = SplitMix64.seeded()
        for _ in 0..<2_000 {
            let (paid, start) = (
                Int64.random(in: 0...1_000_000, using: &random), Int64.random(in: 0...9, using: &random)
            )
            let end = start + Int64.random(in: 1...40_000_000_000, using: &random)
            var before = paid
            for now in (0..<5).map({ _ in Int64.random(in: start...end + 5, using: &random) }).sorted() {
                let part = unused(paid, start, end, now)
                #expect((0...before).contains(part))
                before = part
            }
            let refunded = Int64.random(in: 0...2_000_000, using: &random)
            #expect(RefundRules.left(of: paid, refunded: refunded) == max(0, paid - refunded))
        }
    }
}
