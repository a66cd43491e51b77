import Glibc
import StoreModels

/// Runs the processes of one store: performs the actions of its ``Supervisor`` and sends it events.
@MainActor
final class Stack {
    private let serviceList: ServiceList
    private let report: (Supervisor.Report) -> Void
    private var supervisor: Supervisor
    private var ports: [String: ReadyFile] = [:]
    /// Number of starts of each process.
    private var starts: [String: Int] = [:]
    private var watchers: [String: Task<Void, Never>] = [:]
    private var timer: Task<Void, Never>?
    private let events: AsyncStream<Occurrence>
    private let happened: AsyncStream<Occurrence>.Continuation

    /// Events from other threads and tasks.
    private enum Occurrence: Sendable {
        case event(Supervisor.Event)
        case ready(String, ReadyFile)
    }

    /// Interval of checks for a ready file.
    private nonisolated static let readyPoll = Duration.milliseconds(10)

    /// Interval of checks of the logs' size.
    private nonisolated static let logCheck = Duration.seconds(10)

    /// - Parameter report: Receives reports for the user.
    init(serviceList: ServiceList, report: @escaping (Supervisor.Report) -> Void) {
        self.serviceList = serviceList
        supervisor = Supervisor(serviceList.plans)
        self.report = report
        // Unbounded, because there are a few events for each process, and two signals.
        (events, happened) = AsyncStream.makeStream()
    }

    /// Starts everything and returns once every process has ended.
    func run() async -> Supervisor.Outcome {
        if let outcome = perform(supervisor.handle(.start, now: .now)) { return outcome }
        let logs = (serviceList.instances.map(\.name) + [AppOpener.log]).map {
            serviceList.settings.directory.logFile($0)
        }
        // Cancelled when this returns or throws.
        let rotation = Task { await Self.keepLogsSmall(logs) }
        defer { rotation.cancel() }
        for await occurrence in events {
            if let outcome = take(occurrence) { return outcome }
        }
        return .stopped
    }

    /// Off the main actor, because rotating a log copies it.
    @concurrent
    private nonisolated static func keepLogsSmall(_ logs: [String]) async {
        while !Task.isCancelled {
            for log in logs { LogRotation.rotate(log) }
            try? await ContinuousClock().sleep(for: logCheck)
        }
    }

    /// Stops all services. The second call kills them. Safe to call from a signal handler's thread.
    nonisolated func stop() { happened.yield(.event(.stop)) }

    /// Ports of the bus and the gateway, once they listen.
    func port(of service: String) -> Int? { ports[service]?.port }
    func monitorPort(of service: String) -> Int? { ports[service]?.monitorPort }

    private func take(_ occurrence: Occurrence) -> Supervisor.Outcome? {
        switch occurrence {
        case .ready(let service, let file):
            ports[service] = file
            return perform(supervisor.handle(.ready(service, pid: file.pid), now: .now))
        case .event(let event):
            if case .exited(let service, _, _) = event { forget(service) }
            return perform(supervisor.handle(event, now: .now))
        }
    }

    private func perform(_ actions: [Supervisor.Action]) -> Supervisor.Outcome? {
        defer { armTimer() }
        for action in actions {
            switch action {
            case .spawn(let service):
                if let outcome = perform(supervisor.handle(spawn(service), now: .now)) { return outcome }
            case .terminate(let pid): kill(pid, SIGTERM)
            case .kill(let pid): kill(pid, SIGKILL)
            case .report(let said): report(said)
            case .finished(let outcome):
                timer?.cancel()
                return outcome
            }
        }
        return nil
    }

    private func spawn(_ service: String) -> Supervisor.Event {
        let directory = serviceList.settings.directory
        unlink(directory.readyFile(service))
        do {
            let child = try ChildProcess.start(serviceList.launch(service, ports: ports)) { [happened] pid, end in
                happened.yield(.event(.exited(service, pid: pid, end)))
            }
            try? FileAccess.write(Array("\(child.pid)\n".utf8), to: directory.pidFile(service), mode: 0o600)
            let restarts = starts[service, default: 0]
            starts[service] = restarts + 1
            try? FileAccess.write(Array("\(restarts)\n".utf8), to: directory.restartFile(service), mode: 0o600)
            watchers[service] = watch(service, pid: child.pid)
            return .spawned(service, pid: child.pid)
        } catch {
            return .spawnFailed(service, reason: error.reason)
        }
    }

    /// Waits for the ready file of this process. An earlier process has another identifier.
    private func watch(_ service: String, pid: Int32) -> Task<Void, Never> {
        let path = serviceList.settings.directory.readyFile(service)
        return Task { [happened] in
            while !Task.isCancelled {
                if let file = ReadyFile.read(path), file.pid == pid {
                    happened.yield(.ready(service, file))
                    return
                }
                try? await ContinuousClock().sleep(for: Self.readyPoll)
            }
        }
    }

    private func forget(_ service: String) {
        watchers.removeValue(forKey: service)?.cancel()
        unlink(serviceList.settings.directory.pidFile(service))
        unlink(serviceList.settings.directory.readyFile(service))
    }

    private func armTimer() {
        timer?.cancel()
        timer = nil
        guard let due = supervisor.nextTick else { return }
        timer = Task { [happened] in
            try? await ContinuousClock().sleep(until: due)
            if !Task.isCancelled { happened.yield(.event(.tick)) }
        }
    }
}

/// The file a service writes once it is ready (`--ready-file`):
///
/// ```json
/// {"host":"127.0.0.1","instance":"9f3c…","monitorPort":40123,"pid":812,"port":7430,"service":"gateway"}
/// ```
struct ReadyFile: Hashable, Sendable, Decodable {
    var service: String
    var pid: Int32
    var host: String?
    /// Absent, null or 0 for a service without a port.
    var port: Int?
    var monitorPort: Int?
    var instance: String?

    /// - Returns: Nil if it is missing.
    static func read(_ path: String) -> ReadyFile? {
        FileAccess.text(path).flatMap { try? StoreJSON.decode(ReadyFile.self, from: Array($0.utf8)) }
    }
}

/// Rotates a service's log above 16 MiB: its content replaces `….log.1`, and it is truncated.
///
/// The service has the file open and appends, so the file is copied and truncated, not renamed. Lines written between
/// the two are lost.
enum LogRotation {
    static let byteCountMax = 16 * 1024 * 1024

    static func rotate(_ path: String, byteCountMax: Int = byteCountMax) {
        guard let size = FileAccess.size(path), size > byteCountMax else { return }
        // Twice the bound, for lines written during the copy; a longer log is truncated, too.
        if let bytes = try? FileAccess.read(path, byteCountMax: 2 * byteCountMax + 1024 * 1024) {
            try? FileAccess.write(bytes, to: "\(path).1", mode: 0o600)
        }
        truncate(path, 0)
    }
}
