import StoreModels

/// An error response of operations, at one status.
package struct ErrorResponse: Hashable, Sendable {
    /// The content of the body.
    package enum Content: Hashable, Sendable {
        /// A problem with one of these codes.
        case problem([StoreErrorCode])
        /// An error of the App Store Server API with one of these numbers.
        case apple([Int])
        /// A line of text.
        case text(String)
    }

    /// The name of the response's component in the document.
    package let name: String
    package let status: Int
    package let content: Content
    package let description: String
    /// Texts of further members that each body has.
    package let members: [String: [String]]
    /// Whether `Retry-After` may say when to send the request again.
    package let isRepeatable: Bool
}

extension ErrorResponse {
    /// Creates a problem.
    /// - Parameter status: Nil for the status of the first code.
    private init(
        _ name: String, _ codes: [StoreErrorCode], status: Int? = nil, isRepeatable: Bool? = nil,
        members: [String: [String]] = [:], _ description: String
    ) {
        self.init(
            name: name, status: status ?? codes.first?.status ?? 500, content: .problem(codes),
            description: description, members: members,
            isRepeatable: isRepeatable ?? codes.contains(where: \.isRetryable))
    }

    /// Creates an error of the App Store Server API, with all of Apple's numbers that have the status.
    private init(apple name: String, _ status: Int, isRepeatable: Bool = false, _ description: String) {
        let numbers = ServerAPIError.allCases.map(\.code).filter { $0 / 10_000 == status }.sorted()
        self.init(
            name: name, status: status, content: .apple(numbers), description: description, members: [:],
            isRepeatable: isRepeatable)
    }

    private init(text: String, _ name: String, _ status: Int, _ description: String) {
        self.init(
            name: name, status: status, content: .text(text), description: description, members: [:],
            isRepeatable: false)
    }
}

// MARK: - Of all operations

extension ErrorResponse {
    package static let invalid = ErrorResponse(
        "Invalid", [.requestInvalid], "The request is not valid for this path.")
    package static let invalidOrKey = ErrorResponse(
        "InvalidOrKey", [.requestInvalid, .idempotencyKeyInvalid],
        "The request or its Idempotency-Key is not valid for this path.")
    package static let unauthenticated = ErrorResponse(
        "Unauthenticated", [.unauthenticated], "The request has no valid credentials.")
    package static let forbidden = ErrorResponse(
        "Forbidden", [.forbidden], "The credentials are of another kind.")
    package static let notFound = ErrorResponse(
        "NotFound", [.notFound], "The object does not exist, or belongs to another customer.")
    package static let tooLarge = ErrorResponse(
        "TooLarge", [.bodyTooLarge], "The body is larger than the path takes.")
    package static let notJSON = ErrorResponse(
        "NotJSON", [.requestInvalid], status: 415, "The body is of another type, or compressed.")
    package static let tooMany = ErrorResponse(
        "TooMany", [.rateLimited], "A limit is reached for the moment.")
    package static let fault = ErrorResponse(
        "Fault", [.internal], "Storebus has a fault.")
    package static let notBuilt = ErrorResponse(
        "NotBuilt", [.notImplemented], "This version does not support the operation.")
    package static let unavailable = ErrorResponse(
        "Unavailable", [.serviceUnavailable], "A service is away.")
    package static let tooLate = ErrorResponse(
        "TooLate", [.deadlineExceeded], "A service did not answer in time. It is safe to send the request again.")
    package static let outcomeUnknown = ErrorResponse(
        "OutcomeUnknown", [.outcomeUnknown, .deadlineExceeded],
        "A service did not answer in time. It is safe to send the request again, with the same key where it has one.")
    package static let keyReused = ErrorResponse(
        "KeyReused", [.keyReused], "Another request has used the key.")
    package static let inFlight = ErrorResponse(
        "InFlight", [.inFlight], "Another request with this key is still running, and its outcome cannot be read yet.")
}

// MARK: - Of purchases

