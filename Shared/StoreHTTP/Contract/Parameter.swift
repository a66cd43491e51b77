import StoreModels

/// A parameter of requests besides the body.
package struct Parameter: Sendable {
    package enum Location: String, Sendable { case path, query, header }

    /// How a parameter's values are separated.
    package enum Separator: Sendable {
        case comma
        /// The parameter may be repeated.
        case repetition
    }

    package let location: Location
    package let name: String
    /// The name of its component in the document, where several operations have it.
    package let component: String
    package let isRequired: Bool
    package let description: String
    package let schema: Schema
    /// Of a list of values.
    package let separator: Separator?
    package let example: JSONValue?

    package init(
        _ name: String, in location: Location = .query, as component: String? = nil, isRequired: Bool = false,
        _ description: String, _ schema: Schema, separator: Separator? = nil, example: JSONValue? = nil
    ) {
        self.location = location
        self.name = name
        self.component = component ?? name
        self.isRequired = isRequired
        self.description = description
        self.schema = schema
        self.separator = separator
        self.example = example
    }
}

// MARK: - Pages and lists

extension Parameter {
    package static let after = Parameter("after", "The `after` of the page before.", .identifier())
    package static let limit = Parameter(
        "limit", "The most entries of a page.", .integer(1...100).merging(["default": 100]), example: 10)
    package static let adminLimit = Parameter(
        "limit", as: "adminLimit", "The most entries of a page.", .integer(1...500).merging(["default": 100]),
        example: 10)
    package static let timelinePosition = Parameter(
        "after", as: "timelinePosition", "The `after` of the page before, a position in the timeline.",
        ["type": "string", "maxLength": 255, "pattern": "^0*[0-9]{1,18}$"], example: "0")
    package static let ofBundleId = Parameter(
        "bundleId", as: "ofBundleId", "Only those of this app.", .bundleIdentifier, example: "com.example.app")
    package static let ofAccount = Parameter(
        "account", as: "ofAccount", "Only those of this account.", .identifier(max: IdentifierRule.account.lengthMax),
        example: "alice")
    package static let ofDeviceId = Parameter(
        "deviceId", as: "ofDeviceId", "Only those of this device.", .identifier(max: IdentifierRule.device.lengthMax))
    package static let finished = Parameter("finished", "Only finished, or only unfinished.", ["type": "boolean"])

    /// Limits a list to objects in one state.
    package static func state(
        _ states: any (Decodable & Sendable).Type, as component: String, example: JSONValue? = nil
    ) -> Parameter {
        Parameter("state", as: component, "Only those in this state.", .type(states), example: example)
    }

    package static let intentStates = Parameter(
        "state", as: "intentStates", "Only those in one of these states. Default: all.",
        .list(of: .type(StorePurchaseIntent.State.self)), separator: .comma)
}

// MARK: - Products

extension Parameter {
    package static let ids = Parameter(
        "ids", "Product identifiers.", .list(of: .identifier(), max: 500), separator: .comma,
        example: .array(["com.example.hiddenBeaches", "com.example.pro.monthly"]))
    package static let storefront = Parameter(
        "storefront", "The storefront of prices and texts. Default: the app's.", .storefrontCode, example: "FRA")
    package static let language = Parameter(
        "language", "The preferred language of texts. Default: the storefront's.", .languageName, example: "fr")
    package static let storefronts = Parameter(
        "storefronts", "Alpha-3 codes. Default: all.", .list(of: .storefrontCode, max: 500), separator: .comma,
        example: .array(["FRA", "USA"]))
    package static let fileName = Parameter(
        "fileName", "The file's name in the report and in errors.", .identifier(), example: "App.storekit")
    package static let dryRun = Parameter(
        "dryRun",
        "true: the report is made and nothing takes effect; `catalogVersion` is the version that stays in force.",
        ["type": "boolean", "default": false], example: false)
    package static let contentVersion = Parameter(
        "version", as: "contentVersion", isRequired: true, "The version that the catalogue declares.",
        .identifier(max: 64), example: "1.0")
    package static let ofContentVersion = Parameter(
        "version", as: "ofContentVersion", "Left out: the version that the catalogue declares.", .identifier(max: 64),
        example: "1.0")
    package static let testURLFormat = Parameter(
        "format", as: "testURLFormat", "`svg` is a QR code. Left out: the type that Accept prefers, else text.",
        .text(oneOf: ["text", "svg"]))
    package static let words = Parameter(
        "q", as: "query", isRequired: true, "Every word must occur, ignoring case and accents.",
        [
            "type": "string", "minLength": 1, "maxLength": 200,
            "pattern":
                "^[^\\u0000-\\u001F\\u007F-\\u009F]*[^\\s\\u0000-\\u001F\\u007F-\\u009F][^\\u0000-\\u001F\\u007F-\\u009F]*$",
        ], example: "pro")
}

// MARK: - Events, notifications and streams

extension Parameter {
    private static let waitPattern =
        "^0*([0-9]{1,4}ms|[1-5][0-9]{4}ms|60000ms|[0-9]s?|[1-5][0-9]s?|60s?|[01]m)$"

