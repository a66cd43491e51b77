import StoreModels

/// Where the business clocks of all apps get the wall clock from; the only door to it in this service, so that a test
/// can hand in its own.
package struct BusinessClock: Sendable {
    /// Milliseconds since 1970 as the machine tells them.
    package let wall: @Sendable () -> Timestamp

    package init(wall: @escaping @Sendable () -> Timestamp = Timestamp.wallClock) { self.wall = wall }

    /// The app's own time, by its row.
    package func now(_ app: AppClock) -> Timestamp { app.now(wall: wall()) }
}
