import Foundation

extension StoreConnection {
    private static let chosen = Locked<StoreConnection?>(nil)
    private static let isInUse = Locked(false)

    /// Says which store `SKPaymentQueue.default()` and everything without a queue of its own speak with.
    ///
    /// - Precondition: Said before the default queue was asked for anything of the store, and once.
    public static func use(_ connection: StoreConnection) {
        if isInUse.withLock({ $0 }) { fatalError("the store's connection is chosen before the default queue is used") }
        chosen.withLock { chosen in
            if chosen != nil { fatalError("the store's connection is chosen once") }
            chosen = connection
        }
    }

    /// The connection of the default queue. From here on it is fixed.
    static func defaultConnection() -> StoreConnection {
        isInUse.withLock { $0 = true }
        if let connection = chosen.withLock({ $0 }) { return connection }
        guard let connection = fromEnvironment(ProcessInfo.processInfo.environment) else {
            fatalError(
                "no store: call StoreConnection.use(_:), or set STOREBUS_URL, STOREBUS_BUNDLE_ID, STOREBUS_DEVICE_ID "
                    + "and STOREBUS_ACCOUNT")
        }
        return connection
    }

    /// Reads a connection from environment variables: `STOREBUS_URL`, `STOREBUS_BUNDLE_ID`, `STOREBUS_DEVICE_ID`,
    /// `STOREBUS_ACCOUNT`, all needed, and `STOREBUS_STOREFRONT`.
    /// - Returns: Nil when one that is needed is missing or the URL is none.
    public static func fromEnvironment(_ environment: [String: String]) -> StoreConnection? {
        guard let gateway = environment["STOREBUS_URL"].flatMap({ URL(string: $0) }),
            let bundleId = environment["STOREBUS_BUNDLE_ID"], let deviceId = environment["STOREBUS_DEVICE_ID"],
            let account = environment["STOREBUS_ACCOUNT"]
        else { return nil }
        return StoreConnection(
            gateway: gateway, bundleId: bundleId, deviceId: deviceId, account: account,
            storefront: environment["STOREBUS_STOREFRONT"])
    }
}
