import Chaos
import EventLoop
import Glibc

/// The way of a run to its targets: processes of `storebus up`, or containers of `docker compose`.
protocol ServiceDriver: Sendable {
    /// Process identifiers of a service in the order of its replicas, as last seen. 0 for one without a process.
    func pids(of service: String) -> [Int32]

    /// Checks that services can be killed, paused and restarted.
    /// - Throws: `usage` with the service that cannot, and the remedy.
    func check(_ fault: FaultName, _ services: [String]) async throws(CLIError)

    /// Kills, pauses or restarts one process of the fault's target.
    /// - Returns: The process that was hit, or nil if none was.
    func strike(_ fault: PlannedFault) async -> Int32?

    /// Ends a fault with a length.
    func relieve(_ fault: PlannedFault) async

    /// Takes everything back. It is safe to call again.
    func relieveAll() async

    /// Whether a service outside the bus answers. Nil for those on the bus and for the gateway.
    func answers(_ service: String) async -> Bool?
}

/// The name of a driver on the command line.
enum DriverName: String, CaseIterable, Sendable {
    /// Processes of `storebus up`.
    case process
    /// Containers of `docker compose`.
    case compose
}

/// Signals to the processes of a `storebus up`, whose supervisor starts them again.
final class ProcessDriver: ServiceDriver {
    private let directory: DataDirectory
    /// Stopped processes, by the number of their fault.
    private let stopped = Locked<[Int: Int32]>([:])

    init(_ directory: DataDirectory) { self.directory = directory }

    func pids(of service: String) -> [Int32] {
        let count = RunRecord.read(directory)?.replicas?[service] ?? 1
        return (1...count).compactMap { number in
            let name = ServiceInstance(service: service, number: number).name
            return FileAccess.text(directory.pidFile(name)).flatMap { Int32($0) }
        }
    }

    func check(_ fault: FaultName, _ services: [String]) async throws(CLIError) {
        for service in services {
            guard let pid = pids(of: service).first, kill(pid, 0) == 0 else {
                throw CLIError(
                    .usage,
                    "the fault '\(fault.rawValue)' needs the processes of \(service), which cannot be signalled",
                    hints: ["run it as the user of the store, on the same machine"])
            }
        }
    }

    func strike(_ fault: PlannedFault) async -> Int32? {
        let pids = pids(of: fault.target)
        guard !pids.isEmpty else { return nil }
        let pid = pids[fault.replica % pids.count]
        switch fault.name {
        case .kill: kill(pid, SIGKILL)
        case .restart: kill(pid, SIGTERM)
        default:
            stopped.withLock { $0[fault.number] = pid }
            kill(pid, SIGSTOP)
        }
        return pid
    }

    func relieve(_ fault: PlannedFault) async {
        if let pid = stopped.withLock({ $0.removeValue(forKey: fault.number) }) { kill(pid, SIGCONT) }
    }

    func relieveAll() async {
        let pids = stopped.withLock { stopped in
            defer { stopped = [:] }
            return Array(stopped.values)
        }
        for pid in pids { kill(pid, SIGCONT) }
    }

    func answers(_ service: String) async -> Bool? { nil }
}
