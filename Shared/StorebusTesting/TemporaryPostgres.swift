import Foundation
internal import Testing

/// A PostgreSQL server of the test process's own, on a socket in a temporary directory. It does not listen on the
/// network.
///
/// It is started when the first test asks for it, and ends with the process, however that ends: a helper shell waits
/// for the end of its input, which this process holds. Other tests share it, with a schema each. Root cannot run
/// PostgreSQL, so for root it runs as `postgres` or another unprivileged user. Its files are in memory if they fit, so
/// that hundreds of tests do not wait for one another's flushes.
public final class TemporaryPostgres: Sendable {
    /// The one server of this process. In a run without PostgreSQL the test that asks for it is skipped.
    /// - Throws: ``Missing`` with the remedy when PostgreSQL is not installed.
    public static var shared: TemporaryPostgres {
        get async throws {
            try demand()
            return try await started.value
        }
    }

    private static func demand() throws {
        if !Engine.allCases.contains(.postgres) { try Test.cancel("STOREBUS_ENGINES leaves PostgreSQL out") }
    }

    // Not a child of the test that comes first: others wait for it too.
    private static let started = Task { try await TemporaryPostgres() }

    /// The program that has to be installed.
    public struct Missing: Error, CustomStringConvertible {
        /// One line with the package to install.
        public var description: String {
            "these tests need PostgreSQL's server, initdb and postgres: apt-get install postgresql-15, or make deps"
        }
    }

    /// It did not start.
    public struct Failure: Error, CustomStringConvertible {
        /// One line for the test's report.
        public let description: String
    }

    /// The directory of its socket and its log. Its URL is `postgres://storebus@/postgres?host=<directory>`.
    public let directory: String
    /// The superuser's address, for clients on this machine.
    public var url: String { "postgres://storebus@/postgres?host=\(directory)" }

    /// Of the server itself.
    public let processIdentifier: Int32
    private let shell: ShellProcess

    /// A server separate from the shared one, for a test that stops or kills it.
    /// - Parameter isRecovering: It replays its log and refuses connections, as after a crash, until ``recover()``.
    public init(isRecovering: Bool = false) async throws {
        try Self.demand()
        let binaries = try Self.binaries()
        // Short, because a socket's path has at most 107 bytes; made without Foundation's temporary directory, which
        // may be closed to another user.
        let directory = "\(Self.parent())/sbpg-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        self.directory = directory
        let user = getuid() == 0 ? Self.unprivileged() : nil
        if let user { chown(directory, user.uid, user.gid) }
        let become = user.map { "setpriv --reuid=\($0.uid) --regid=\($0.gid) --clear-groups " } ?? ""
        let script = """
            cd '\(directory)' || exit 1
            \(become)'\(binaries)/initdb' --pgdata=data --username=storebus --auth=trust --encoding=UTF8 \
            --locale=C.UTF-8 \
                --no-sync >initdb.log 2>&1 || { cat initdb.log; exit 1; }
            \(isRecovering ? "\(become)touch data/standby.signal" : "")
            \(become)'\(binaries)/postgres' -D data -k '\(directory)' -c listen_addresses= -c max_connections=1000 \
                -c shared_buffers=64MB -c max_wal_size=256MB \
                -c hot_standby=\(isRecovering ? "off" : "on") >postgres.log 2>&1 &
            server=$!
            read -r line
            kill -QUIT "$server" 2>/dev/null
            wait "$server"
            rm -rf '\(directory)'
            """
        let shell = try ShellProcess(script)
        self.shell = shell
        do {
            try await eventually("PostgreSQL is ready", within: .seconds(60)) {
                guard shell.isRunning else {
                    throw Failure(description: "PostgreSQL did not start; see the lines above")
                }
                return Self.status(in: directory).last == (isRecovering ? "standby" : "ready")
            }
        } catch {
            try? shell.end()
            throw error
        }
        processIdentifier = Self.status(in: directory).first.flatMap { Int32($0) } ?? 0
    }

    /// Ends a recovery: connections are accepted soon after.
    public func recover() throws {
        try Data().write(to: URL(fileURLWithPath: "\(directory)/data/promote"))
        kill(processIdentifier, SIGUSR1)
    }

    /// Ends the server and removes its directory. The shared one is left running.
    public func stop() throws { try shell.end() }

    /// The lines of `postmaster.pid`: the pid first, the state last.
    private static func status(in directory: String) -> [String] {
        guard let text = try? String(contentsOfFile: "\(directory)/data/postmaster.pid", encoding: .utf8) else {
            return []
        }
        return text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// Debian keeps them apart for each version. Elsewhere they are in the path.
    private static func binaries() throws -> String {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let debian = versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "/usr/lib/postgresql/\($0)/bin" }
        let path = ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":").map(String.init)
        let found = (debian + path).first { directory in
            ["initdb", "postgres"].allSatisfy { FileManager.default.isExecutableFile(atPath: "\(directory)/\($0)") }
        }
        guard let found else { throw Missing() }
        return found
    }

    /// Memory with room for a few servers, as containers seldom give it, or else the disk.
    private static func parent() -> String {
        let memory = "/dev/shm"
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: memory)
        let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value ?? 0
        return free >= 4 << 30 && access(memory, W_OK) == 0 ? memory : "/tmp"
    }

    private static func unprivileged() -> (uid: UInt32, gid: UInt32) {
        for name in ["postgres", "nobody"] {
            if let entry = getpwnam(name) { return (entry.pointee.pw_uid, entry.pointee.pw_gid) }
        }
        return (65534, 65534)
    }
}
