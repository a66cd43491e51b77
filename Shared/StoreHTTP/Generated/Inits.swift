// Written by scripts/wire, which renews it: memberwise initialisers of structs that other modules create.
// swift-format-ignore-file

import StoreModels

extension AppAccountTokenBody {
    @_disfavoredOverload
    package init(appAccountToken: borrowing String? = nil) {
        self.init(appAccountToken: copy appAccountToken)
    }
}

extension ConsumptionBody {
    @_disfavoredOverload
    package init(
        customerConsented: borrowing Bool? = nil, consumptionPercentage: Int? = nil, deliveryStatus: String? = nil,
        refundPreference: String? = nil, sampleContentProvided: Bool? = nil
    ) {
        self.init(
            customerConsented: copy customerConsented, consumptionPercentage: consumptionPercentage,
            deliveryStatus: deliveryStatus, refundPreference: refundPreference,
            sampleContentProvided: sampleContentProvided)
    }
}

extension ConsumptionBodyV1 {
    @_disfavoredOverload
    package init(
        customerConsented: borrowing Bool? = nil, consumptionStatus: Int? = nil, platform: Int? = nil,
        sampleContentProvided: Bool? = nil, deliveryStatus: Int? = nil, appAccountToken: String? = nil,
        accountTenure: Int? = nil, playTime: Int? = nil, lifetimeDollarsRefunded: Int? = nil,
        lifetimeDollarsPurchased: Int? = nil, userStatus: Int? = nil, refundPreference: Int? = nil
    ) {
        self.init(
            customerConsented: copy customerConsented, consumptionStatus: consumptionStatus, platform: platform,
            sampleContentProvided: sampleContentProvided, deliveryStatus: deliveryStatus,
            appAccountToken: appAccountToken, accountTenure: accountTenure, playTime: playTime,
            lifetimeDollarsRefunded: lifetimeDollarsRefunded, lifetimeDollarsPurchased: lifetimeDollarsPurchased,
            userStatus: userStatus, refundPreference: refundPreference)
    }
}

extension ContractInfo.SecurityScheme {
    @_disfavoredOverload
    package init(name: borrowing String, schema: Schema) {
        self.init(name: copy name, schema: schema)
    }
}

extension ExtendRenewalDateBody {
    @_disfavoredOverload
    package init(extendByDays: borrowing Int? = nil, extendReasonCode: Int? = nil, requestIdentifier: String? = nil) {
        self.init(
            extendByDays: copy extendByDays, extendReasonCode: extendReasonCode, requestIdentifier: requestIdentifier)
    }
}

extension MassExtendRenewalDateBody {
    @_disfavoredOverload
    package init(
        extendByDays: borrowing Int? = nil, extendReasonCode: Int? = nil, requestIdentifier: String? = nil,
        storefrontCountryCodes: [String]? = nil, productId: String? = nil
    ) {
        self.init(
            extendByDays: copy extendByDays, extendReasonCode: extendReasonCode, requestIdentifier: requestIdentifier,
            storefrontCountryCodes: storefrontCountryCodes, productId: productId)
    }
}

extension NotificationHistoryBody {
    @_disfavoredOverload
    package init(
        startDate: borrowing Int64? = nil, endDate: Int64? = nil, notificationType: String? = nil,
        notificationSubtype: String? = nil, transactionId: String? = nil, originalTransactionId: String? = nil,
        onlyFailures: Bool? = nil
    ) {
        self.init(
            startDate: copy startDate, endDate: endDate, notificationType: notificationType,
            notificationSubtype: notificationSubtype, transactionId: transactionId,
            originalTransactionId: originalTransactionId, onlyFailures: onlyFailures)
    }
}

extension StreamedEvent {
    @_disfavoredOverload
    package init(name: borrowing String, data: Schema, id: Schema?) {
        self.init(name: copy name, data: data, id: id)
    }
}

extension TypeSchema {
    @_disfavoredOverload
    package init(
        extent: borrowing Extent, keywords: Schema, members: [String: Schema], required: [String],
        including: [any (Decodable & Sendable).Type]
    ) {
        self.init(extent: copy extent, keywords: keywords, members: members, required: required, including: including)
    }
}
