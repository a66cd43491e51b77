import StoreModels
import Testing

@testable import AppStoreServer

/// `pending_renewal_info` in each state a subscription can be in.
@Suite struct RenewalFieldsTests {
    private func fields(_ change: (inout Subscription) -> Void) -> [String: String] {
        var subscription = Sample.subscription
        change(&subscription)
        return (RenewalFields.json(subscription).objectValue ?? [:]).compactMapValues(\.stringValue)
    }

    private var always: [String: String] {
        [
            "product_id": Sample.pro.productIdentifier, "auto_renew_product_id": Sample.pro.productIdentifier,
            "original_transaction_id": "1000000001", "subscription_group_identifier": "g1", "auto_renew_status": "1",
        ]
    }

    private func expect(_ found: [String: String], _ more: [String: String]) {
        #expect(found == always.merging(more) { $1 })
    }

    @Test func `subscribed, with and without a change to come`() {
        expect(fields { _ in }, [:])
        expect(fields { $0.willAutoRenew = false }, ["auto_renew_status": "0"])
        expect(
            fields { $0.autoRenewProductIdentifier = "com.example.basic" },
            ["auto_renew_product_id": "com.example.basic"])
    }

    @Test func `billing retry and grace (M127)`() {
        expect(
            fields { $0.state = .inBillingRetryPeriod }, ["is_in_billing_retry_period": "1", "expiration_intent": "2"])
        let grace = fields {
            $0.state = .inGracePeriod
            $0.gracePeriodExpiresDate = Timestamp(milliseconds: 1_800_000_000_999)
        }
        expect(
            grace,
            [
                "is_in_billing_retry_period": "1", "expiration_intent": "2",
                "grace_period_expires_date": "2027-01-15 08:00:00 Etc/GMT",
                "grace_period_expires_date_ms": "1800000000000",
                "grace_period_expires_date_pst": "2027-01-15 00:00:00 America/Los_Angeles",
            ])
    }

    @Test(arguments: zip(Subscription.ExpirationReason.allCases, ["1", "2", "3", "4", "5"]))
    func `expired, with Apple's number of the reason`(reason: Subscription.ExpirationReason, intent: String) {
        let found = fields {
            $0.state = .expired
            $0.willAutoRenew = false
            $0.expirationReason = reason
        }
        expect(
            found,
            ["auto_renew_status": "0", "is_in_billing_retry_period": "0", "expiration_intent": intent])
    }

    @Test(arguments: zip(PriceIncrease.Status.allCases, ["0", "1", "0"]))
    func `a higher price says whether it was agreed to`(status: PriceIncrease.Status, digit: String) {
        let price = Sample.pro.price
        let found = fields { $0.priceIncrease = PriceIncrease(status: status, price: price, formerPrice: price) }
        expect(found, ["price_consent_status": digit, "price_increase_status": digit])
    }

    @Test func `offers by name, of the kinds Apple has a member for`() {
        for (kind, member) in [
            (AppliedOffer.Kind.subscription, "promotional_offer_id"), (.code, "offer_code_ref_name"),
        ] {
            let found = fields { $0.offer = AppliedOffer(type: kind, paymentMode: .payUpFront, identifier: "spring") }
            expect(found, [member: "spring"])
        }
        expect(fields { $0.offer = AppliedOffer(type: .introductory, paymentMode: .freeTrial) }, [:])
    }

    @Test(arguments: [
        // The hours at which California's clocks change in 2026.
        (1_772_963_999_000, "2026-03-08 01:59:59"), (1_772_964_000_000, "2026-03-08 03:00:00"),
        (1_793_523_599_000, "2026-11-01 01:59:59"), (1_793_523_600_000, "2026-11-01 01:00:00"),
    ])
    func `California's summer time`(milliseconds: Int64, expected: String) {
        var fields = AppleObject()
        fields.set("date", Timestamp(milliseconds: milliseconds))
        #expect(fields["date_pst"]?.stringValue == "\(expected) America/Los_Angeles")
        #expect(fields["date_ms"]?.stringValue == "\(milliseconds)")
    }
}