    package static let eventType = Parameter(
        "type", as: "eventType", "Only these events.",
        .any(.type(StoreEvent.Kind.self), .type(IntentEvent.Kind.self)), example: "purchased")
    package static let wait = Parameter(
        "timeout", as: "wait",
        "How long to wait, at most a minute: 500ms, 5s, 1m, or seconds without a unit. 0 returns the present position.",
        Schema.text(matching: waitPattern).merging(["default": "30s"]), example: "500ms")
    package static let settledWait = Parameter(
        "timeout", as: "settledWait",
        """
        How long to wait, at most 20 seconds and no longer than Sb-Timeout allows: 500ms, 5s, 1m, or seconds without a \
        unit. 0 returns the present state.
        """,
        Schema.text(matching: waitPattern).merging(["default": "30s"]), example: "500ms")
    package static let eventPosition = Parameter(
        "after", as: "eventPosition",
        """
        The `id` of the last event that the client has read, or the `after` of the last events; left out: the stream \
        begins now.
        """,
        .identifier())
    package static let lastEventId = Parameter(
        "Last-Event-ID", in: .header, as: "lastEventId",
        "As `after`; a browser resumes by it, and it takes precedence over `after`.", ["type": "string"])
    package static let promotedPurchases = Parameter(
        "promotedPurchases", "In place of the session's own choice.",
        .type(DeviceLaunch.PromotedPurchases.self))
    package static let notificationType = Parameter(
        "notificationType", "Only those of this type.", .type(NotificationType.self), example: "DID_RENEW")
    package static let notificationSubtype = Parameter(
        "subtype", as: "notificationSubtype", "Only those of this subtype.", .type(NotificationSubtype.self))
}

// MARK: - Signed data

extension Parameter {
    package static let signedView = Parameter(
        "view", as: "signedView", "Which transactions. Default: all.", .type(SignedView.self), example: "entitlements")
    package static let signedProduct = Parameter(
        "product", as: "signedProduct", "Only those of this product.", .identifier(),
        example: "com.example.pro.monthly")
    package static let finishedConsumables = Parameter(
        "finishedConsumables", "true: `all` lists the consumables that the app has finished, too.",
        ["type": "boolean", "default": false], example: false)
    package static let knownRevision = Parameter(
        "revision", as: "knownRevision",
        "The `revision` of an earlier response. If nothing has changed since, the response is without transactions.",
        ["type": "string", "minLength": 1, "maxLength": 64])
    package static let signedGroup = Parameter(
        "group", as: "signedGroup", "Only this subscription group.", .identifier(), example: "21378123")
    package static let signedTransaction = Parameter(
        "transaction", as: "signedTransaction", "Only the subscription that this transaction belongs to.",
        .text(matching: "^[0-9]{1,19}$"))
    package static let streamForm = Parameter(
        "form", as: "streamForm",
        "2: the stream has StoreKit 2's events, too: `signedTransaction` and `subscriptionStatus`. Default: 1.",
        .text(oneOf: StreamForm.self))
}

// MARK: - The operator's other parameters

extension Parameter {
    package static let keyIdentifier = Parameter(
        "keyIdentifier", as: "keyId", isRequired: true, "The key.", .identifier(), example: "k_01m7ye06a9")
    package static let csrfToken = Parameter(
        ConsoleRoutes.csrfHeader, in: .header, as: "csrfToken", isRequired: true,
        "The `csrfToken` of the cookie's session.", ["type": "string"],
        example: "q1bZ0uVvXQzT3yC8m2nF5sKp7rWdL4hJ6gE9aBtYxN0")
    package static let connectionState = Parameter(
        "state", as: "connectionState", "Which connections. Default: the open ones.",
        .text(oneOf: BusConnectionFilter.self))
    package static let connectionOrder = Parameter(
        "sort", as: "connectionOrder", "The order, in nats-server's words; descending by numbers and times.",
        .text(oneOf: BusConnectionOrder.self))
    package static let connectionLimit = Parameter(
        "limit", as: "connectionLimit", "The maximum number of connections. Default: 1024.", .integer(1...1024))
    package static let tapSubject = Parameter(
        "subject", "A pattern of subjects, in which `*` is one token and `>` the rest. Default: `>`.",
        ["type": "string", "minLength": 1, "maxLength": 255], example: "sb.payment.v1.>")
    package static let tapText = Parameter(
        "text", "Only messages with this text, in the subject, a header or the body.",
        ["type": "string", "minLength": 1, "maxLength": 255])
    package static let tracesOf = Parameter(
        "of", as: "tracesOf", "Only traces of this identifier: a trace's, a transaction's or a notification's.",
        ["type": "string", "minLength": 1, "maxLength": 255], example: "2000000000000001")
    package static let slowerThan = Parameter(
        "slowerThan", "Only traces that begin with a span of at least as many milliseconds.", .integer(0...300_000))
    package static let traceLimit = Parameter(
        "limit", as: "traceLimit", "The maximum number of traces. Default: 100.", .integer(1...100))
    package static let fault = Parameter("fault", "Only faults of this kind.", .type(BusFault.self))
    package static let faultyService = Parameter(
        "service", "Only faults at this service.", .faultTarget)
    package static let environmentApp = Parameter(
        "bundleId", as: "environmentApp", isRequired: true,
        "The app. It may be left out while the store has one app.", .bundleIdentifier)
    package static let environmentFormat = Parameter(
        "format", as: "environmentFormat", "`shell`: export lines. `dotenv`, `github`: NAME=value lines.",
        Schema.text(oneOf: StoreEnvironment.Format.self).merging(["default": "json"]))
}

