import BusService
import StoreHTTP
import StoreModels

extension AppleServer {
    /// The App Store Server API's part that changes something: extensions, tokens, consumption, finishing.
    var serverWriteRoutes: [ServerRoute] {
        [
            ServerRoute(AppStoreServerRoutes.extend) { [self] in try await extendRenewalDate($0) },
            ServerRoute(AppStoreServerRoutes.extendAll) { [self] in try await extendRenewalDates($0) },
            ServerRoute(AppStoreServerRoutes.extensions) { [self] in try await renewalDateExtensions($0) },
            ServerRoute(reply: AppStoreServerRoutes.appAccountToken) { [self] in try await setAppAccountToken($0) },
            ServerRoute(reply: AppStoreServerRoutes.consumption) { [self] call in
                try await consume(call, of: ProductType.allCases) { body in
                    try call.decode(ConsumptionBody.self, from: body, else: ConsumptionBody.errors).check()
                }
            },
            ServerRoute(reply: AppStoreServerRoutes.consumptionV1) { [self] call in
                try await consume(call, of: [.consumable, .autoRenewable]) { body in
                    try call.decode(ConsumptionBodyV1.self, from: body, else: ConsumptionBodyV1.errors).check()
                }
            },
            ServerRoute(reply: AppStoreServerRoutes.finish) { [self] in try await finishTransaction($0) },
        ]
    }

    // MARK: Extensions

    private func extendRenewalDate(_ call: ServerCall) async throws -> ExtendRenewalDateResponse {
        let app = try call.app(else: .originalTransactionIdNotFound)
        let identifier = try call.originalTransactionId()
        let body = try call.serverBody(ExtendRenewalDateBody.self, else: ExtendRenewalDateBody.errors)
        let (days, requestIdentifier) = try body.checked()
        let request = ExtendSubscriptionRequest(
            bundleId: app.bundleId, originalTransactionIdentifier: identifier, days: days,
            requestIdentifier: requestIdentifier)
        let reply = try await server(
            ServerAPIEndpoints.extend, request, call, [.notFound: .originalTransactionIdNotFound])
        switch reply.outcome {
        case .extended: break
        case .ineligible: throw ServerAPIError.subscriptionExtensionIneligible
        case .exhausted: throw ServerAPIError.subscriptionMaxExtension
        case .familyShared: throw ServerAPIError.familySharedSubscriptionExtensionIneligible
        }
        return ExtendRenewalDateResponse(
            originalTransactionId: identifier, webOrderLineItemId: reply.webOrderLineItemIdentifier, success: true,
            effectiveDate: reply.effectiveDate?.milliseconds)
    }

    private func extendRenewalDates(_ call: ServerCall) async throws -> MassExtendRenewalDateResponse {
        let app = try call.app()
        let body = try call.serverBody(MassExtendRenewalDateBody.self, else: MassExtendRenewalDateBody.errors)
        let (days, requestIdentifier, productId) = try body.checked()
        if let codes = body.storefrontCountryCodes {
            let known = await storefronts.all(call.context)
            guard codes.allSatisfy({ known[ExactText($0)] != nil }) else {
                throw ServerAPIError.invalidStorefrontCountryCode
            }
        }
        guard try await isSubscription(productId, of: app, call) else { throw ServerAPIError.invalidProductId }
        let made = try await server(
            ServerAPIEndpoints.extendAll,
            ExtendSubscriptionsRequest(
                bundleId: app.bundleId, productIdentifier: productId, storefronts: body.storefrontCountryCodes,
                days: days, requestIdentifier: requestIdentifier),
            call, [.requestInvalid: .invalidRequestIdentifier])
        return MassExtendRenewalDateResponse(requestIdentifier: made.requestIdentifier)
    }

    /// Tells whether an app has an auto-renewable subscription, for sale or not.
    private func isSubscription(_ productId: String, of app: ServerApp, _ call: ServerCall) async throws -> Bool {
        var request = SubscriptionProductsRequest(bundleId: app.bundleId, storefront: Self.anyStorefront)
        repeat {
            let page = try await services.call(CatalogEndpoints.listSubscriptions, request, for: call)
            if page.subscriptions.contains(where: { $0.productIdentifier.isExactly(productId) }) { return true }
            request.after = page.after
        } while request.after != nil
        return false
    }

    /// Where a request has to name a storefront and the answer does not depend on it.
    private static let anyStorefront = "USA"