extension ErrorResponse {
    package static let paymentRefused = ErrorResponse(
        "PaymentRefused", [.requestInvalid, .keyReused, .intentMismatch], status: 422,
        """
        The quantity is not 1 to 10, another payment has used the key, or the payment is not the one of the intent \
        that it names.
        """)
    package static let paymentInFlight = ErrorResponse(
        "PaymentInFlight", [.inFlight, .intentDecided, .intentExpired],
        """
        The outcome of the first request with this key cannot be read yet, or the intent has another decision or has \
        expired.
        """)
    package static let codeRefused = ErrorResponse(
        "CodeRefused", [.codeSpent, .codeExpired, .codeRedeemed, .codeIneligible, .inFlight], isRepeatable: false,
        """
        The code has been redeemed as often as it may be, its time is over, the customer has redeemed a code of its \
        offer, the offer is not for this customer, or the outcome of the first request with this key cannot be read yet.
        """)
    package static let notFinishable = ErrorResponse(
        "NotFinishable", [.transactionNotFinishable], "The transaction is purchasing or deferred.")
    package static let transactionState = ErrorResponse(
        "TransactionState", [.transactionStateInvalid],
        "The state of the transaction, or of the subscription it belongs to, does not allow the operation.")
    package static let downloadState = ErrorResponse(
        "DownloadState", [.downloadStateInvalid],
        "The download cannot go from its state to the requested one; a cancelled download stays cancelled.")
    package static let perhapsDone = ErrorResponse(
        "PerhapsDone", [.outcomeUnknown], isRepeatable: false,
        """
        A service did not answer in time. The operation may have happened: read the subscription's timeline before \
        you send the request again, because a second request may be a second operation.
        """)
    package static let subscriptionNotFound = ErrorResponse(
        "SubscriptionNotFound", [.notFound, .productNotFound],
        "The customer has no such subscription, or its group has no such product.")
    package static let changeRefused = ErrorResponse(
        "ChangeRefused", [.requestInvalid], status: 422,
        "An upgrade, or a crossgrade of the same length, takes effect immediately: buy the product instead.")
    package static let receiptInvalid = ErrorResponse(
        "ReceiptInvalid", [.receiptInvalid],
        members: ["reason": ["malformed", "signature", "bundleId", "environment"]],
        "This store has not signed the receipt; reason says why: malformed, signature, bundleId or environment.")
    package static let sessionRefused = ErrorResponse(
        "SessionRefused", [.storefrontMismatch, .promotionUnsupported],
        "The account has another storefront, or the device has no PurchaseIntent.")
}

// MARK: - Of promotions and intents

extension ErrorResponse {
    package static let handlerConflict = ErrorResponse(
        "HandlerConflict", [.promotedPurchaseHandlerConflict, .promotionUnsupported],
        """
        A stream of this installation is open with another promotedPurchases, or the device has no PurchaseIntent.
        """)
    package static let intentNotFound = ErrorResponse(
        "IntentNotFound", [.notFound], "The intent does not exist, or belongs to another device or customer.")
    package static let intentDecided = ErrorResponse(
        "IntentDecided", [.intentDecided, .intentExpired], "The intent has another decision, or has expired.")
    package static let overridesRefused = ErrorResponse(
        "OverridesRefused", [.appNeverLaunched, .promotionUnsupported],
        "The app was never launched on the device, or the device has no promotions.")
    package static let notPromotable = ErrorResponse(
        "NotPromotable", [.productNotPromotable, .keyReused],
        "The product is not promoted, is hidden on this device, or another purchase has used the key.")
    package static let urlInvalid = ErrorResponse(
        "URLInvalid", [.urlInvalid, .keyReused],
        "The URL is not a test URL of this app, as part and fault say, or another purchase has used the key.")
    package static let promotionUnsupported = ErrorResponse(
        "PromotionUnsupported", [.promotionUnsupported], "The device has no promotions, or no PurchaseIntent.")
    package static let tooManyOpen = ErrorResponse(
        "TooManyOpen", [.rateLimited], "50 purchases of this app wait on the device already.")
    package static let deviceNotFound = ErrorResponse(
        "DeviceNotFound", [.notFound], "The device or the app does not exist.")
}

// MARK: - Of the operator

