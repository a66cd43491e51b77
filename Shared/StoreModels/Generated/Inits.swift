// Written by scripts/wire, which renews it: memberwise initialisers of structs that other modules create.
// swift-format-ignore-file

extension CustomerChangeOf {
    @_disfavoredOverload
    public init(
        bundleId: borrowing String, customerIdentifier: String, seq: Int64, kind: CustomerChangeKind,
        transaction: Item? = nil, restore: Restore? = nil, downloads: [Download]? = nil,
        productIdentifiers: [String]? = nil, deviceId: String? = nil
    ) {
        self.init(
            bundleId: copy bundleId, customerIdentifier: customerIdentifier, seq: seq, kind: kind,
            transaction: transaction, restore: restore, downloads: downloads, productIdentifiers: productIdentifiers,
            deviceId: deviceId)
    }
}

extension NotificationClaims.Data {
    @_disfavoredOverload
    public init(
        appAppleId: borrowing Int64? = nil, bundleId: String, bundleVersion: String? = nil, environment: String,
        signedTransactionInfo: String? = nil, signedRenewalInfo: String? = nil, status: Int? = nil,
        consumptionRequestReason: String? = nil
    ) {
        self.init(
            appAppleId: copy appAppleId, bundleId: bundleId, bundleVersion: bundleVersion, environment: environment,
            signedTransactionInfo: signedTransactionInfo, signedRenewalInfo: signedRenewalInfo, status: status,
            consumptionRequestReason: consumptionRequestReason)
    }
}

extension OfferCodePolicy.Decision {
    @_disfavoredOverload
    public init(isEligible: borrowing Bool, audience: RedeemableOffer.Audience) {
        self.init(isEligible: copy isEligible, audience: audience)
    }
}

extension PromotionalOfferPolicy.Decision {
    @_disfavoredOverload
    public init(isEligible: borrowing Bool, rule: PromotionalOfferPolicy.Rule) {
        self.init(isEligible: copy isEligible, rule: rule)
    }
}

extension StrictJSONError {
    @_disfavoredOverload
    public init(offset: borrowing Int, path: String, reason: String) {
        self.init(offset: copy offset, path: path, reason: reason)
    }
}

extension WinBackOfferPolicy.Decision {
    @_disfavoredOverload
    public init(rule: borrowing WinBackOfferPolicy.Rule) {
        self.init(rule: copy rule)
    }
}
