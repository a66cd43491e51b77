/// An error of the App Store Server API, with Apple's number and sentence.
package struct ServerAPIError: Error, Hashable {
    /// Apple's number; its first three digits are the HTTP status.
    package let code: Int
    /// Apple's sentence.
    package let message: String

    private init(_ code: Int, _ message: String) {
        self.code = code
        self.message = message
    }

    package static let generalBadRequest = ServerAPIError(4_000_000, "Bad request.")
    package static let invalidAppIdentifier = ServerAPIError(4_000_002, "Invalid request app identifier.")
    package static let invalidRequestRevision = ServerAPIError(4_000_005, "Invalid request revision.")
    package static let invalidTransactionId = ServerAPIError(4_000_006, "Invalid transaction id.")
    package static let invalidOriginalTransactionId = ServerAPIError(4_000_008, "Invalid original transaction id.")
    package static let invalidExtendByDays = ServerAPIError(4_000_009, "Invalid extend by days value.")
    package static let invalidExtendReasonCode = ServerAPIError(4_000_010, "Invalid extend reason code.")
    package static let invalidRequestIdentifier = ServerAPIError(4_000_011, "Invalid request identifier.")
    package static let startDateTooFarInPast = ServerAPIError(
        4_000_012, "Invalid request. The start date is earlier than the allowed start date.")
    package static let startDateAfterEndDate = ServerAPIError(
        4_000_013, "Invalid request. The end date precedes the start date or the dates are the same.")
    package static let invalidPaginationToken = ServerAPIError(
        4_000_014, "Invalid request. The pagination token is invalid.")
    package static let invalidStartDate = ServerAPIError(
        4_000_015, "Invalid request. The start date is not a timestamp value represented in milliseconds.")
    package static let invalidEndDate = ServerAPIError(
        4_000_016, "Invalid request. The end date is not a timestamp value represented in milliseconds.")
    package static let paginationTokenExpired = ServerAPIError(
        4_000_017, "Invalid request. The pagination token is expired.")
    package static let invalidNotificationType = ServerAPIError(
        4_000_018, "Invalid request. The notification type or subtype is invalid.")
    package static let multipleFiltersSupplied = ServerAPIError(
        4_000_019, "Invalid request. Supply either a transaction id or a notification type, but not both.")
    package static let invalidTestNotificationToken = ServerAPIError(
        4_000_020, "Invalid request. The test notification token is invalid.")
    package static let invalidSort = ServerAPIError(4_000_021, "Invalid request. The sort parameter is invalid.")
    package static let invalidProductType = ServerAPIError(
        4_000_022, "Invalid request. The product type parameter is invalid.")
    package static let invalidProductId = ServerAPIError(
        4_000_023, "Invalid request. The product id parameter is invalid.")
    package static let invalidSubscriptionGroupIdentifier = ServerAPIError(
        4_000_024, "Invalid request. The subscription group identifier parameter is invalid.")
    package static let invalidExcludeRevoked = ServerAPIError(
        4_000_025, "Invalid request. The exclude revoked parameter is invalid.")
    package static let invalidInAppOwnershipType = ServerAPIError(
        4_000_026, "Invalid request. The in-app ownership type parameter is invalid.")
    package static let emptyStorefrontCountryCodeList = ServerAPIError(
        4_000_027, "Invalid request. If provided, the list of storefront country codes must not be empty.")
    package static let invalidStorefrontCountryCode = ServerAPIError(
        4_000_028, "Invalid request. A storefront country code was invalid.")
    package static let invalidRevoked = ServerAPIError(4_000_030, "Invalid request. The revoked parameter is invalid.")
    package static let invalidStatus = ServerAPIError(4_000_031, "Invalid request. The status parameter is invalid.")
    package static let invalidAccountTenure = ServerAPIError(
        4_000_032, "Invalid request. The account tenure field is invalid.")
    package static let invalidAppAccountToken = ServerAPIError(
        4_000_033, "Invalid request. The app account token field must contain a valid UUID or an empty string.")
    package static let invalidConsumptionStatus = ServerAPIError(
        4_000_034, "Invalid request. The consumption status field is invalid.")
    package static let invalidCustomerConsented = ServerAPIError(
        4_000_035,
        "Invalid request. The customer consented field is required and must indicate the customer consented.")
    package static let invalidDeliveryStatus = ServerAPIError(
        4_000_036, "Invalid request. The delivery status field is invalid.")
    package static let invalidLifetimeDollarsPurchased = ServerAPIError(
        4_000_037, "Invalid request. The lifetime dollars purchased field is invalid.")
    package static let invalidLifetimeDollarsRefunded = ServerAPIError(
        4_000_038, "Invalid request. The lifetime dollars refunded field is invalid.")
    package static let invalidPlatform = ServerAPIError(4_000_039, "Invalid request. The platform field is invalid.")
    package static let invalidPlayTime = ServerAPIError(4_000_040, "Invalid request. The playtime field is invalid.")
    package static let invalidSampleContentProvided = ServerAPIError(
        4_000_041, "Invalid request. The sample content provided field is invalid.")
    package static let invalidUserStatus = ServerAPIError(
        4_000_042, "Invalid request. The user status field is invalid.")
    package static let transactionNotConsumable = ServerAPIError(
        4_000_043, "Invalid request. The transaction id parameter must represent a consumable in-app purchase.")
    package static let invalidRefundPreference = ServerAPIError(
        4_000_044, "Invalid request. The refund preference field is invalid.")
    package static let transactionTypeNotSupported = ServerAPIError(
        4_000_047, "Invalid request. The transaction id doesn't represent a supported in-app purchase type.")
    package static let appTransactionIdNotSupported = ServerAPIError(
        4_000_048, "Invalid request. App transactions aren't supported by this endpoint.")
    package static let invalidAppAccountTokenUUID = ServerAPIError(
        4_000_183, "Invalid request. The app account token field must be a valid UUID.")
    package static let familyTransactionNotSupported = ServerAPIError(
        4_000_185, "Invalid request. Family Sharing transactions aren't supported by this endpoint.")
    package static let transactionIdNotOriginal = ServerAPIError(
        4_000_187, "Invalid request. The transaction id isn't an original transaction id.")
    package static let subscriptionExtensionIneligible = ServerAPIError(
        4_030_004, "Forbidden - subscription state ineligible for extension.")
    package static let subscriptionMaxExtension = ServerAPIError(
        4_030_005, "Forbidden - subscription has reached maximum extension count.")
    package static let familySharedSubscriptionExtensionIneligible = ServerAPIError(
        4_030_007, "Subscriptions that users obtain through Family Sharing can't get a renewal date extension directly."
    )
    package static let accountNotFound = ServerAPIError(4_040_001, "Account not found.")
    package static let accountNotFoundRetryable = ServerAPIError(4_040_002, "Account not found. Please try again.")
    package static let appNotFound = ServerAPIError(4_040_003, "App not found.")
    package static let appNotFoundRetryable = ServerAPIError(4_040_004, "App not found. Please try again.")
    package static let originalTransactionIdNotFoundRetryable = ServerAPIError(
        4_040_006, "Original transaction id not found. Please try again.")
    package static let appTransactionDoesNotExist = ServerAPIError(
        4_040_019, "No AppTransaction exists for the customer.")
    package static let rateLimitExceeded = ServerAPIError(4_290_000, "Rate limit exceeded.")
    package static let originalTransactionIdNotFound = ServerAPIError(4_040_005, "Original transaction id not found.")
    package static let serverNotificationURLNotFound = ServerAPIError(
        4_040_007,
        "No App Store Server Notification URL found for provided app. "
            + "Check that a URL is configured in App Store Connect for this environment.")
    package static let testNotificationNotFound = ServerAPIError(
        4_040_008,
        "Either the test notification token is expired or the notification and status are not yet available.")
    package static let statusRequestNotFound = ServerAPIError(
        4_040_009,
        "The server didn't find a subscription-renewal-date extension request "
            + "for this requestIdentifier and productId combination.")
    package static let transactionIdNotFound = ServerAPIError(4_040_010, "Transaction id not found.")
    package static let generalInternal = ServerAPIError(5_000_000, "An unknown error occurred.")
    package static let generalInternalRetryable = ServerAPIError(
        5_000_001, "An unknown error occurred. Please try again.")

    /// Every error: those that operations have, and those that an operator can order.
    package static let all = [
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
    package init?(code: Int) {
        guard let known = Self.all.first(where: { $0.code == code }) else { return nil }
        self = known
    }
}
