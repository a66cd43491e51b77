import HTTPTypes
import Hummingbird
import NIOCore
import StoreHTTP
import StoreModels

/// An error of the App Store Server API, with Apple's number and sentence.
struct ServerAPIError: Error, Hashable {
    let code: Int
    let message: String

    private init(_ code: Int, _ message: String) {
        self.code = code
        self.message = message
    }

    static let generalBadRequest = ServerAPIError(4_000_000, "Bad request.")
    static let invalidAppIdentifier = ServerAPIError(4_000_002, "Invalid request app identifier.")
    static let invalidRequestRevision = ServerAPIError(4_000_005, "Invalid request revision.")
    static let invalidTransactionId = ServerAPIError(4_000_006, "Invalid transaction id.")
    static let invalidOriginalTransactionId = ServerAPIError(4_000_008, "Invalid original transaction id.")
    static let invalidExtendByDays = ServerAPIError(4_000_009, "Invalid extend by days value.")
    static let invalidExtendReasonCode = ServerAPIError(4_000_010, "Invalid extend reason code.")
    static let invalidRequestIdentifier = ServerAPIError(4_000_011, "Invalid request identifier.")
    static let startDateTooFarInPast = ServerAPIError(
        4_000_012, "Invalid request. The start date is earlier than the allowed start date.")
    static let startDateAfterEndDate = ServerAPIError(
        4_000_013, "Invalid request. The end date precedes the start date or the dates are the same.")
    static let invalidPaginationToken = ServerAPIError(4_000_014, "Invalid request. The pagination token is invalid.")
    static let invalidStartDate = ServerAPIError(
        4_000_015, "Invalid request. The start date is not a timestamp value represented in milliseconds.")
    static let invalidEndDate = ServerAPIError(
        4_000_016, "Invalid request. The end date is not a timestamp value represented in milliseconds.")
    static let paginationTokenExpired = ServerAPIError(4_000_017, "Invalid request. The pagination token is expired.")
    static let invalidNotificationType = ServerAPIError(
        4_000_018, "Invalid request. The notification type or subtype is invalid.")
    static let multipleFiltersSupplied = ServerAPIError(
        4_000_019, "Invalid request. Supply either a transaction id or a notification type, but not both.")
    static let invalidTestNotificationToken = ServerAPIError(
        4_000_020, "Invalid request. The test notification token is invalid.")
    static let invalidSort = ServerAPIError(4_000_021, "Invalid request. The sort parameter is invalid.")
    static let invalidProductType = ServerAPIError(4_000_022, "Invalid request. The product type parameter is invalid.")
    static let invalidProductId = ServerAPIError(4_000_023, "Invalid request. The product id parameter is invalid.")
    static let invalidSubscriptionGroupIdentifier = ServerAPIError(
        4_000_024, "Invalid request. The subscription group identifier parameter is invalid.")
    static let invalidExcludeRevoked = ServerAPIError(
        4_000_025, "Invalid request. The exclude revoked parameter is invalid.")
    static let invalidInAppOwnershipType = ServerAPIError(
        4_000_026, "Invalid request. The in-app ownership type parameter is invalid.")
    static let emptyStorefrontCountryCodeList = ServerAPIError(
        4_000_027, "Invalid request. If provided, the list of storefront country codes must not be empty.")
    static let invalidStorefrontCountryCode = ServerAPIError(
        4_000_028, "Invalid request. A storefront country code was invalid.")
    static let invalidRevoked = ServerAPIError(4_000_030, "Invalid request. The revoked parameter is invalid.")
    static let invalidStatus = ServerAPIError(4_000_031, "Invalid request. The status parameter is invalid.")
    static let invalidAccountTenure = ServerAPIError(4_000_032, "Invalid request. The account tenure field is invalid.")
    static let invalidAppAccountToken = ServerAPIError(
        4_000_033, "Invalid request. The app account token field must contain a valid UUID or an empty string.")
    static let invalidConsumptionStatus = ServerAPIError(
        4_000_034, "Invalid request. The consumption status field is invalid.")
    static let invalidCustomerConsented = ServerAPIError(
        4_000_035,
        "Invalid request. The customer consented field is required and must indicate the customer consented.")
    static let invalidDeliveryStatus = ServerAPIError(
        4_000_036, "Invalid request. The delivery status field is invalid.")
    static let invalidLifetimeDollarsPurchased = ServerAPIError(
        4_000_037, "Invalid request. The lifetime dollars purchased field is invalid.")
    static let invalidLifetimeDollarsRefunded = ServerAPIError(
        4_000_038, "Invalid request. The lifetime dollars refunded field is invalid.")
    static let invalidPlatform = ServerAPIError(4_000_039, "Invalid request. The platform field is invalid.")
    static let invalidPlayTime = ServerAPIError(4_000_040, "Invalid request. The playtime field is invalid.")
    static let invalidSampleContentProvided = ServerAPIError(
        4_000_041, "Invalid request. The sample content provided field is invalid.")
    static let invalidUserStatus = ServerAPIError(4_000_042, "Invalid request. The user status field is invalid.")
    static let transactionNotConsumable = ServerAPIError(
        4_000_043, "Invalid request. The transaction id parameter must represent a consumable in-app purchase.")
    static let invalidRefundPreference = ServerAPIError(
        4_000_044, "Invalid request. The refund preference field is invalid.")
    static let transactionTypeNotSupported = ServerAPIError(
        4_000_047, "Invalid request. The transaction id doesn't represent a supported in-app purchase type.")
    static let appTransactionIdNotSupported = ServerAPIError(
        4_000_048, "Invalid request. App transactions aren't supported by this endpoint.")
    static let invalidAppAccountTokenUUID = ServerAPIError(
        4_000_183, "Invalid request. The app account token field must be a valid UUID.")
    static let familyTransactionNotSupported = ServerAPIError(
        4_000_185, "Invalid request. Family Sharing transactions aren't supported by this endpoint.")
    static let transactionIdNotOriginal = ServerAPIError(
        4_000_187, "Invalid request. The transaction id isn't an original transaction id.")
    static let subscriptionExtensionIneligible = ServerAPIError(
        4_030_004, "Forbidden - subscription state ineligible for extension.")
    static let subscriptionMaxExtension = ServerAPIError(
        4_030_005, "Forbidden - subscription has reached maximum extension count.")
    static let familySharedSubscriptionExtensionIneligible = ServerAPIError(
        4_030_007, "Subscriptions that users obtain through Family Sharing can't get a renewal date extension directly."
    )
    static let accountNotFound = ServerAPIError(4_040_001, "Account not found.")
    static let accountNotFoundRetryable = ServerAPIError(4_040_002, "Account not found. Please try again.")
    static let appNotFound = ServerAPIError(4_040_003, "App not found.")
    static let appNotFoundRetryable = ServerAPIError(4_040_004, "App not found. Please try again.")
    static let originalTransactionIdNotFoundRetryable = ServerAPIError(
        4_040_006, "Original transaction id not found. Please try again.")
    static let appTransactionDoesNotExist = ServerAPIError(
        4_040_019, "No AppTransaction exists for the customer.")
    static let rateLimitExceeded = ServerAPIError(4_290_000, "Rate limit exceeded.")
    static let originalTransactionIdNotFound = ServerAPIError(4_040_005, "Original transaction id not found.")
    static let serverNotificationURLNotFound = ServerAPIError(
        4_040_007,
        "No App Store Server Notification URL found for provided app. "
            + "Check that a URL is configured in App Store Connect for this environment.")
    static let testNotificationNotFound = ServerAPIError(
        4_040_008,
        "Either the test notification token is expired or the notification and status are not yet available.")
    static let statusRequestNotFound = ServerAPIError(
        4_040_009,
        "The server didn't find a subscription-renewal-date extension request "
            + "for this requestIdentifier and productId combination.")
    static let transactionIdNotFound = ServerAPIError(4_040_010, "Transaction id not found.")
    static let generalInternal = ServerAPIError(5_000_000, "An unknown error occurred.")
    static let generalInternalRetryable = ServerAPIError(5_000_001, "An unknown error occurred. Please try again.")

