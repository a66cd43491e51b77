/// Decides which notifications an event gives, without I/O.
public enum NotificationPolicy {
    /// A notification of an event.
    public struct Notification: Hashable, Sendable {
        public var type: NotificationType
        public var subtype: NotificationSubtype?
        /// The change it tells of.
        public var change: ServerEvent.Change

        init(_ type: NotificationType, _ subtype: NotificationSubtype?, _ change: ServerEvent.Change) {
            self.type = type
            self.subtype = subtype
            self.change = change
        }

        init(_ type: NotificationType, _ change: ServerEvent.Change) { self.init(type, nil, change) }
    }

    /// Returns the notifications of a commit, in order.
    public static func notifications(of changes: [ServerEvent.Change]) -> [Notification] {
        let kinds = Set(changes.map(\.kind))
        return changes.flatMap { change in notifications(of: change, among: kinds) }
    }

    private static func notifications(
        of change: ServerEvent.Change, among kinds: Set<ServerEvent.Kind>
    ) -> [Notification] {
        switch change.kind {
        case .purchased: [Notification(.oneTimeCharge, change)]
        case .subscribed: [Notification(.subscribed, .initialBuy, change)]
        case .resubscribed: [Notification(.subscribed, .resubscribe, change)]
        case .renewed: [Notification(.didRenew, change)]
        case .recovered: [Notification(.didRenew, .billingRecovery, change)]
        case .priceIncreasePending: [Notification(.priceIncrease, .pending, change)]
        case .priceIncreased: [Notification(.priceIncrease, .accepted, change)]
        case .upgraded, .crossgraded: [replacement(change)]
        case .changeScheduled: [Notification(.didChangeRenewalPref, .downgrade, change)]
        case .changeReverted: [Notification(.didChangeRenewalPref, change)]
        case .autoRenewDisabled: [Notification(.didChangeRenewalStatus, .autoRenewDisabled, change)]
        case .autoRenewEnabled: [Notification(.didChangeRenewalStatus, .autoRenewEnabled, change)]
        case .gracePeriodStarted: [Notification(.didFailToRenew, .gracePeriod, change)]
        case .gracePeriodExpired: [Notification(.gracePeriodExpired, change)]
        // The end of a grace period says it.
        case .billingRetryStarted: kinds.contains(.gracePeriodExpired) ? [] : [Notification(.didFailToRenew, change)]
        case .expired: [Notification(.expired, subtype(of: change.subscription?.subscription.expirationReason), change)]
        case .refunded:
            (change.endsRenewal == true
                ? [Notification(.didChangeRenewalStatus, .autoRenewDisabled, change)] : [])
                + [Notification(.refund, change)]
        case .revoked: [Notification(.revoke, change)]
        case .extended: [Notification(.renewalExtended, change)]
        case .extensionFailed: [Notification(.renewalExtension, .failure, change)]
        case .refundRequested: [Notification(.consumptionRequest, change)]
        case .refundDeclined: [Notification(.refundDeclined, change)]
        case .refundReversed: [Notification(.refundReversed, change)]
        }
    }

    /// Returns the notification of a purchase that takes the place of a period.
    private static func replacement(_ change: ServerEvent.Change) -> Notification {
        let offer = change.transaction.item.offer
        guard let offer, offer.type != .introductory else {
            return Notification(.didChangeRenewalPref, .upgrade, change)
        }
        switch change.level {
        case .some(.none): return Notification(.offerRedeemed, change)
        case .downgrade: return Notification(.offerRedeemed, .downgrade, change)
        case .upgrade, nil: return Notification(.offerRedeemed, .upgrade, change)
        }
    }

    private static func subtype(of reason: Subscription.ExpirationReason?) -> NotificationSubtype? {
        switch reason {
        case .cancelled: .voluntary
        case .billingError: .billingRetry
        case .priceIncreaseRefused: .priceIncrease
        case .productNotAvailable: .productNotForSale
        case .other, nil: nil
        }
    }
}
