/// Where an app's notifications go, and how often they are tried.
public struct NotificationEndpoint: Hashable, Sendable, Codable {
    /// The URL of an endpoint whose notifications are leased instead of sent.
    public static let listen = "listen:"
    /// The default of `timeoutMs`.
    public static let timeoutMsDefault = 5_000
    /// The bounds of `timeoutMs`.
    public static let timeoutMsRange = 100...60_000

    /// When a failed attempt is repeated.
    public enum Retry: String, CaseIterable, Sendable, Codable {
        /// Five more attempts, 1, 12, 24, 48 and 72 hours of the app's clock after the previous one.
        case apple
        /// No further attempts, as in Apple's sandbox.
        case sandbox
        /// Five more attempts, 1, 2, 4, 8 and 16 seconds of real time after the previous one.
        case fast

        /// Returns the retry that Apple uses in an environment.
        public static func usual(in environment: AppStoreEnvironment) -> Retry {
            environment == .production ? .apple : .sandbox
        }
    }

    /// `http://…`, `https://…` or `listen:`, kept as given.
    public var url: String
    public var retry: Retry
    /// Whether the app's environment decides `retry`, because the operator has not set it.
    public var retryFollowsEnvironment: Bool?
    /// How long one attempt may take, redirects included.
    public var timeoutMs: Int = timeoutMsDefault
    /// Whether notifications that are due together are sent in a random order.
    public var shuffle: Bool?
    /// Whether each delivered notification is sent once more.
    public var duplicate: Bool?

    /// Whether notifications are leased by listeners.
    public var isListen: Bool { url.isExactly(Self.listen) }
}