    /// Every error: those that operations have, and those that an operator can order.
    static let all = [
        invalidAppIdentifier, invalidOriginalTransactionId, transactionNotConsumable, familyTransactionNotSupported,
        familySharedSubscriptionExtensionIneligible, accountNotFound, accountNotFoundRetryable, appNotFound,
        appNotFoundRetryable, originalTransactionIdNotFoundRetryable, appTransactionDoesNotExist, rateLimitExceeded,
        generalBadRequest, invalidRequestRevision, invalidTransactionId, startDateTooFarInPast, startDateAfterEndDate,
        invalidPaginationToken, invalidStartDate, invalidEndDate, paginationTokenExpired, invalidNotificationType,
        multipleFiltersSupplied, invalidTestNotificationToken, invalidSort, invalidProductType, invalidProductId,
        invalidSubscriptionGroupIdentifier, invalidExcludeRevoked, invalidInAppOwnershipType, invalidRevoked,
        invalidStatus, appTransactionIdNotSupported, serverNotificationURLNotFound, testNotificationNotFound,
        transactionIdNotFound, generalInternal, generalInternalRetryable, invalidExtendByDays, invalidExtendReasonCode,
        invalidRequestIdentifier, emptyStorefrontCountryCodeList, invalidStorefrontCountryCode, invalidAccountTenure,
        invalidAppAccountToken, invalidConsumptionStatus, invalidCustomerConsented, invalidDeliveryStatus,
        invalidLifetimeDollarsPurchased, invalidLifetimeDollarsRefunded, invalidPlatform, invalidPlayTime,
        invalidSampleContentProvided, invalidUserStatus, invalidRefundPreference, transactionTypeNotSupported,
        invalidAppAccountTokenUUID, transactionIdNotOriginal, subscriptionExtensionIneligible,
        subscriptionMaxExtension, originalTransactionIdNotFound, statusRequestNotFound,
    ]

