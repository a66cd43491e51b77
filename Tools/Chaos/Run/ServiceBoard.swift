import StoreHTTP

/// The run's view of each service: up or down, faults in force, restarts, and length of recoveries.
package struct ServiceBoard: Sendable {
    /// A service that went down or came back.
    package struct Change: Equatable, Sendable {
        package var service: String
        package var isUp: Bool
        /// Milliseconds from the end of the fault, or of an unexpected loss from its first sight.
        package var recovered: Int64?
    }

    private struct State {
        /// The moment from which a recovery counts. Nil while no recovery is measured.
        var recoveringSince: Int64?
        /// Processes that were seen.
        var processes: Set<Int32> = []
    }

    package private(set) var services: [ChaosRun.Service]
    private var states: [State]

    package init(_ services: [String]) {
        self.services = services.map { ChaosRun.Service(service: $0) }
        states = services.map { _ in State() }
    }

    private func row(_ service: String) -> Int? { services.firstIndex { $0.service == service } }

    /// Notes that a fault begins.
    /// - Parameter now: Milliseconds since the run began, in all methods.
    package mutating func begin(_ fault: PlannedFault, now: Int64) -> [Change] {
        guard let row = row(fault.target) else { return [] }
        services[row].faults.append(fault.name.rawValue)
        guard fault.name.isInstant else { return [] }
        return down(row, since: now)
    }

    /// Notes that a fault has ended. The service's recovery counts from here.
    package mutating func end(_ fault: PlannedFault, now: Int64) {
        guard let row = row(fault.target) else { return }
        if let index = services[row].faults.firstIndex(of: fault.name.rawValue) {
            services[row].faults.remove(at: index)
        }
        if !fault.name.isInstant, !services[row].isUp { states[row].recoveringSince = now }
    }

    /// Notes the answer of a probe that was sent at `asked`.
    package mutating func probed(_ service: String, answers: Bool, asked: Int64, now: Int64) -> [Change] {
        guard let row = row(service) else { return [] }
        guard answers else { return services[row].isUp ? down(row, since: now) : [] }
        // An answer to a question from before the kill says nothing of the process after it.
        guard !services[row].isUp, asked >= states[row].recoveringSince ?? 0 else { return [] }
        let recovered = states[row].recoveringSince.map { now - $0 }
        services[row].isUp = true
        states[row].recoveringSince = nil
        if let recovered {
            services[row].lastRecoveryMilliseconds = Int(recovered)
            services[row].worstRecoveryMilliseconds = max(services[row].worstRecoveryMilliseconds ?? 0, Int(recovered))
        }
        return [Change(service: service, isUp: true, recovered: recovered)]
    }

    /// Notes the processes of a service. One that was not there before is a restart.
    /// - Parameter processes: Their identifiers. Zero is no process.
    /// - Returns: The number of restarts since the last call.
    package mutating func found(_ service: String, processes: [Int32]) -> Int {
        let present = Set(processes).subtracting([0])
        guard let row = row(service), !present.isEmpty else { return 0 }
        let restarts = states[row].processes.isEmpty ? 0 : present.subtracting(states[row].processes).count
        states[row].processes.formUnion(present)
        services[row].restarts += restarts
        return restarts
    }

    private mutating func down(_ row: Int, since now: Int64) -> [Change] {
        states[row].recoveringSince = now
        guard services[row].isUp else { return [] }
        services[row].isUp = false
        return [Change(service: services[row].service, isUp: false, recovered: nil)]
    }

    package var areAllUp: Bool { services.allSatisfy(\.isUp) }
}
