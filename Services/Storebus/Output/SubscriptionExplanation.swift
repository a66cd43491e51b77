import StoreModels

/// Why a subscription stands where it stands, and why one of its transactions costs what it costs, from its timeline.
struct SubscriptionExplanation: Sendable {
    let timeline: SubscriptionTimeline

    init(_ timeline: SubscriptionTimeline) { self.timeline = timeline }

    var subscription: Subscription { timeline.subscription }
    private var events: [SubscriptionEvent] { timeline.events }

    private func last(_ kinds: Set<SubscriptionEvent.Kind>) -> SubscriptionEvent? {
        events.last { kinds.contains($0.kind) }
    }

    private func date(_ event: SubscriptionEvent?) -> String {
        event.map { Words.time($0.at) } ?? "a time nobody noted"
    }

    // MARK: Renewal

    /// One sentence without a full stop: why it renews, does not, or has ended.
    var because: String {
        switch subscription.state {
        case .subscribed: subscribed
        case .expired: expired
        case .inGracePeriod:
            "\(declined); access goes on for the grace period, to "
                + Words.time(subscription.gracePeriodExpiresDate ?? subscription.expiresDate)
                + ", and the charge is tried again"
        case .inBillingRetryPeriod:
            "\(declined); there is no access until the charge, which is tried again for up to 60 days, goes through"
        case .revoked:
            last([.refunded, .revoked]).map { "it was \($0.kind.rawValue) on \(Words.time($0.at))" }
                ?? "it was taken back"
        }
    }

    private var subscribed: String {
        guard subscription.willAutoRenew else {
            return "auto-renew is off since \(date(last([.autoRenewDisabled]))), so it ends with this period"
        }
        guard subscription.autoRenewProductIdentifier.isExactly(subscription.productIdentifier) else {
            return "a change was chosen on \(date(last([.changeScheduled]))), so the next renewal buys "
                + subscription.autoRenewProductIdentifier
        }
        if let increase = subscription.priceIncrease { return consent(increase) }
        return "auto-renew is on; it is renewed when the store's clock comes to \(Words.time(subscription.expiresDate))"
    }

    private func consent(_ increase: PriceIncrease) -> String {
        let price = "\(Words.price(increase.price)), up from \(Words.price(increase.formerPrice))"
        return switch increase.status {
        case .pending:
            "it was asked on \(date(last([.priceIncreasePending]))) whether it goes on for \(price); without consent it ends with this period"
        case .agreed: "\(price) was agreed to on \(date(last([.priceIncreaseAgreed]))), so it is renewed for that"
        case .declined: "\(price) was declined on \(date(last([.priceIncreaseDeclined]))), so it ends with this period"
        }
    }

    private var expired: String {
        switch subscription.expirationReason {
        case .cancelled:
            "auto-renew was off, since \(date(last([.autoRenewDisabled]))), when the period ended"
        case .billingError: "\(declined), and so was every try after it, for 60 days"
        case .priceIncreaseRefused: "the next period would have cost more, and the customer has not agreed"
        case .productNotAvailable: "the product was not for sale any more when the period ended"
        case .other, nil: "the store ended it on \(date(last([.expired])))" + detail
        }
    }

    private var detail: String { last([.expired])?.detail.map { ", \($0)" } ?? "" }

    /// `the charge of 9.99 USD was declined on 2026-12-28 10:00:04Z`
    private var declined: String {
        let first = firstDecline
        let price = first?.amount.map { " of \(Words.price($0))" } ?? ""
        return "the charge\(price) was declined on \(date(first))"
    }

    /// Of the present trouble: the first one behind the last period that was paid.
    private var firstDecline: SubscriptionEvent? {
        let start = events.lastIndex { $0.beginsPeriod } ?? 0
        return events[min(start, events.count)...].first { $0.kind == .billingFailed }
    }

    // MARK: Price

    /// Why the transaction's period costs what it costs; nil for one that began no period.
    func price(of transaction: PaymentTransaction) -> String? {
        if transaction.effectiveDate != nil {
            return "nothing: the change waits for the next renewal, which is charged"
        }
        guard
            let index = events.firstIndex(where: {
                $0.transactionIdentifier.isExactly(transaction.transactionIdentifier) && $0.beginsPeriod
            })
        else { return nil }
        let event = events[index]
        let amount = event.amount.map(Words.price) ?? "nothing"
        if let offer = event.offer { return "\(amount): the \(SubscriptionWords.offer(offer))" }
        let before = events[..<index].last { $0.beginsPeriod }
        switch event.kind {
        case .upgraded, .crossgraded:
            return "\(amount), the regular price: a subscriber of the group has no introductory offer"
        case .renewed, .recovered:
            guard let offer = before?.offer else { return "\(amount), what the product costs at the renewal" }
            return "\(amount), the regular price: the \(SubscriptionWords.offer(offer)) is over"
        default:
            let used = events[..<index].first { $0.offer?.type == .introductory }?.transactionIdentifier
            return "\(amount), the regular price: "
                + (used.map { "the group's introductory offer was used by \($0)" }
                    ?? "the product has no introductory offer, or the customer was not eligible")
        }
    }
}
