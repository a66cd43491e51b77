import StoreModels

/// An error of the App Store Server API, written as Apple's number and sentence.
///
/// Those that operations have, and those that an operator can order.
package enum ServerAPIError: String, Error, CaseIterable {
    case generalBadRequest = "4000000 Bad request."
    case invalidAppIdentifier = "4000002 Invalid request app identifier."
    case invalidRequestRevision = "4000005 Invalid request revision."
    case invalidTransactionId = "4000006 Invalid transaction id."
    case invalidOriginalTransactionId = "4000008 Invalid original transaction id."
    case invalidExtendByDays = "4000009 Invalid extend by days value."
    case invalidExtendReasonCode = "4000010 Invalid extend reason code."
    case invalidRequestIdentifier = "4000011 Invalid request identifier."
    case startDateTooFarInPast = "4000012 Invalid request. The start date is earlier than the allowed start date."
    case startDateAfterEndDate =
        "4000013 Invalid request. The end date precedes the start date or the dates are the same."
    case invalidPaginationToken = "4000014 Invalid request. The pagination token is invalid."
    case invalidStartDate =
        "4000015 Invalid request. The start date is not a timestamp value represented in milliseconds."
    case invalidEndDate = "4000016 Invalid request. The end date is not a timestamp value represented in milliseconds."
    case paginationTokenExpired = "4000017 Invalid request. The pagination token is expired."
    case invalidNotificationType = "4000018 Invalid request. The notification type or subtype is invalid."
    case multipleFiltersSupplied =
        "4000019 Invalid request. Supply either a transaction id or a notification type, but not both."
    case invalidTestNotificationToken = "4000020 Invalid request. The test notification token is invalid."
    case invalidSort = "4000021 Invalid request. The sort parameter is invalid."
    case invalidProductType = "4000022 Invalid request. The product type parameter is invalid."
    case invalidProductId = "4000023 Invalid request. The product id parameter is invalid."
    case invalidSubscriptionGroupIdentifier =
        "4000024 Invalid request. The subscription group identifier parameter is invalid."
    case invalidExcludeRevoked = "4000025 Invalid request. The exclude revoked parameter is invalid."
    case invalidInAppOwnershipType = "4000026 Invalid request. The in-app ownership type parameter is invalid."
    case emptyStorefrontCountryCodeList =
        "4000027 Invalid request. If provided, the list of storefront country codes must not be empty."
    case invalidStorefrontCountryCode = "4000028 Invalid request. A storefront country code was invalid."
    case invalidRevoked = "4000030 Invalid request. The revoked parameter is invalid."
    case invalidStatus = "4000031 Invalid request. The status parameter is invalid."
    case invalidAccountTenure = "4000032 Invalid request. The account tenure field is invalid."
    case invalidAppAccountToken =
        "4000033 Invalid request. The app account token field must contain a valid UUID or an empty string."
    case invalidConsumptionStatus = "4000034 Invalid request. The consumption status field is invalid."
    case invalidCustomerConsented = """
        4000035 Invalid request. The customer consented field is required and must indicate the customer \
        consented.
        """
    case invalidDeliveryStatus = "4000036 Invalid request. The delivery status field is invalid."
    case invalidLifetimeDollarsPurchased = "4000037 Invalid request. The lifetime dollars purchased field is invalid."
    case invalidLifetimeDollarsRefunded = "4000038 Invalid request. The lifetime dollars refunded field is invalid."
    case invalidPlatform = "4000039 Invalid request. The platform field is invalid."
    case invalidPlayTime = "4000040 Invalid request. The playtime field is invalid."
    case invalidSampleContentProvided = "4000041 Invalid request. The sample content provided field is invalid."
    case invalidUserStatus = "4000042 Invalid request. The user status field is invalid."
    case transactionNotConsumable =
        "4000043 Invalid request. The transaction id parameter must represent a consumable in-app purchase."
    case invalidRefundPreference = "4000044 Invalid request. The refund preference field is invalid."
    case transactionTypeNotSupported =
        "4000047 Invalid request. The transaction id doesn't represent a supported in-app purchase type."
    case appTransactionIdNotSupported = "4000048 Invalid request. App transactions aren't supported by this endpoint."
    case invalidAppAccountTokenUUID = "4000183 Invalid request. The app account token field must be a valid UUID."
    case familyTransactionNotSupported =
        "4000185 Invalid request. Family Sharing transactions aren't supported by this endpoint."
    case transactionIdNotOriginal = "4000187 Invalid request. The transaction id isn't an original transaction id."
    case subscriptionExtensionIneligible = "4030004 Forbidden - subscription state ineligible for extension."
    case subscriptionMaxExtension = "4030005 Forbidden - subscription has reached maximum extension count."
    case familySharedSubscriptionExtensionIneligible = """
        4030007 Subscriptions that users obtain through Family Sharing can't get a renewal date extension \
        directly.
        """
    case accountNotFound = "4040001 Account not found."
    case accountNotFoundRetryable = "4040002 Account not found. Please try again."
    case appNotFound = "4040003 App not found."
    case appNotFoundRetryable = "4040004 App not found. Please try again."
    case originalTransactionIdNotFound = "4040005 Original transaction id not found."
    case originalTransactionIdNotFoundRetryable = "4040006 Original transaction id not found. Please try again."
    case serverNotificationURLNotFound = """
        4040007 No App Store Server Notification URL found for provided app. Check that a URL is configured in App \
        Store Connect for this environment.
        """
    case testNotificationNotFound = """
        4040008 Either the test notification token is expired or the notification and status are not yet \
        available.
        """
    case statusRequestNotFound = """
        4040009 The server didn't find a subscription-renewal-date extension request for this requestIdentifier \
        and productId combination.
        """
    case transactionIdNotFound = "4040010 Transaction id not found."
    case appTransactionDoesNotExist = "4040019 No AppTransaction exists for the customer."
    case rateLimitExceeded = "4290000 Rate limit exceeded."
    case generalInternal = "5000000 An unknown error occurred."
    case generalInternalRetryable = "5000001 An unknown error occurred. Please try again."

    /// Apple's number. Its first three digits are the HTTP status.
    package var code: Int { Int(rawValue.prefix { $0 != " " }) ?? 0 }

    /// Apple's sentence.
    package var message: String { String(rawValue.drop { $0 != " " }.dropFirst()) }

    /// Finds an error by Apple's number.
    package init?(code: Int) {
        guard let known = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = known
    }
}

extension ServerAPIError {
    /// The HTTP status, which are the number's first three digits.
    package var status: Int { code / 10_000 }

    /// Converts a problem. Only a repeatable one is said to be so.
    package init(_ problem: StoreError) {
        switch problem.code {
        case .internal: self = .generalInternal
        // The path names an isolated store that is gone, or another one than the key's.
        case .notFound: self = .appNotFound
        case _ where problem.retryable || problem.leavesOutcomeUnknown: self = .generalInternalRetryable
        case _ where (400..<500).contains(problem.status): self = .generalBadRequest
        default: self = .generalInternal
        }
    }
}

extension StoreError {
    /// Whether the request may have been executed although no reply came. Either time ran out, or the connection broke
    /// during the request.
    package var leavesOutcomeUnknown: Bool {
        code == .deadlineExceeded || code == .internal || details["outcome"] == "unknown"
    }
}
