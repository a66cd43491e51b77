internal import StoreModels

/// The store's address and the app's identity there: one app on one device, used by one account.
///
/// ```swift
/// StoreConnection.use(
///     StoreConnection(
///         gateway: URL(string: "http://127.0.0.1:7430")!, bundleId: "com.example.app", deviceId: "alice-1",
///         account: "alice"))
/// SKPaymentQueue.default().add(StoreObserver.shared)
/// ```
/// Set it once, before the first call to the store: `add`, `canMakePayments()`, a request's `start()`. Queues, requests
/// and payments can be made before. An app that sets none is configured by its environment: ``fromEnvironment(_:)``.
public struct StoreConnection: Sendable {
    /// The kind of device, spelled as in the store's API.
    public enum Platform: String, CaseIterable, Sendable {
        case iOS, iPadOS, macOS, tvOS, watchOS, visionOS, iOSAppOnVisionOS, other
    }

    /// The gateway's address, without a path: `http://127.0.0.1:7430`.
    public var gateway: URL
    /// The app's bundle identifier in the store's catalogue.
    public var bundleId: String
    /// The device's identifier, chosen and kept by the app. The first launch creates a device that the store does not
    /// know.
    public var deviceId: String
    /// The shopper's account name. The first launch creates an account that the store does not know.
    public var account: String
    /// The device's platform. It decides with `osVersion` whether the device has promotions and ``PurchaseIntent``.
    public var platform: Platform
    /// The system's version in dotted integers: `17.2`.
    public var osVersion: String
    /// The app's version in dotted integers: `1.0`.
    public var appVersion: String
    /// The ISO 3166-1 alpha-3 country code of a new account. For an existing account it must be the account's
    /// storefront. Nil accepts any.
    public var storefront: String?
    /// The roots by which signed data is verified, each file in DER or PEM. Nil means the file that `STOREBUS_ROOT`
    /// names. Without either it is the root that the store names, except in production, where nothing is verified then.
    public var rootCertificates: [Data]?
    /// The environment of the app's signed data. With `production` no root that a store names is trusted. Nil means the
    /// environment that the store names.
    public var environment: AppStore.Environment?
    /// Whether ``Transaction/all`` lists consumables that the app has finished. In StoreKit it is
    /// `SKIncludeConsumableInAppPurchaseHistory` of Info.plist.
    public var listsFinishedConsumables = false
    /// The directory for downloaded content, the receipt and the signed lists of the last run. Nil means a folder of
    /// the app and device in the user's caches.
    public var contentDirectory: URL?
    /// The target of the library's serial callback queue. Nil means the main queue while a main run loop,
    /// `dispatchMain()` or an async `main` serves it, and a background queue otherwise (``SKPaymentQueue``).
    public var callbackTarget: DispatchQueue?
    /// Called when the store opens the app for a purchase that began in the store. It runs on the callback queue, just
    /// before the app is asked about the purchase. With nil the library does nothing.
    public var bringToFront: (@Sendable () -> Void)?
    /// The text that the customer enters into the sheet for offer codes. Nil or the empty text dismisses the sheet.
    /// Without it the text is that of `STOREBUS_OFFER_CODE`. The library calls it on any thread.
    public var enterOfferCode: (@Sendable () async -> String?)?
    /// Receives one sentence for each problem that the library handles itself, such as a lost stream. The sentences
    /// never contain tokens, receipts or names of shoppers. The library calls it on any thread. Nil drops the
    /// sentences, but a problem that the app should fix, such as an observer whose methods cannot be called, is then
    /// written to standard error.
    public var log: (@Sendable (String) -> Void)?

    /// Describes a connection. It sends nothing before the first call of a queue.
    public init(
        gateway: URL, bundleId: String, deviceId: String, account: String, platform: Platform = .other,
        osVersion: String = "1.0", appVersion: String = "1.0", storefront: String? = nil,
        rootCertificates: [Data]? = nil, environment: AppStore.Environment? = nil,
        contentDirectory: URL? = nil, callbackTarget: DispatchQueue? = nil,
        bringToFront: (@Sendable () -> Void)? = nil,
        enterOfferCode: (@Sendable () async -> String?)? = nil,
        log: (@Sendable (String) -> Void)? = nil
    ) {
        self.gateway = gateway
        self.bundleId = bundleId
        self.deviceId = deviceId
        self.account = account
        self.platform = platform
        self.osVersion = osVersion
        self.appVersion = appVersion
        self.storefront = storefront
        self.rootCertificates = rootCertificates
        self.environment = environment
        self.contentDirectory = contentDirectory
        self.callbackTarget = callbackTarget
        self.bringToFront = bringToFront
        self.enterOfferCode = enterOfferCode
        self.log = log
    }

