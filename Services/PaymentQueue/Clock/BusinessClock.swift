import StoreModels

/// Where the business clocks of all apps get the wall clock from; the only door to it in this service, so that a test
/// can hand in its own.
struct BusinessClock: Sendable {
    /// Milliseconds since 1970 as the machine tells them.
    var wall: @Sendable () -> Timestamp = Timestamp.wallClock

    /// The app's own time, by its row.
    func now(_ app: AppClock) -> Timestamp { app.now(wall: wall()) }
}