extension ErrorResponse {
    package static let productNotFound = ErrorResponse(
        "ProductNotFound", [.productNotFound, .notFound],
        "The app has no such product, or the product has no such object.")
    package static let catalogInvalid = ErrorResponse(
        "CatalogInvalid", [.catalogInvalid], "The file has problems; nothing was imported.")
    package static let lengthRequired = ErrorResponse(
        "LengthRequired", [.requestInvalid], status: 411, "A catalogue above 8 MiB must announce its length.")
    package static let contentNotFound = ErrorResponse(
        "ContentNotFound", [.notFound, .productNotFound],
        "The app, product or content does not exist, or the download belongs to another customer.")
    package static let contentInvalid = ErrorResponse(
        "ContentInvalid", [.catalogInvalid], "The catalogue declares no content, or another version or length.")
    package static let noSuchRange = ErrorResponse(
        "NoSuchRange", [.requestInvalid], status: 416,
        "The content does not have these bytes; Content-Range says how many it has.")
    package static let imageInvalid = ErrorResponse(
        "ImageInvalid", [.requestInvalid], status: 422,
        "The file is not a PNG or JPEG of 1024×1024; the detail describes it.")
    package static let codeNotMade = ErrorResponse(
        "CodeNotMade", [.requestInvalid], status: 422,
        "The product has no such offer for codes, or the app has the word already, or as many codes as it may have.")
    package static let familyNotChanged = ErrorResponse(
        "FamilyNotChanged", [.requestInvalid], status: 422,
        """
        The account is no customer of the app, is in another family or organises this one, another account organises the \
        family, it has its six persons, or the app has a thousand families.
        """)
    package static let tooManyKeys = ErrorResponse(
        "TooManyKeys", [.requestInvalid], status: 422, "The app has 100 keys already.")
    package static let notificationState = ErrorResponse(
        "NotificationState", [.transactionStateInvalid],
        "The app has no endpoint, or for a lease its endpoint is not listen:.")
    package static let endpointURLInvalid = ErrorResponse(
        "EndpointURLInvalid", [.requestInvalid, .urlInvalid],
        "The request is not valid for this path, or notifications cannot go to the URL.")
    package static let noCause = ErrorResponse(
        "NoCause", [.requestInvalid], status: 422,
        """
        The type belongs to Advanced Commerce, which this store does not have, or the app or the account lacks \
        something the event needs.
        """)
    package static let tooManyRotations = ErrorResponse(
        "TooManyRotations", [.requestInvalid], status: 422, "A hundred intermediates were replaced already.")
    package static let faultRefused = ErrorResponse(
        "FaultRefused", [.requestInvalid], status: 422,
        "Apple has no such number, or the app has a hundred faults already.")
    package static let operatorForbidden = ErrorResponse(
        "OperatorForbidden", [.forbidden],
        "The credentials are of another kind, or the bus does not let the gateway act for its operator.")
    package static let noPages = ErrorResponse(
        "NoPages", [.notImplemented], "The bus is a NATS server, which has no such pages.")
    package static let tooManyTaps = ErrorResponse("TooManyTaps", [.rateLimited], "8 taps are open already.")
    package static let faultsDisabled = ErrorResponse(
        "FaultsDisabled", [.faultsDisabled],
        "The broker injects no faults, because it was not started with STOREBUS_CHAOS=1.")
    package static let tooManyRules = ErrorResponse(
        "TooManyRules", [.requestInvalid], status: 422, "The broker has as many rules as it takes.")
}

// MARK: - Of the App Store Server API

extension ErrorResponse {
    /// Those of every operation of the App Store Server API.
    package static let ofServerAPI: [ErrorResponse] = [
        ErrorResponse(
            apple: "ServerAPIInvalid", 400, "Something in the request is invalid; the number names it."),
        ErrorResponse(
            text: "Unauthenticated\n", "ServerAPIUnauthenticated", 401,
            "The token is not accepted; WWW-Authenticate says why."),
        ErrorResponse(
            apple: "ServerAPINotFound", 404,
            """
            The app has no such transaction, notification or endpoint, or is in another environment than the host name \
            selects.
            """),
        ErrorResponse(
            apple: "ServerAPIRateLimited", 429, isRepeatable: true,
            "The server has made too many requests of this operation within the hour, where rateLimits says so."),
        ErrorResponse(
            apple: "ServerAPIFault", 500,
            "Storebus has a fault, or a service is away: after 5000001 the server may send the request again."),
        unavailable,
    ]
    package static let notExtensible = ErrorResponse(
        apple: "ServerAPIForbidden", 403,
        "The subscription cannot be extended, or not once more within 365 days.")
}