    private func renewalDateExtensions(_ call: ServerCall) async throws -> MassExtendRenewalDateStatusResponse {
        let app = try call.app(else: .statusRequestNotFound)
        let requestIdentifier = try call.parameter(.requestIdentifier)
        guard ExtendRenewalDateBody.isRequestIdentifier(requestIdentifier) else {
            throw ServerAPIError.invalidRequestIdentifier
        }
        let request = SubscriptionExtensionsRequest(
            bundleId: app.bundleId, productIdentifier: try call.parameter(.productId),
            requestIdentifier: requestIdentifier)
        return MassExtendRenewalDateStatusResponse(
            try await server(ServerAPIEndpoints.extensions, request, call, [.notFound: .statusRequestNotFound]))
    }

    // MARK: One purchase

    private func setAppAccountToken(_ call: ServerCall) async throws -> ServerReply {
        let app = try call.app()
        let identifier = try call.originalTransactionId(else: .invalidTransactionId)
        let body = try call.serverBody(
            AppAccountTokenBody.self, else: ["$.appAccountToken": .invalidAppAccountTokenUUID])
        guard let token = body.appAccountToken.flatMap(AppAccountToken.init) else {
            throw ServerAPIError.invalidAppAccountTokenUUID
        }
        _ = try await server(
            ServerAPIEndpoints.setAppAccountToken,
            SetAppAccountTokenRequest(
                bundleId: app.bundleId, originalTransactionIdentifier: identifier, appAccountToken: token.text),
            call,
            [
                .notFound: .transactionIdNotFound, .requestInvalid: .transactionIdNotOriginal,
                .transactionStateInvalid: .familyTransactionNotSupported,
            ])
        return .empty(200)
    }

    /// Takes a server's report of a purchase's consumption, after `check` has read the body.
    private func consume(
        _ call: ServerCall, of types: [ProductType], check: ([UInt8]) throws -> Void
    ) async throws -> ServerReply {
        let app = try call.app()
        let identifier = try call.transactionId()
        let body = call.bodyBytes()
        try check(body)
        let found = try await lookup(identifier, app, call)
        guard let transaction = found.transaction else { throw ServerAPIError.appTransactionIdNotSupported }
        guard types.contains(transaction.item.type) else { throw ServerAPIError.transactionTypeNotSupported }
        _ = try await server(
            ServerAPIEndpoints.consumption,
            ConsumptionInformation(
                bundleId: app.bundleId, transactionIdentifier: identifier, consumption: try StrictJSON.parse(body)),
            call, [.notFound: .transactionIdNotFound])
        return .empty(202)
    }

    private func finishTransaction(_ call: ServerCall) async throws -> ServerReply {
        let app = try call.app()
        let identifier = try call.transactionId()
        let found = try await lookup(identifier, app, call)
        guard found.transaction != nil else { throw ServerAPIError.appTransactionIdNotSupported }
        _ = try await server(
            PaymentEndpoints.finishTransaction,
            TransactionRequest(
                bundleId: app.bundleId, customerIdentifier: found.customerIdentifier, deviceId: Self.serverDevice,
                id: identifier),
            call, [.notFound: .transactionIdNotFound])
        return .empty(200)
    }

    /// The name of an app's server where a device is asked for.
    private static let serverDevice = "app-store-server"
}

extension ServerCall {
    /// Reads a body as Apple does: members that are not known are passed over.
    /// - Parameter errors: The error of each member that has the wrong type, by its path.
    func serverBody<Value: Decodable>(
        _ type: Value.Type, else errors: KeyValuePairs<String, ServerAPIError>
    ) throws -> Value {
        try decode(type, from: bodyBytes(), else: errors)
    }

    fileprivate func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], else errors: KeyValuePairs<String, ServerAPIError>
    ) throws -> Value {
        do {
            return try StoreJSON.decode(type, from: bytes)
        } catch {
            let path = error.details["path"]?.stringValue ?? ""
            let member = String(path.prefix { $0 != "[" })
            throw errors.first { $0.key.isExactly(member) }?.value ?? .generalBadRequest
        }
    }
}

// MARK: - Bodies

extension ExtendRenewalDateBody {
    fileprivate static let errors: KeyValuePairs<String, ServerAPIError> = [
        "$.extendByDays": .invalidExtendByDays, "$.extendReasonCode": .invalidExtendReasonCode,
        "$.requestIdentifier": .invalidRequestIdentifier,
    ]

    fileprivate func checked() throws(ServerAPIError) -> (days: Int, requestIdentifier: String) {
        try Self.checked(extendByDays, extendReasonCode, requestIdentifier)
    }

