import StoreModels

/// What a timeline comes to in one currency. A customer's storefront may change, so there can be several.
struct TimelineSum: Hashable, Sendable {
    var currency: Currency
    var chargeCount = 0
    var charged: Int64 = 0
    var givenBack: Int64 = 0

    /// In the order in which the currencies occur.
    static func sums(of events: [SubscriptionEvent]) -> [TimelineSum] {
        var sums: [TimelineSum] = []
        for event in events {
            guard let amount = event.amount, amount.minorUnits > 0, let movement = event.movement else { continue }
            let index =
                sums.firstIndex { $0.currency == amount.currency }
                ?? {
                    sums.append(TimelineSum(currency: amount.currency))
                    return sums.count - 1
                }()
            switch movement {
            case .charge:
                sums[index].chargeCount += 1
                sums[index].charged += amount.minorUnits
            case .back: sums[index].givenBack += amount.minorUnits
            }
        }
        return sums
    }

    private func money(_ units: Int64) -> Money { Money(minorUnits: units, currency: currency) }

    /// `29.97 USD in 3 charges, 4.12 USD given back, 25.85 USD kept`
    var words: String {
        let charges = "\(Words.price(money(charged))) in \(Words.count(chargeCount, "charge"))"
        guard givenBack > 0 else { return charges }
        return
            "\(charges), \(Words.price(money(givenBack))) given back, \(Words.price(money(charged - givenBack))) kept"
    }

    /// `{"charges":3,"charged":{…},"givenBack":{…},"kept":{…}}`
    var json: JSONValue {
        [
            "charges": .integer(chargeCount), "charged": JSONText.value(money(charged)),
            "givenBack": JSONText.value(money(givenBack)), "kept": JSONText.value(money(charged - givenBack)),
        ]
    }
}

extension SubscriptionEvent {
    fileprivate enum Movement { case charge, back }

    /// Which way the amount went; nil for what was only asked for or announced.
    fileprivate var movement: Movement? {
        switch kind {
        case .subscribed, .resubscribed, .renewed, .recovered, .upgraded, .crossgraded: .charge
        case .refunded, .refundedProrated: .back
        case .billingFailed, .gracePeriodStarted, .billingRetryStarted, .gracePeriodExpired, .expired,
            .autoRenewDisabled, .autoRenewEnabled, .changeScheduled, .changeReverted, .revoked, .extended,
            .priceChanged, .groupChanged, .priceIncreasePending, .priceIncreaseAgreed, .priceIncreaseDeclined,
            .priceIncreaseWithdrawn:
            nil
        }
    }
}
