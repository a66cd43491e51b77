import StoreModels

extension TriggerNotificationBody: CheckedBody {
    /// Whether nothing in the store brings it about, or nothing is to.
    package var isOnlySent: Bool {
        switch notificationType {
        // A TEST's cause is the request for it, and the store has no state that the other two could tell of.
        case .test, .externalPurchaseToken, .rescindConsent: true
        default: onlySend == true
        }
    }

    /// Whether it is about something that a customer has bought.
    package var isAboutPurchase: Bool {
        switch notificationType {
        case .test, .externalPurchaseToken, .rescindConsent: false
        default: true
        }
    }

    /// The types of products that it can be about. Nil for all.
    package var products: [ProductType]? {
        switch notificationType {
        case .subscribed, .didRenew, .didChangeRenewalPref, .didChangeRenewalStatus, .offerRedeemed, .expired,
            .didFailToRenew, .gracePeriodExpired, .priceIncrease, .renewalExtended, .renewalExtension:
            [.autoRenewable]
        case .oneTimeCharge: [.consumable, .nonConsumable, .nonRenewable]
        default: nil
        }
    }

    /// Selects the transactions that it can be about.
    package var filter: ServerTransactionFilter {
        var filter = ServerTransactionFilter()
        filter.types = products
        return filter
    }

    package func isAbout(_ type: ProductType) -> Bool { isAboutPurchase && products?.contains(type) ?? true }

    /// The noun for its object, in an error.
    package var object: String {
        guard isAboutPurchase else { return "needed" }
        guard let products else { return "transaction" }
        return products == [.autoRenewable] ? "subscription" : "transaction outside subscriptions"
    }

    package func validate() throws(StoreError) {
        switch notificationType {
        case .priceChange, .metadataUpdate, .migration:
            throw .invalid(
                "$.notificationType",
                "\(notificationType.rawValue) belongs to Advanced Commerce, which this store does not have", status: 422
            )
        default: break
        }
        let allowed = notificationType.subtypes
        guard allowed.contains(subtype) else {
            let names = allowed.map { $0?.rawValue ?? "none" }.joined(separator: ", ")
            throw .invalid("$.subtype", "of \(notificationType.rawValue) must be one of: \(names)")
        }
        if let account { try Self.check(IdentifierRule.account.fault(in: account), at: "$.account") }
        if let productIdentifier {
            guard !isOnlySent else {
                throw .invalid("$.productIdentifier", "must be left out: a notification that is only sent buys nothing")
            }
            try Self.check(IdentifierRule.product.fault(in: productIdentifier), at: "$.productIdentifier")
        }
        guard isOnlySent || set == nil else { throw Self.onlySent("$.set") }
        guard isOnlySent || self.break == nil else { throw Self.onlySent("$.break") }
        if let of {
            guard isAboutPurchase else {
                throw .invalid("$.of", "must be left out: a \(notificationType.rawValue) is about no transaction")
            }
            try Self.check(IdentifierRule.fault(in: of, lengthMax: Self.identifierLengthMax), at: "$.of")
        }
        let isAboutNoCustomer = !isAboutPurchase || notificationType == .renewalExtension && subtype == .summary
        guard !isOnlySent || isAboutNoCustomer || account != nil || of != nil else {
            throw .invalid(
                "$.account", "is missing: a \(notificationType.rawValue) is about an account's purchase")
        }
    }

    /// Maximum length of an identifier, in characters, as of any text from clients that has no other limit.
    private static let identifierLengthMax = 255

    private static func check(_ fault: String?, at path: String) throws(StoreError) {
        if let fault { throw .invalid(path, fault) }
    }

    private static func onlySent(_ path: String) -> StoreError {
        .invalid(
            path, "changes only a notification without an event; add onlySend")
    }
}
