import DequeModule
internal import EventLoop
internal import Logging

/// At most eight connections, with a queue of waiters.
actor PostgresPool {
    static let connectionsMax = 8
    /// The waits between attempts at a server that is away. They double up to 500 ms, and each is shortened at random,
    /// so that replicas do not come back all at once.
    static let backoff = Backoff(min: .milliseconds(100), max: .milliseconds(500))

    typealias Waiter = UnsafeContinuation<Result<PostgresConnection, PersistenceError>, Never>

    nonisolated let loop: UVLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    nonisolated let state: PostgresState

    private let open: @Sendable () async throws(PersistenceError) -> PostgresConnection
    private var idle: [PostgresConnection] = []
    private var waiters = Deque<Waiter>()
    /// Connections that are open or being opened.
    private var count = 0
    private var failures = 0
    private var isClosing = false
    private var closers: [UnsafeContinuation<Void, Never>] = []

    /// - Parameter open: Opens a connection that is ready for statements.
    init(
        loop: UVLoop, state: PostgresState,
        open: @escaping @Sendable () async throws(PersistenceError) -> PostgresConnection
    ) {
        self.loop = loop
        self.state = state
        self.open = open
    }

    /// Takes the first connection over.
    func begin(with connection: PostgresConnection) {
        count += 1
        adopt(connection)
    }

    /// Gets a connection for one transaction. The caller gives it back with ``release(_:)``.
    /// - Throws: `overloaded`, `closed`, and `unavailable` or another error of opening while no connection can be
    ///   opened.
    nonisolated func acquire() async throws(PersistenceError) -> PostgresConnection {
        try await withUnsafeContinuation { waiter in
            perform { $0.acquire(waiter) }
        }.get()
    }

    nonisolated func release(_ connection: PostgresConnection) {
        perform { $0.takeBack(connection) }
    }

    /// Calls `work` on the loop: immediately when this is the loop's thread.
    private nonisolated func perform(_ work: @escaping @Sendable (isolated PostgresPool) -> Void) {
        if loop.isCurrent {
            assumeIsolated { work($0) }
        } else {
            loop.execute { self.assumeIsolated { work($0) } }
        }
    }

    private func acquire(_ waiter: Waiter) {
        if isClosing { return waiter.resume(returning: .failure(state.closed)) }
        if let connection = idle.popLast() { return waiter.resume(returning: .success(connection)) }
        // While the server is unreachable the pool retries by itself; callers do not wait for that.
        if count == 0, let away = state.fault { return waiter.resume(returning: .failure(away)) }
        guard waiters.count < SQLiteDatabase.waitingMax else {
            return waiter.resume(returning: .failure(state.overloaded))
        }
        waiters.append(waiter)
        state.waiting(waiters.count)
        if count < Self.connectionsMax { connect() }
    }

    private func takeBack(_ connection: PostgresConnection) {
        guard connection.assumeIsolated({ $0.isOpen }) else { return settle() }
        if let waiter = waiters.popFirst() {
            state.waiting(waiters.count)
            waiter.resume(returning: .success(connection))
        } else {
            idle.append(connection)
            settle()
        }
    }

    // MARK: Opening

    private func connect() {
        count += 1
        // Not a child of the caller's task: the connection outlives the caller that first needed it.
        Task(executorPreference: loop) {
            do throws(PersistenceError) {
                await self.opened(.success(try await self.open()))
            } catch {
                await self.opened(.failure(error))
            }
        }
    }

    private func opened(_ result: Result<PostgresConnection, PersistenceError>) {
        switch result {
        case .success(let connection):
            failures = 0
            state.isBack()
            adopt(connection)
        case .failure(let error):
            count -= 1
            failed(error)
        }
    }

    private func adopt(_ connection: PostgresConnection) {
        connection.assumeIsolated { connection in
            connection.onLoss = { [weak self, weak connection] error in
                self?.assumeIsolated { $0.lost(connection, error) }
            }
        }
        takeBack(connection)
    }

    private func lost(_ connection: PostgresConnection?, _ error: PersistenceError) {
        count -= 1
        idle.removeAll { $0 === connection }
        if count == 0 { failed(error) } else if !waiters.isEmpty { connect() }
    }

    /// Without any connection, fails every waiter and retries the server until it answers.
    private func failed(_ error: PersistenceError) {
        settle()
        guard count == 0, !isClosing else { return }
        state.isAway(error)
        while let waiter = waiters.popFirst() { waiter.resume(returning: .failure(error)) }
        failures += 1
        let delay = Self.backoff.wait(afterAttempts: failures, jitter: 0.5...1)
        Task(executorPreference: loop) {
            try? await self.loop.sleep(for: delay)
            await self.tryAgain()
        }
    }

    private func tryAgain() {
        if count == 0, !isClosing { connect() }
    }

    // MARK: Closing

    /// Lets waiting and running callers finish, then closes the connections.
    func close() async {
        isClosing = true
        await withUnsafeContinuation { closer in
            closers.append(closer)
            settle()
        }
    }

    private func settle() {
        guard isClosing, waiters.isEmpty, idle.count == count || count == 0 else { return }
        for connection in idle { connection.assumeIsolated { $0.close() } }
        idle.removeAll()
        count = 0
        for closer in closers { closer.resume() }
        closers.removeAll()
    }
}
