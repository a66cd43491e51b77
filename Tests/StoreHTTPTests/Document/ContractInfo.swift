import StoreHTTP
import StoreModels

/// The part of the API's description that is about the API as a whole.
enum ContractInfo {
    static let title = "Storebus"
    static let version = "1"
    static let summary = "The store over HTTP."
    static let description = """
        The API speaks JSON in camelCase with StoreKit's names. Dates are ISO 8601 with milliseconds and Z. \
        Enumerations are strings; x-enum-values has StoreKit's raw numbers, or those of Apple's server where StoreKit \
        has none. Every error is a problem (RFC 9457) with a code, and the code is the contract. Below /inApps, where \
        Apple's server libraries call, errors of an accepted request have Apple's shape.

        A body has at most 64 KiB (1 MiB with a receipt), a list of identifiers at most 500 entries, and JSON at most \
        32 levels. The store refuses unknown members with 400, and unknown query names too, except below /inApps. On \
        any path it answers another method with 405 and Allow, a body that does not arrive with 408, a target above \
        64 KiB with 414, headers above 16 KiB with 431, and a transfer coding other than chunked with 501. Responses \
        may get more members at any time. Routes that respond 501 are in the contract but not built yet.
        """

    /// The tags of operations, in the order of the document.
    static let tags: [(name: String, description: String)] = [
        ("app", "A customer's app on a device."),
        ("store", "The store on a device. The app may call it too."),
        ("server", "An app's server."),
        ("operator", "The operator and tester."),
        ("open", "Every caller."),
    ]

    /// A way to authenticate.
    struct SecurityScheme: Sendable {
        let name: String
        let schema: Schema
    }

    static let securitySchemes: [SecurityScheme] = [
        SecurityScheme(
            name: "app",
            schema: [
                "type": "http", "scheme": "bearer", "bearerFormat": "JWT", "description": "From POST /v1/sessions.",
            ]),
        SecurityScheme(
            name: "store",
            schema: [
                "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
                "description": "From POST /v1/sessions with `client` store.",
            ]),
        SecurityScheme(
            name: "admin",
            schema: [
                "type": "http", "scheme": "bearer",
                "description":
                    """
                STOREBUS_ADMIN_KEY. Without an Authorization header the gateway accepts the console's cookie, with \
                Storebus-CSRF for every method but GET.
                """,
            ]),
        SecurityScheme(
            name: "console",
            schema: [
                "type": "apiKey", "in": "cookie", "name": .value(.string(ConsoleRoutes.cookie)),
                "description":
                    "From POST /console/session; refused in requests of other pages, as Sec-Fetch-Site says.",
            ]),
        SecurityScheme(
            name: "server",
            schema: [
                "type": "http", "scheme": "bearer",
                "description":
                    "An app's API key, from POST /admin/v1/apps/{bundleId}/keys with `kind` api.",
            ]),
        SecurityScheme(
            name: "serverAPI",
            schema: [
                "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
                "description":
                    """
                Signed by the app's server, ES256, with a key from POST /admin/v1/apps/{bundleId}/keys with `kind` \
                inAppPurchase: kid its keyIdentifier, iss its issuerId, bid its bundleId, aud appstoreconnect-v1, \
                exp at most an hour after iat, or from now without iat. The wall clock counts, within a minute.
                """,
            ]),
    ]
}

extension Access {
    /// The ways to authenticate, each of which is enough. Empty for callers without credentials.
    var securitySchemes: [String] {
        switch self {
        case .open, .named: []
        case .app: ["app"]
        case .appOrStore: ["app", "store"]
        case .admin: ["admin"]
        case .console: ["console"]
        case .server: ["server"]
        case .appOrServer: ["app", "server"]
        case .serverAPI: ["serverAPI"]
        }
    }

    /// The tags of operations with this access.
    var tags: [String] {
        switch self {
        case .open: ["open"]
        case .app: ["app"]
        case .appOrStore: ["store"]
        case .admin, .console: ["operator"]
        case .server, .serverAPI, .named: ["server"]
        case .appOrServer: ["app", "server"]
        }
    }
}
