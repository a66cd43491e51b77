import EventLoop

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
