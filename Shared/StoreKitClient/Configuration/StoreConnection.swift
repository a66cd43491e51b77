import Foundation

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
    /// The device's kind, spelled as in the store's API.
    public enum Platform: String, CaseIterable, Sendable {
        case iOS, iPadOS, macOS, tvOS, watchOS, visionOS, iOSAppOnVisionOS, other
    }

    /// The gateway's address, without a path: `http://127.0.0.1:7430`.
    public var gateway: URL
    public var bundleId: String
    /// The device's identifier, chosen and kept by the app. The first launch creates an unknown device.
    public var deviceId: String
    /// The shopper's name. The first launch creates an unknown account.
    public var account: String
    public var platform: Platform
    public var osVersion: String
    public var appVersion: String
    /// The alpha-3 country code for an account that does not exist yet. For an existing account it must be the
    /// account's storefront.
    public var storefront: String?
    /// The directory for downloaded content. Nil is a folder of the app and device in the user's caches.
    public var contentDirectory: URL?
    /// The target of the library's serial callback queue. Nil is the main queue while a main run loop runs, and a
    /// background queue while none does (``SKPaymentQueue``).
    public var callbackTarget: DispatchQueue?
    /// Called when the store opens the app for a purchase that began there. It runs on the callback queue, just before
    /// the app is asked about the purchase. Nil does nothing: a running app is open already.
    public var bringToFront: (@Sendable () -> Void)?
    /// Receives one sentence for each problem that the library handles by itself: a lost stream, a repeated payment.
    /// The sentences never contain tokens, receipts or names of shoppers. Called on any thread. Nil drops them; a
    /// problem that the app should fix, such as an observer whose methods cannot be called, is then written to standard
    /// error.
    public var log: (@Sendable (String) -> Void)?

    public init(
        gateway: URL, bundleId: String, deviceId: String, account: String, platform: Platform = .other,
        osVersion: String = "1.0", appVersion: String = "1.0", storefront: String? = nil,
        contentDirectory: URL? = nil, callbackTarget: DispatchQueue? = nil,
        bringToFront: (@Sendable () -> Void)? = nil,
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
        self.contentDirectory = contentDirectory
        self.callbackTarget = callbackTarget
        self.bringToFront = bringToFront
        self.log = log
    }

    /// Reports a problem that the app should fix: to its log, else to standard error.
    static func warn(_ sentence: String, _ connection: StoreConnection?) {
        guard let log = connection?.log else {
            return FileHandle.standardError.write(Data("StoreKitClient: \(sentence)\n".utf8))
        }
        log(sentence)
    }

    /// The URL of `path`, which is percent-encoded already, at the gateway.
    func url(_ path: String) -> URL? { URL(string: gateway.absoluteString.trimmingSuffix("/") + path) }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}

/// How patient the library is. Tests are less so.
struct ClientTiming: Sendable {
    /// The first wait before something is tried again; it doubles up to `backoffMax`, with full jitter.
    var backoffMin = Duration.milliseconds(100)
    var backoffMax = Duration.seconds(5)
    /// How long a purchase or a restore that has certainly not reached the store is tried before it fails.
    var patience = Duration.seconds(30)
    /// How long one request may be without a byte. The store answers within 5 s, or says that it could not.
    var requestTimeout = Duration.seconds(15)
    /// How long a stream may be silent. The store sends a comment every 15 s.
    var streamTimeout = Duration.seconds(45)
    /// How long `canMakePayments()` waits for a first session.
    var firstSessionWait = Duration.seconds(5)
}