// MARK: - Downloads

extension Parameter {
    package static let range = Parameter(
        "Range", in: .header, as: "range",
        "One range of bytes: bytes=0-499, bytes=500- or bytes=-500. The gateway ignores any other form.",
        ["type": "string"], example: "bytes=0-499")
    package static let ifRange = Parameter(
        "If-Range", in: .header, as: "ifRange",
        "The ETag with which the client has begun; with another one the response is the whole package.",
        ["type": "string"])
}

// MARK: - The App Store Server API

extension Parameter {
    package static let revision = Parameter(
        "revision", as: "serverRevision", "The revision of the page before, with the same query.",
        ["type": "string", "minLength": 1, "maxLength": 64])
    package static let startDate = Parameter(
        "startDate", as: "serverStartDate", "Bought at or after, milliseconds since 1970.",
        .integer(0...9_007_199_254_740_991))
    package static let endDate = Parameter(
        "endDate", as: "serverEndDate", "Bought at or before; after `startDate`.", .integer(0...9_007_199_254_740_991))
    package static let productId = Parameter(
        "productId", as: "serverProductId", "Any of these products.", .list(of: .identifier(), max: 20),
        separator: .repetition)
    package static let productType = Parameter(
        "productType", as: "serverProductType", "Any of these types.",
        .list(
            of: .text(oneOf: ["AUTO_RENEWABLE", "NON_RENEWABLE", "CONSUMABLE", "NON_CONSUMABLE"]), max: 20),
        separator: .repetition)
    package static let sort = Parameter(
        "sort", as: "serverSort", "By the last change.",
        Schema.text(oneOf: ["ASCENDING", "DESCENDING"]).merging(["default": "ASCENDING"]))
    package static let subscriptionGroupIdentifier = Parameter(
        "subscriptionGroupIdentifier", as: "serverSubscriptionGroupIdentifier", "Any of these groups.",
        .list(of: .identifier(), max: 20),
        separator: .repetition)
    package static let inAppOwnershipType = Parameter(
        "inAppOwnershipType", as: "serverInAppOwnershipType",
        "FAMILY_SHARED selects nothing: the store has no Family Sharing.",
        .text(oneOf: ["PURCHASED", "FAMILY_SHARED"]))
    package static let revoked = Parameter(
        "revoked", as: "serverRevoked", "Only refunded and revoked ones, or only others.",
        .text(oneOf: ["true", "false", "True", "False"]))
    package static let excludeRevoked = Parameter(
        "excludeRevoked", as: "serverExcludeRevoked", "Whether to leave out refunded and revoked ones.",
        .text(oneOf: ["true", "false", "True", "False"]))
    package static let status = Parameter(
        "status", as: "serverStatus", "Any of these states.", .list(of: .integer(1...5), max: 20),
        separator: .repetition)
    package static let paginationToken = Parameter(
        "paginationToken", "The paginationToken of the page before, with the same body.",
        ["type": "string", "minLength": 1, "maxLength": 512])
}

// MARK: - Headers of many operations

extension Parameter {
    /// The time that a client waits. Every operation that is built has it.
    package static let timeout = Parameter(
        "Sb-Timeout", in: .header, as: "timeout",
        "How long the client waits, in milliseconds. Default: 5000, unless the operation says otherwise.",
        .integer(50...30_000), example: 5000)

    /// The idempotency key of an operation.
    /// - Parameter thing: The object that one key makes once.
    package static func idempotencyKey(
        as component: String, isRequired: Bool, _ description: String, example: JSONValue
    ) -> Parameter {
        Parameter(
            "Idempotency-Key", in: .header, as: component, isRequired: isRequired, description,
            .text(matching: "^[!-~]([ -~]{0,253}[!-~])?$"), example: example)
    }

    package static let key = idempotencyKey(
        as: "key", isRequired: true,
        "One key is one charge, one restore or one move of the clock, however often the client sends the request.",
        example: "order-1")
    package static let optionalKey = idempotencyKey(
        as: "optionalKey", isRequired: false,
        """
        One key is one charge, however often the client sends the request; without it each request is another purchase.
        """, example: "order-1")
    package static let startKey = idempotencyKey(
        as: "startKey", isRequired: false,
        """
        One key is one purchase that begins in the store, however often the client sends the request. Without it each \
        request is another purchase, unless one of the product is pending.
        """, example: "tap-1")
}