    /// Finds an error by Apple's number.
    init?(code: Int) {
        guard let known = Self.all.first(where: { $0.code == code }) else { return nil }
        self = known
    }

    /// The HTTP status, which are the number's first three digits.
    var status: HTTPResponse.Status { .init(code: code / 10_000) }

    /// Converts a problem of the gateway or a service. Only a repeatable one is said to be so.
    init(_ problem: HTTPError) {
        switch problem.error.code {
        case .internal: self = .generalInternal
        // The path names an isolated store that is gone, or another one than the key's.
        case .notFound: self = .appNotFound
        case _ where problem.error.retryable || problem.error.leavesOutcomeUnknown: self = .generalInternalRetryable
        case _ where (400..<500).contains(problem.error.status): self = .generalBadRequest
        default: self = .generalInternal
        }
    }

    /// Apple's libraries read the body only when the type is exactly this.
    var response: Response {
        let body = ServerAPIErrorResponse(errorCode: code, errorMessage: message)
        // Encoding a number and a sentence cannot fail; if it does, the client still gets the status.
        let bytes = (try? StoreJSON.encode(body)) ?? []
        return Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// The response to a request too many.
    /// - Parameter next: When the server may ask again; Apple writes it in milliseconds since 1970.
    static func rateLimitExceeded(until next: Timestamp) -> Response {
        var response = rateLimitExceeded.response
        response.headers[.retryAfter] = "\(next.milliseconds)"
        return response
    }

    /// The response to a token that is not accepted, as Apple writes it. The reason is in `WWW-Authenticate`.
    static func unauthenticated(_ problem: HTTPError) -> Response {
        var headers = problem.headers
        headers[.contentType] = "text/plain"
        headers[.cacheControl] = "no-store"
        return Response(
            status: .unauthorized, headers: headers, body: .init(byteBuffer: ByteBuffer(string: "Unauthenticated\n")))
    }
}

extension HTTPError {
    /// The error's response where errors have Apple's shape.
    var serverAPIResponse: Response {
        guard error.code != .unauthenticated else { return ServerAPIError.unauthenticated(self) }
        var response = ServerAPIError(self).response
        if let retryAfterMs = error.retryAfterMs { response.headers[.retryAfter] = "\((retryAfterMs + 999) / 1000)" }
        return response
    }
}