    fileprivate static func checked(
        _ days: Int?, _ reason: Int?, _ identifier: String?
    ) throws(ServerAPIError) -> (days: Int, requestIdentifier: String) {
        guard let days, (1...90).contains(days) else { throw .invalidExtendByDays }
        guard let reason, (0...3).contains(reason) else { throw .invalidExtendReasonCode }
        guard let identifier, isRequestIdentifier(identifier) else { throw .invalidRequestIdentifier }
        return (days, identifier)
    }

    fileprivate static func isRequestIdentifier(_ text: String) -> Bool { (1...128).contains(text.utf8.count) }
}

extension MassExtendRenewalDateBody {
    fileprivate static let errors: KeyValuePairs<String, ServerAPIError> = [
        "$.extendByDays": .invalidExtendByDays, "$.extendReasonCode": .invalidExtendReasonCode,
        "$.requestIdentifier": .invalidRequestIdentifier, "$.storefrontCountryCodes": .invalidStorefrontCountryCode,
        "$.productId": .invalidProductId,
    ]

    fileprivate func checked() throws(ServerAPIError) -> (days: Int, requestIdentifier: String, productId: String) {
        let (days, requestIdentifier) = try ExtendRenewalDateBody.checked(
            extendByDays, extendReasonCode, requestIdentifier)
        guard let productId, (1...255).contains(productId.utf8.count) else { throw .invalidProductId }
        if let storefrontCountryCodes, storefrontCountryCodes.isEmpty { throw .emptyStorefrontCountryCodeList }
        return (days, requestIdentifier, productId)
    }
}

extension ConsumptionBody {
    fileprivate static let errors: KeyValuePairs<String, ServerAPIError> = [
        "$.customerConsented": .invalidCustomerConsented, "$.consumptionPercentage": .invalidConsumptionStatus,
        "$.deliveryStatus": .invalidDeliveryStatus, "$.refundPreference": .invalidRefundPreference,
        "$.sampleContentProvided": .invalidSampleContentProvided,
    ]
    private static let deliveries: [String] = [
        "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE",
        "UNDELIVERED_OTHER",
    ]
    private static let preferences: [String] = ["DECLINE", "GRANT_FULL", "GRANT_PRORATED"]

    fileprivate func check() throws(ServerAPIError) {
        guard customerConsented == true else { throw .invalidCustomerConsented }
        guard (0...100_000).contains(consumptionPercentage ?? 0) else { throw .invalidConsumptionStatus }
        guard let deliveryStatus, Self.deliveries.contains(where: deliveryStatus.isExactly) else {
            throw .invalidDeliveryStatus
        }
        if let refundPreference, !Self.preferences.contains(where: refundPreference.isExactly) {
            throw .invalidRefundPreference
        }
        guard sampleContentProvided != nil else { throw .invalidSampleContentProvided }
    }
}

extension ConsumptionBodyV1 {
    fileprivate static let errors: KeyValuePairs<String, ServerAPIError> = [
        "$.customerConsented": .invalidCustomerConsented, "$.consumptionStatus": .invalidConsumptionStatus,
        "$.platform": .invalidPlatform, "$.sampleContentProvided": .invalidSampleContentProvided,
        "$.deliveryStatus": .invalidDeliveryStatus, "$.appAccountToken": .invalidAppAccountToken,
        "$.accountTenure": .invalidAccountTenure, "$.playTime": .invalidPlayTime,
        "$.lifetimeDollarsRefunded": .invalidLifetimeDollarsRefunded,
        "$.lifetimeDollarsPurchased": .invalidLifetimeDollarsPurchased, "$.userStatus": .invalidUserStatus,
        "$.refundPreference": .invalidRefundPreference,
    ]

    fileprivate func check() throws(ServerAPIError) {
        guard customerConsented == true else { throw .invalidCustomerConsented }
        guard sampleContentProvided != nil else { throw .invalidSampleContentProvided }
        guard let appAccountToken, appAccountToken.isEmpty || AppAccountToken(appAccountToken) != nil else {
            throw .invalidAppAccountToken
        }
        let numbers: [(Int?, Int, ServerAPIError)] = [
            (consumptionStatus, 3, .invalidConsumptionStatus), (platform, 2, .invalidPlatform),
            (deliveryStatus, 5, .invalidDeliveryStatus), (accountTenure, 7, .invalidAccountTenure),
            (playTime, 7, .invalidPlayTime), (lifetimeDollarsRefunded, 7, .invalidLifetimeDollarsRefunded),
            (lifetimeDollarsPurchased, 7, .invalidLifetimeDollarsPurchased), (userStatus, 4, .invalidUserStatus),
            (refundPreference ?? 0, 3, .invalidRefundPreference),
        ]
        for (number, max, error) in numbers {
            guard let number, (0...max).contains(number) else { throw error }
        }
    }
}
