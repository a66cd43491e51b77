internal import EventLoop

/// Opens connections without blocking the loop. Only the look-up of a host's name blocks, which is libpq's.
actor PostgresConnector {
    /// The time limit for one attempt, including all its waits.
    static let time: Duration = .seconds(5)

    nonisolated let loop: UVLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let location: PostgresLocation
    private let applicationName: String

    init(_ location: PostgresLocation, applicationName: String, loop: UVLoop) {
        self.location = location
        self.applicationName = applicationName
        self.loop = loop
    }

    /// Opens a connection and has `prepare` make it ready.
    /// - Throws: `unavailable` if the server is away, `cannotOpen` if it refuses the client, and the errors of
    ///   `prepare`.
    func connection(
        _ prepare: @Sendable (PostgresConnection) async throws(PersistenceError) -> Void
    ) async throws(PersistenceError) -> PostgresConnection {
        let connection = try await connect()
        await connection.start()
        do throws(PersistenceError) {
            try await prepare(connection)
            return connection
        } catch {
            await connection.close()
            throw error
        }
    }

    private func connect() async throws(PersistenceError) -> PostgresConnection {
        let attempt = try PostgresAttempt(location, applicationName: applicationName, loop: loop)
        let deadline = ContinuousClock.now + Self.time
        while true {
            switch attempt.step() {
            case .connected(let handle): return PostgresConnection(handle, loop: loop, address: location.address)
            case .failed(let error): throw error
            case .waits(let events):
                let failure = await withUnsafeContinuation { (waiter: PostgresAttempt.Waiter) in
                    attempt.wait(for: events, until: deadline, waiter)
                }
                if let failure {
                    attempt.giveUp()
                    throw failure
                }
            }
        }
    }
}
