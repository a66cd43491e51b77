import EventLoop

/// The health of a service or one part of it, from good to bad.
package enum HealthStatus: String, Sendable, Codable, Comparable {
    /// All is well.
    case pass
    /// It works, with a condition the operator should look at.
    case warn
    /// It does not do its work.
    case fail

    private var severity: Int {
        switch self {
        case .pass: 0
        case .warn: 1
        case .fail: 2
        }
    }

    package static func < (left: HealthStatus, right: HealthStatus) -> Bool { left.severity < right.severity }
}

/// The result of one check: `{"status":"warn","message":"12 charges wait for the processor"}`.
package struct HealthCheck: Sendable, Equatable, Codable {
    /// Counts for the whole service: its status is its worst check's.
    package var status: HealthStatus
    /// A sentence for people. Nil when there is nothing to say.
    package var message: String?

    package init(_ status: HealthStatus, _ message: String? = nil) {
        self.status = status
        self.message = message
    }

    /// A healthy result without a message.
    package static let pass = HealthCheck(.pass)
    /// A result with a condition for the operator to look at.
    package static func warn(_ message: String) -> HealthCheck { HealthCheck(.warn, message) }
    /// A failed result with its reason, in one sentence.
    package static func fail(_ message: String) -> HealthCheck { HealthCheck(.fail, message) }
}

/// A service's health checks, by name.
final class HealthChecks: Sendable {
    private let checks = Locked<[String: LimitedHealthCheck]>([:])

    func add(_ name: String, _ check: @escaping @Sendable () async -> HealthCheck) {
        checks.withLock { $0[name] = LimitedHealthCheck(check) }
    }

    /// Runs all checks concurrently. One that takes longer than a second has failed.
    func run() async -> (status: HealthStatus, checks: [String: HealthCheck]) {
        let checks = checks.withLock { $0 }
        let results = await withTaskGroup(of: (String, HealthCheck).self) { group in
            for (name, check) in checks { group.addTask { (name, await check.run()) } }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        return (results.values.map(\.status).max() ?? .pass, results)
    }
}