    /// The roots of ``rootCertificates`` or of the environment. Nil for those of the store.
    var trustedRoots: [Data]? {
        if let rootCertificates { return rootCertificates }
        guard let file = ProcessInfo.processInfo.environment["STOREBUS_ROOT"] else { return nil }
        if let data = FileManager.default.contents(atPath: file) { return [data] }
        Self.warn("STOREBUS_ROOT names a file that cannot be read, so no signed data is verified: \(file)", self)
        return []
    }

    /// Reports a problem that the app should fix: to `log`, else to standard error.
    static func warn(_ sentence: String, _ connection: StoreConnection?) {
        guard let log = connection?.log else {
            return FileHandle.standardError.write(Data("StoreKitClient: \(sentence)\n".utf8))
        }
        log(sentence)
    }

}

extension URL {
    /// The URL of a percent-encoded path at this gateway.
    func appendingPath(_ path: String) -> URL? {
        let text = absoluteString
        return URL(string: (text.hasSuffix("/") ? String(text.dropLast()) : text) + path)
    }
}

/// The library's waits and timeouts. Tests use shorter ones.
struct ClientTiming: Sendable {
    /// The longest first wait before a retry. It doubles up to `backoffMax`, with full jitter.
    var backoffMin = Duration.milliseconds(100)
    var backoffMax = Duration.seconds(5)
    /// The retry time of a request that certainly did not reach the store.
    var retryTimeout = Duration.seconds(30)
    /// The longest time a request may receive no byte. The gateway responds within 5 s, if only with an error.
    var requestTimeout = Duration.seconds(15)
    /// The longest time a stream may receive no byte. The gateway sends a comment every 15 s.
    var streamTimeout = Duration.seconds(45)
    /// The longest time `canMakePayments()` waits for the first session.
    var firstSessionWait = Duration.seconds(5)
}

extension StoreConnection {
    private static let chosen = LockedValue<StoreConnection?>(nil)
    private static let isInUse = LockedValue(false)
    /// Whether a test has chosen the store.
    private static let isInTest = LockedValue(false)

    /// Makes the default queue's connection that of a test. The app's own choice has no effect from then on.
    static func beginTest() {
        isInTest.withLock { $0 = true }
        isInUse.withLock { $0 = true }
    }

    /// Sets the store of `SKPaymentQueue.default()` and of every object without a queue of its own.
    ///
    /// - Precondition: Called once, before the first call of the default queue to the store.
    public static func use(_ connection: StoreConnection) {
        guard !isInTest.withLock({ $0 }) else {
            return warn("the test's store is used, and not that of StoreConnection.use(_:)", connection)
        }
        if isInUse.withLock({ $0 }) { fatalError("the store's connection is chosen before the default queue is used") }
        chosen.withLock { chosen in
            if chosen != nil { fatalError("the store's connection is chosen once") }
            chosen = connection
        }
    }

    /// The connection of the default queue. It is fixed from the first call on.
    static func defaultConnection() -> StoreConnection {
        isInUse.withLock { $0 = true }
        if let connection = chosen.withLock({ $0 }) { return connection }
        let environment = ProcessInfo.processInfo.environment
        guard let connection = fromEnvironment(environment) ?? beforeTest(environment) else {
            fatalError(
                "no store: call StoreConnection.use(_:), or set STOREBUS_URL, STOREBUS_BUNDLE_ID, STOREBUS_DEVICE_ID "
                    + "and STOREBUS_ACCOUNT")
        }
        return connection
    }

    /// The connection of a process whose test makes its store later. It reaches nothing.
    private static func beforeTest(_ environment: [String: String]) -> StoreConnection? {
        guard environment["STOREBUS_ADMIN_KEY"] != nil else { return nil }
        return URL(string: "http://127.0.0.1:9").map {
            StoreConnection(gateway: $0, bundleId: "none", deviceId: "none", account: "none")
        }
    }

    /// Reads a connection from environment variables.
    ///
    /// `STOREBUS_URL`, `STOREBUS_BUNDLE_ID`, `STOREBUS_DEVICE_ID` and `STOREBUS_ACCOUNT` are required.
    /// `STOREBUS_STOREFRONT` is optional.
    /// - Returns: The connection, or nil if a required variable is missing or the URL is invalid.
    public static func fromEnvironment(_ environment: [String: String]) -> StoreConnection? {
        guard let address = environment["STOREBUS_URL"], WebPort.isValid(in: address),
            let gateway = URL(string: address),
            let bundleId = environment["STOREBUS_BUNDLE_ID"], let deviceId = environment["STOREBUS_DEVICE_ID"],
            let account = environment["STOREBUS_ACCOUNT"]
        else { return nil }
        return StoreConnection(
            gateway: gateway, bundleId: bundleId, deviceId: deviceId, account: account,
            storefront: environment["STOREBUS_STOREFRONT"])
    }
}
