import Synchronization

/// A service's health checks, by name.
final class HealthChecks: Sendable {
    typealias Check = @Sendable () async -> HealthCheck

    private let checks = Mutex<[String: Check]>([:])

    func add(_ name: String, _ check: @escaping Check) {
        checks.withLock { $0[name] = check }
    }

    /// Runs all checks at the same time; one that takes longer than a second has failed.
    func run() async -> (status: HealthStatus, checks: [String: HealthCheck]) {
        let checks = checks.withLock { $0 }
        let results = await withTaskGroup(of: (String, HealthCheck).self) { group in
            for (name, check) in checks { group.addTask { (name, await Self.limited(check)) } }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        return (results.values.map(\.status).max() ?? .pass, results)
    }

    private static func limited(_ check: @escaping Check) async -> HealthCheck {
        await withTaskGroup(of: HealthCheck?.self) { group in
            group.addTask { await check() }
            group.addTask {
                try? await Task.sleep(for: BusServiceLimits.healthCheckTimeout)
                return Task.isCancelled ? nil : .fail("no answer within \(BusServiceLimits.healthCheckTimeout)")
            }
            defer { group.cancelAll() }
            for await result in group {
                if let result { return result }
            }
            return .fail("the check was cancelled")
        }
    }
}
