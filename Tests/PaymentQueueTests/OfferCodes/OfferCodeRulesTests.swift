import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a code is refused for what is wrong with it, and its request for what is wrong with that.
@Suite struct OfferCodeRulesTests {
    private let now = Timestamp(milliseconds: 1_795_000_000_000)

    private func code(_ change: (inout OfferCode) -> Void = { _ in }) -> OfferCode {
        with(
            OfferCode(
                codeIdentifier: "o_1", kind: .custom, code: "SPRING26", productIdentifier: "star.monthly",
                offer: "HALF",
                redemptionsMax: 2, redemptions: 1, isActive: true, createdAt: now), change)
    }

    private func refusal(
        of code: OfferCode, isSpent: Bool = false, hasRedeemed: Bool = false
    ) throws -> StoreErrorCode? {
        let stored = StoredOfferCode(code: code, isSpent: isSpent)
        guard let failure = OfferCodeRules.refusal(of: stored, hasRedeemed: hasRedeemed, now: now) else { return nil }
        #expect(failure.name == "ineligibleForOffer")
        return try #require(OfferCodeRules.error(of: failure)).code
    }

    @Test func `a code that is active, below its limit and not over is redeemed`() throws {
        let ending = code { $0.expiresAt = Timestamp(milliseconds: 1_795_000_000_001) }
        #expect(try refusal(of: code()) == nil)
        #expect(try refusal(of: ending) == nil)
    }

    @Test func `each reason has its error, and a customer's own redemption comes first`() throws {
        let full = code { $0.redemptions = 2 }
        let over = code { $0.expiresAt = Timestamp(milliseconds: 1_795_000_000_000) }
        let inactive = code { $0.isActive = false }
        #expect(try refusal(of: full) == .codeSpent)
        #expect(try refusal(of: code(), isSpent: true) == .codeSpent)
        #expect(try refusal(of: over) == .codeExpired)
        #expect(try refusal(of: inactive) == .codeExpired)
        #expect(try refusal(of: full, hasRedeemed: true) == .codeRedeemed)
        let gone = try #require(OfferCodeRules.refusal(of: nil, hasRedeemed: false, now: now))
        #expect(OfferCodeRules.error(of: gone)?.code == .codeExpired)
    }

    @Test func `the failure of a purchase is no refusal of its code`() {
        #expect(OfferCodeRules.error(of: TransactionError(.paymentCancelled, "no")) == nil)
        #expect(OfferCodeRules.error(of: RequestedOfferPolicy.ineligible) == nil)
        #expect(OfferCodeRules.error(of: RequestedOfferPolicy.codeIneligible)?.code == .codeIneligible)
    }

    @Test func `case does not count, and the digest is SHA-256`() {
        #expect(OfferCodeRules.digest(of: "spring26") == OfferCodeRules.digest(of: "SPRING26"))
        #expect(OfferCodeRules.digest(of: "SPRING26") != OfferCodeRules.digest(of: "SPRING27"))
        #expect(OfferCodeRules.digest(of: "ABC") == "b5d4045c3f466fa91fe2cc6abe79232a1a57cdf104f7a26e716e0a1e2789df78")
    }

    @Test func `one-time codes are 16 letters and digits, all different`() {
        var random = SplitMix64.seeded()
        let codes = (0..<1_000).map { _ in OfferCodeRules.oneTimeCode(&random) }
        #expect(Set(codes).count == codes.count)
        let wrong = codes.filter { $0.utf8.count != 16 || $0 != $0.uppercased() }
        #expect(wrong.isEmpty)
    }

    // MARK: Requests

    private func path(
        code: String? = nil, limit: Int? = nil, count: Int? = nil, days: Int? = nil
    ) -> String? {
        do {
            try NewOfferCode(
                productIdentifier: "star.monthly", offer: "HALF", code: code, redemptionsMax: limit, count: count,
                expiresInDays: days
            ).check()
            return nil
        } catch {
            return error.details["path"]?.stringValue
        }
    }

    @Test func `a word has letters and digits and a limit, and perhaps an end`() {
        #expect(path(code: "SPRING26", limit: 1) == nil)
        #expect(path(code: String(repeating: "a", count: 64), limit: 1_000_000, days: 3_650) == nil)
        for word in ["", "SPRING 26", "SPRING-26", "ÉTÉ", String(repeating: "a", count: 65)] {
            #expect(path(code: word, limit: 1) == "$.code")
        }
        #expect(path(code: "A") == "$.redemptionsMax")
        for limit in [0, -1, 1_000_001] { #expect(path(code: "A", limit: limit) == "$.redemptionsMax") }
        for days in [0, 3_651] { #expect(path(code: "A", limit: 1, days: days) == "$.expiresInDays") }
    }

    @Test func `a batch has 1 to 25000 codes and an end within half a year`() {
        #expect(path(count: 1, days: 1) == nil)
        #expect(path(count: 25_000, days: 183) == nil)
        for count in [0, -1, 25_001] { #expect(path(count: count, days: 1) == "$.count") }
        #expect(path(count: 1) == "$.expiresInDays")
        for days in [0, 184] { #expect(path(count: 1, days: days) == "$.expiresInDays") }
        #expect(path(limit: 1, count: 1, days: 1) == "$.redemptionsMax")
        #expect(path() == "$.code")
        #expect(path(code: "A", limit: 1, count: 1, days: 1) == "$.count")
    }
}
