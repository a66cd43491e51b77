import Chaos
import EventLoop
import Glibc

/// Kills, pauses and restarts containers of a compose project, and has them started again.
final class ComposeDriver: ServiceDriver {
    /// A container's state, as `docker inspect` prints it.
    struct ContainerState: Hashable, Sendable {
        var id: String
        /// `running`, `paused`, `restarting`, `exited`, …
        var status: String
        /// Of its main process on the engine's machine, or 0 if it has none.
        var pid: Int32

        /// Format of `docker inspect` for the lines that ``parse(_:)`` reads.
        static let format = "{{.Id}}\t{{.State.Status}}\t{{.State.Pid}}"

        static func parse(_ text: String) -> [ContainerState] {
            text.split(separator: "\n").compactMap { line in
                let words = line.split(separator: "\t").map(String.init)
                guard words.count == 3, let pid = Int32(words[2]) else { return nil }
                return ContainerState(id: words[0], status: words[1], pid: pid)
            }
        }
    }

    private struct State {
        /// The last seen, by the container.
        var seen: [String: ContainerState] = [:]
        /// Paused containers, by the number of their fault.
        var paused: [Int: String] = [:]
        /// Containers that the run has killed or restarted.
        var struck: Set<String> = []
        var restarts: [Task<Void, Never>] = []
    }

    let project: ComposeProject
    private let docker: DockerCommand
    /// Sends SIGKILL to the main process of a container. Returns false if it cannot. Tests provide their own.
    private let killProcess: @Sendable (ContainerState) -> Bool
    private let state = Locked(State())

    init(
        _ project: ComposeProject, _ docker: DockerCommand,
        killProcess: @escaping @Sendable (ContainerState) -> Bool = ComposeDriver.killOnThisMachine
    ) {
        self.project = project
        self.docker = docker
        self.killProcess = killProcess
    }

    // MARK: Means

    func check(_ fault: FaultName, _ services: [String]) async throws(CLIError) {
        for service in services {
            let containers = await inspect(service)
            guard let container = containers.first(where: { $0.status == "running" }) else {
                throw CLIError(
                    .usage,
                    "the fault '\(fault.rawValue)' needs a running container of \(service), which project "
                        + "\(project.name) has not",
                    hints: ["see docker compose --project-name \(project.name) ps"])
            }
            guard fault == .kill, !Self.isOnThisMachine(container), !project.runs(ComposeProject.keeper) else {
                continue
            }
            throw CLIError(
                .usage,
                "the fault 'kill' needs a way to bring \(service) back, and its process cannot be signalled from here",
                hints: [
                    "start the store with its keeper, which restarts killed containers: "
                        + "\(ComposeProject.start)",
                    "or run it as root on the engine's machine",
                ])
        }
    }

    /// Whether the container's process is one of this machine that the caller may signal.
    ///
    /// The identifier of a process on another machine, or of a container that was replaced, may be another one's here.
    static func isOnThisMachine(_ container: ContainerState) -> Bool {
        container.pid > 0 && FileAccess.text("/proc/\(container.pid)/cgroup")?.contains(container.id) == true
            && kill(container.pid, 0) == 0
    }

    static func killOnThisMachine(_ container: ContainerState) -> Bool {
        isOnThisMachine(container) && kill(container.pid, SIGKILL) == 0
    }

    // MARK: Faults

    func pids(of service: String) -> [Int32] {
        let containers = project.containers(of: service)
        return state.withLock { state in containers.map { state.seen[$0.id]?.pid ?? 0 } }
    }

    func strike(_ fault: PlannedFault) async -> Int32? {
        let containers = await inspect(fault.target)
        guard !containers.isEmpty else { return nil }
        let container = containers[fault.replica % containers.count]
        switch fault.name {
        case .kill:
            state.withLock { state in
                state.struck.insert(container.id)
                state.seen[container.id]?.pid = 0
            }
            // The engine starts again what crashed, and by design nothing that was killed through it.
            if !killProcess(container) { _ = await docker.run(["kill", container.id]) }
        case .restart: restart(container.id, of: fault.target)
        default:
            state.withLock { $0.paused[fault.number] = container.id }
            _ = await docker.run(["pause", container.id])
        }
        return container.pid
    }

    /// Restarts a container while the run goes on: it ends when its requests are answered.
    private func restart(_ id: String, of service: String) {
        let task = Task {
            _ = await docker.run(["restart", "--time", "20", id])
            _ = await inspect(service)
        }
        state.withLock { state in
            state.struck.insert(id)
            state.restarts.append(task)
        }
    }

    func relieve(_ fault: PlannedFault) async {
        if let id = state.withLock({ $0.paused.removeValue(forKey: fault.number) }) {
            _ = await docker.run(["unpause", id])
        }
    }

    func relieveAll() async {
        let (paused, restarts, struck) = state.withLock { state in
            defer {
                state.paused = [:]
                state.restarts = []
                state.struck = []
            }
            return (Array(state.paused.values), state.restarts, state.struck.sorted())
        }
        for id in paused { _ = await docker.run(["unpause", id]) }
        for restart in restarts { await restart.value }
        // What the engine or the keeper has started already is left as it is.
        for id in struck { _ = await docker.run(["start", id]) }
    }

    // MARK: State

    func answers(_ service: String) async -> Bool? {
        switch service {
        case ComposeProject.postgres:
            guard let id = project.containers(of: service).first?.id else { return false }
            return await docker.run(["exec", id, "pg_isready", "-q", "-h", "127.0.0.1"]).isGood
        case _ where ComposeProject.isOffTheBus(service):
            return await inspect(service).allSatisfy { $0.status == "running" }
        default: return nil
        }
    }

    /// Asks the engine for the containers of a service, in the order of its replicas.
    private func inspect(_ service: String) async -> [ContainerState] {
        let ids = project.containers(of: service).map(\.id)
        guard !ids.isEmpty else { return [] }
        let found = await docker.run(["inspect", "--format", ContainerState.format] + ids)
        let states = ContainerState.parse(found.text)
        state.withLock { state in
            for container in states { state.seen[container.id] = container }
        }
        return ids.compactMap { id in states.first { $0.id == id } }
    }

    // MARK: Keys

    /// Reads a secret of a container, or nil if it cannot be read.
    func secret(_ name: String, of service: String) async -> String? {
        guard let id = project.containers(of: service).first(where: { $0.state == "running" })?.id else { return nil }
        let read = await docker.run(["exec", id, "cat", "/var/lib/storebus/secrets/\(name)"])
        return read.isGood && !read.lastLine.isEmpty ? read.lastLine : nil
    }
}
