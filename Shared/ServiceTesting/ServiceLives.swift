import EventLoop

/// The lives of a service in a test's store. They are the present one and further replicas on the same database.
package final class ServiceLives<Service: Sendable, Checkpoint: Equatable & Sendable>: Sendable {
    package typealias Life = ServiceLife<Service, Checkpoint>

    private struct Contents {
        var current: Life?
        var replicas: [Life] = []
    }

    private let contents = Locked(Contents())

    /// Creates a store whose service is down.
    package init() {}

    /// The present life. A test that asks while the service is down has made a mistake.
    package var current: Life {
        guard let current = contents.withLock({ $0.current }) else { preconditionFailure("the service is down") }
        return current
    }

    /// The present life, unless it is down or has crashed.
    package var alive: Life? { contents.withLock { $0.current }.flatMap { $0.crash.hasCrashed ? nil : $0 } }

    /// Makes `life` the present one, after the one before it was stopped.
    package func begin(_ life: Life) { contents.withLock { $0.current = life } }

    /// Takes note of a replica, as one more process would be.
    package func add(replica life: Life) { contents.withLock { $0.replicas.append(life) } }

    /// Ends the present life, if one exists.
    package func stop() async {
        let stopped = contents.withLock { contents in
            defer { contents.current = nil }
            return contents.current
        }
        await stopped?.stop()
    }

    /// Ends the present life and all replicas.
    package func stopAll() async {
        await stop()
        let replicas = contents.withLock { contents in
            defer { contents.replicas = [] }
            return contents.replicas
        }
        for replica in replicas { await replica.stop() }
    }
}
