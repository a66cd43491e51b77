/// Where an app's notifications go, and how often they are tried.
public struct NotificationEndpoint: Hashable, Sendable, Codable {
    /// The url of an endpoint whose notifications are leased instead of sent.
    public static let listen = "listen:"
    /// The default of `timeoutMs`.
    public static let timeoutMsDefault = 5_000
    /// The bounds of `timeoutMs`.
    public static let timeoutMsRange = 100...60_000

    /// When an attempt is repeated that has failed.
    public enum Retry: String, CaseIterable, Sendable, Codable {
        /// Five more, 1, 12, 24, 48 and 72 hours of the app's clock after the one before.
        case apple
        /// None, as in Apple's sandbox.
        case sandbox
        /// Five more, 1, 2, 4, 8 and 16 seconds of real time after the one before.
        case fast

        /// Returns what Apple does in an environment.
        public static func usual(in environment: AppStoreEnvironment) -> Retry {
            environment == .production ? .apple : .sandbox
        }
    }

    /// `http://…`, `https://…` or `listen:`; kept as it was given.
    public var url: String
    public var retry: Retry
    /// Whether the app's environment decides about `retry`, because the operator has not.
    public var retryFollowsEnvironment: Bool?
    /// How long one attempt may take, redirects included.
    public var timeoutMs: Int = timeoutMsDefault
    /// Whether notifications that are due together are sent in a random order.
    public var shuffle: Bool?
    /// Whether each notification that was delivered is sent once more.
    public var duplicate: Bool?

    /// Whether notifications are leased by listeners.
    public var isListen: Bool { url.isExactly(Self.listen) }
}
