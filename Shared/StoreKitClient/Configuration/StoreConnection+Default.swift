import Foundation
internal import StoreModels

extension StoreConnection {
    private static let chosen = LockedValue<StoreConnection?>(nil)
    private static let isInUse = LockedValue(false)

    /// Sets the store of `SKPaymentQueue.default()` and of every object without a queue of its own.
    ///
    /// - Precondition: Called once, before the first call of the default queue to the store.
    public static func use(_ connection: StoreConnection) {
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
        guard let connection = fromEnvironment(ProcessInfo.processInfo.environment) else {
            fatalError(
                "no store: call StoreConnection.use(_:), or set STOREBUS_URL, STOREBUS_BUNDLE_ID, STOREBUS_DEVICE_ID "
                    + "and STOREBUS_ACCOUNT")
        }
        return connection
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
