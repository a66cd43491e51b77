import Foundation

/// A nats-server of the test's own, on a port of its own on loopback.
///
/// It ends on request, and with the test process, however that ends: a helper shell waits for the end of its input,
/// which this process holds. The program is `NATS_SERVER`, or else the one in the path or in Debian's place.
public final class TemporaryNATS: Sendable {
    /// The program that has to be installed.
    public struct Missing: Error, CustomStringConvertible {
        /// One line with the package to install.
        public var description: String {
            "these tests need nats-server, in the path or named by NATS_SERVER: apt-get install nats-server, "
                + "or make deps-tests"
        }
    }

    /// It did not start.
    public struct Failure: Error, CustomStringConvertible {
        /// One line for the test's report.
        public let description: String
    }

    /// For clients.
    public let port: Int
    /// For the other servers of its cluster. Nil without a cluster.
    public let clusterPort: Int?
    /// Of the server itself.
    public let processIdentifier: Int32
    private let directory: TemporaryDirectory
    private let shell: ShellProcess

    private struct Ports: Decodable {
        let nats: [String]
        let cluster: [String]?
    }

    /// Starts one and returns once it listens.
    /// - Parameters:
    ///   - port: The port, or nil for one that the system chooses.
    ///   - cluster: Whether other servers may join it, or it joins others.
    ///   - routes: The cluster ports of the servers it joins.
    ///   - token: The credentials clients have to present.
    ///   - configuration: Additional lines of the configuration file.
    public init(
        port: Int? = nil, cluster: Bool = false, routes: [Int] = [], token: String? = nil, configuration: String? = nil
    ) async throws {
        directory = try TemporaryDirectory(prefix: "storebus-nats")
        var arguments = ["-a", "127.0.0.1", "-p", "\(port ?? -1)", "--ports_file_dir", directory.path]
        if cluster || !routes.isEmpty {
            arguments += ["--cluster_name", "storebus", "--cluster", "nats://127.0.0.1:-1"]
        }
        if !routes.isEmpty {
            arguments += ["--routes", routes.map { "nats://127.0.0.1:\($0)" }.joined(separator: ",")]
        }
        if let token { arguments += ["--auth", token] }
        if let configuration {
            try Data(configuration.utf8).write(to: URL(fileURLWithPath: directory.file("nats.conf")))
            arguments += ["-c", "nats.conf"]
        }
        let words = ([try Self.program()] + arguments).map { "'\($0)'" }.joined(separator: " ")
        let shell = try ShellProcess(
            """
            cd '\(directory.path)' || exit 1
            \(words) >log 2>&1 &
            server=$!
            echo "$server" >pid
            read -r line
            kill -CONT "$server" 2>/dev/null
            kill -KILL "$server" 2>/dev/null
            """)
        self.shell = shell
        (self.port, clusterPort, processIdentifier) = try await Self.facts(in: directory, shell)
    }

    /// Sends a signal to the server.
    public func signal(_ number: Int32) { kill(processIdentifier, number) }

    /// Freezes the server until it is signalled `SIGCONT`. Its threads continue for a moment after the signal.
    public func frozen() async throws {
        signal(SIGSTOP)
        let process = processIdentifier
        try await eventually("nats-server is stopped") {
            let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
            return threads.allSatisfy { Self.state(of: "\(process)/task/\($0)") == "T" }
        }
    }

    /// Kills the server, if it still runs. Returns immediately.
    public func stop() { try? shell.end() }

    /// Kills the server and returns when it is gone.
    public func killed() async throws {
        stop()
        let process = processIdentifier
        try await eventually("nats-server is gone") { Self.isGone(process) }
    }

    /// Whether the process has ended. Its exit status may not have been collected yet, because the process that
    /// inherits it from the shell may take its time.
    private static func isGone(_ process: Int32) -> Bool {
        let state = state(of: "\(process)")
        return state == nil || state == "Z"
    }

    /// The letter of `proc(5)`. Nil for a missing process or thread.
    private static func state(of path: String) -> Substring? {
        let text = try? String(contentsOfFile: "/proc/\(path)/stat", encoding: .utf8)
        return text?.split(separator: ")").last?.split(separator: " ").first
    }

    private static func facts(
        in directory: TemporaryDirectory, _ shell: ShellProcess
    ) async throws -> (Int, Int?, Int32) {
        do {
            var found: (Int, Int?, Int32)?
            try await eventually("nats-server is ready", within: .seconds(30)) {
                found = read(directory)
                return found != nil
            }
            if let found { return found }
        } catch {
            let log = (try? String(contentsOfFile: directory.file("log"), encoding: .utf8)) ?? ""
            try? shell.end()
            throw Failure(description: "nats-server did not start: \(log)")
        }
        throw Failure(description: "nats-server did not start")
    }

    /// The ports and the process identifier from the files of its directory. Nil while they are incomplete.
    private static func read(_ directory: TemporaryDirectory) -> (Int, Int?, Int32)? {
        guard let pidText = try? String(contentsOfFile: directory.file("pid"), encoding: .utf8),
            let pid = Int32(pidText.trimmingCharacters(in: .whitespacesAndNewlines)),
            let names = try? FileManager.default.contentsOfDirectory(atPath: directory.path),
            let name = names.first(where: { $0.hasSuffix(".ports") }),
            let data = FileManager.default.contents(atPath: directory.file(name)),
            let ports = try? JSONDecoder().decode(Ports.self, from: data),
            let port = ports.nats.first.flatMap(number(of:))
        else { return nil }
        return (port, ports.cluster?.first.flatMap(number(of:)), pid)
    }

    private static func number(of url: String) -> Int? { url.split(separator: ":").last.flatMap { Int($0) } }

    private static func program() throws -> String {
        let environment = ProcessInfo.processInfo.environment
        if let named = environment["NATS_SERVER"], !named.isEmpty { return named }
        let directories = environment["PATH", default: ""].split(separator: ":").map(String.init) + ["/usr/sbin"]
        let found = directories.map { "\($0)/nats-server" }.first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let found else { throw Missing() }
        return found
    }
}
