import ArgumentParser
import Dispatch
import Glibc
import StoreHTTP
import StoreModels

/// `storebus doctor`
struct DoctorCommand: AsyncParsableCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        "doctor", "Find problems and print how to fix them.",
        """
        storebus doctor
        storebus doctor -o json

        Checks the environment, the data directory, disk and clock, the executables, the ports of a stopped \
        store, the services of a running one, and the PostgreSQL of DATABASE_URL when it is set. Exits with 1 \
        when you have to fix something.
        """)

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let environment = CommandEnvironment.current
        let settings = try EffectiveSettings.find(
            url: global.url, data: global.data, store: global.store, environment)
        var findings = EnvironmentCheck(settings: settings, environment: environment).findings
        var store: (findings: [Finding], isAnswered: Bool)?
        if let context = try? CommandContext.find(global) { store = await StoreCheck(context: context).findings() }
        let isAddressed = global.url != nil || environment.variables["STOREBUS_URL"] != nil
        let directory = try isAddressed ? settings.directory : DataDirectory.choose(global, environment)
        if let directory {
            findings += DirectoryCheck(directory: directory).findings
            // A store that was started without `up` may hold the ports.
            if DirectoryLock.holder(directory) == nil, store?.isAnswered != true { findings += PortCheck.findings }
        }
        findings += await DatabaseCheck(environment: environment).findings()
        findings += store?.findings ?? []
        let isHealthy = !findings.contains { $0.status == .fail }
        global.output.print(Finding.result(findings))
        if !isHealthy { throw QuietExit(status: CLIErrorCode.unhealthy.status) }
    }
}

/// The result of one check.
struct Finding: Hashable, Sendable {
    enum Status: String, Sendable { case pass, warn, fail }

    var check: String
    var status: Status
    var message: String
    /// The remedy, or empty if none is needed.
    var remedy: Advice

    init(_ check: String, _ status: Status, _ message: String, remedy: Advice = "") {
        self.check = check
        self.status = status
        self.message = message
        self.remedy = remedy
    }

    static func result(_ findings: [Finding]) -> CommandResult {
        let table = Table(["CHECK", .state("STATUS"), "WHAT", "WHAT TO DO"], findings) {
            [$0.check, $0.status.rawValue, $0.message, $0.remedy.text]
        }
        let worst = findings.first { $0.status == .fail } ?? findings.first { $0.status == .warn }
        return CommandResult(
            table, items: findings.map(\.json), names: findings.filter { $0.status != .pass }.map(\.check),
            next: worst.map(\.remedy) ?? "storebus status", ifEmpty: "nothing to look at")
    }

    private var json: JSONValue {
        [
            "check": .string(check), "status": .string(status.rawValue), "message": .string(message),
            "remedy": .string(remedy.text),
        ]
    }
}

/// Checks that the services' PostgreSQL can be reached. With SQLite it checks nothing.
struct DatabaseCheck {
    let environment: CommandEnvironment

    func findings() async -> [Finding] {
        let address: DatabaseAddress
        do throws(CLIError) {
            guard let found = try DatabaseAddress.find(flag: nil, environment.variables) else { return [] }
            address = found
        } catch {
            return [Finding("database", .fail, error.message, remedy: error.hints.joined(separator: "; "))]
        }
        return [await server(address), password].compactMap(\.self)
    }

    /// One reachable server is enough.
    private func server(_ address: DatabaseAddress) async -> Finding {
        var reasons: [String] = []
        for server in address.servers {
            guard let reason = await PostgresProbe.check(server) else {
                return Finding("database", .pass, "PostgreSQL answers at \(address.location)")
            }
            reasons.append(reason)
        }
        return Finding(
            "database", .fail, "no PostgreSQL at \(address.location) (\(reasons.joined(separator: ", ")))",
            remedy: "start it, or correct DATABASE_URL; without it services use SQLite")
    }

    private var password: Finding? {
        guard let file = environment.variables["DATABASE_PASSWORD_FILE"] else { return nil }
        guard let status = FileAccess.status(file), access(file, R_OK) == 0 else {
            return Finding(
                "database password", .fail, "cannot read \(file): \(FileAccess.systemReason)",
                remedy: "correct DATABASE_PASSWORD_FILE")
        }
        guard status.st_mode & 0o077 == 0 else {
            return Finding(
                "database password", .warn, "others may read \(file)", remedy: Advice(command: "chmod 600 \(file)"))
        }
        return Finding("database password", .pass, "readable by its owner only")
    }
}

/// Checks the data directory and its disk.
struct DirectoryCheck {
    let directory: DataDirectory

    var findings: [Finding] { [location, secrets, disk, times].compactMap(\.self) }

    private var exists: Bool { FileAccess.exists(directory.path) }

    private var location: Finding {
        guard exists else {
            return Finding("data", .pass, "\(directory.path) is not there yet", remedy: "make it: storebus up")
        }
        guard access(directory.path, R_OK | W_OK | X_OK) == 0 else {
            return Finding(
                "data", .fail, "\(directory.path) cannot be written: \(FileAccess.systemReason)",
                remedy: "choose another: storebus up --data DIR")
        }
        let holder = DirectoryLock.holder(directory)
        if holder == nil, let record = RunRecord.read(directory) {
            return Finding(
                "data", .warn, "\(directory.path) remembers pid \(record.pid), which is gone",
                remedy: "start it again: storebus up --data \(directory.path)")
        }
        return Finding(
            "data", .pass, "\(directory.path), \(holder.map { "held by pid \($0)" } ?? "no store runs on it")")
    }

    /// Finds files with a key that other users may read.
    private var secrets: Finding? {
        guard exists else { return nil }
        let tokens = ServiceList.services.map(directory.busToken(of:))
        let open = ([directory.adminKey, directory.busToken, directory.busUsers] + tokens).filter { path in
            FileAccess.status(path).map { $0.st_mode & 0o077 != 0 } ?? false
        }
        guard !open.isEmpty else { return Finding("secrets", .pass, "readable by their owner only") }
        return Finding(
            "secrets", .fail, "others may read \(open.joined(separator: ", "))",
            remedy: Advice(command: "chmod 600 \(words: open)"))
    }

    private static let freeMin = 200, freeComfortable = 1024

    private var disk: Finding {
        var information = statvfs()
        let path = exists ? directory.path : "."
        guard statvfs(path, &information) == 0 else {
            return Finding(
                "disk", .warn, "cannot be measured: \(FileAccess.systemReason)",
                remedy: Advice(command: "df -h \(path)"))
        }
        let free = Int(information.f_bavail) * Int(information.f_frsize) / 1024 / 1024
        let words = "\(free) MiB free at \(path)"
        if free < Self.freeMin {
            return Finding("disk", .fail, words, remedy: "free some: at least \(Self.freeMin) MiB are needed")
        }
        if free < Self.freeComfortable { return Finding("disk", .warn, words, remedy: "free some before it is full") }
        return Finding("disk", .pass, words)
    }

    /// Finds databases with a modification time in the future: the clock was set back.
    private var times: Finding? {
        guard exists else { return nil }
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let late = ServiceName.allCases.map { "\(directory.path)/\($0.rawValue).sqlite" }.filter { path in
            FileAccess.status(path).map { $0.st_mtim.tv_sec > now.tv_sec + 60 } ?? false
        }
        guard let first = late.first else { return nil }
        return Finding(
            "clock", .fail, "\(first) was written later than now: the clock was set back",
            remedy: "set the machine's clock")
    }
}

/// Checks whether a store could start.
enum PortCheck {
    static var findings: [Finding] {
        [(7430, "--port"), (7420, "--bus-port"), (7421, "--bus-port")].map { port, flag in
            do throws(CLIError) {
                try PortChoice.fixed(port).check(host: "127.0.0.1", flag: flag)
                return Finding("port \(port)", .pass, "free")
            } catch {
                return Finding("port \(port)", .warn, error.message, remedy: "storebus up \(flag) auto")
            }
        }
    }
}

/// Checks the environment before the store is asked.
struct EnvironmentCheck {
    let settings: EffectiveSettings
    let environment: CommandEnvironment
    /// The program's directory, which should contain the services' executables.
    var executableDirectory = UpPlan.ownDirectory

    var findings: [Finding] { [variables, executables, clock] }

    private var variables: Finding {
        let misspelt = EffectiveSettings.misspeltVariables(environment.variables)
        guard misspelt.isEmpty else {
            return Finding("variables", .warn, misspelt.joined(separator: " "), remedy: "storebus config show")
        }
        return Finding("variables", .pass, "address from \(settings.url.origin)")
    }

    private var executables: Finding {
        let missing = ServiceList.services.filter { access("\(executableDirectory)/\($0)", X_OK) != 0 }
        if missing.count == ServiceList.services.count, Deployment(settings, environment) != .local {
            return Finding("executables", .pass, "the command line alone; the store runs elsewhere")
        }
        guard missing.isEmpty else {
            // The command line works without services when the store runs elsewhere.
            return Finding(
                "executables", .warn, "\(executableDirectory) has no \(missing.joined(separator: ", "))",
                remedy: "make build")
        }
        return Finding(
            "executables", .pass, "\(ServiceList.services.count) beside storebus, \(StorebusVersion.number)")
    }

    /// A time before this version was made. An earlier clock is wrong.
    private static let earliest = Timestamp(milliseconds: 1_760_000_000_000)

    private var clock: Finding {
        let now = Timestamp.wallClock()
        guard now > Self.earliest else {
            return Finding(
                "clock", .fail,
                "the clock says \(Format.time(now)): subscriptions and sessions would end at wrong times",
                remedy: "set the machine's clock, and keep it in time: timedatectl set-ntp true")
        }
        return Finding("clock", .pass, Format.time(now))
    }
}

/// Checks the health that a running store reports.
struct StoreCheck {
    let context: CommandContext

    private var deployment: Deployment { Deployment(context.settings, context.environment) }

    /// - Returns: The findings, and whether a store answered.
    func findings() async -> (findings: [Finding], isAnswered: Bool) {
        do throws(CLIError) {
            let report = try await StatusReport.gather(context.installation)
            let findings = [store(report), await isolatedStore(), versions(report)].compactMap(\.self)
            return (findings + report.rows.map(service), true)
        } catch {
            // A store is expected only when its address was named.
            let isExpected = context.settings.url.origin != "default"
            let remedy = Deployment.start(context.environment)
            return ([Finding("store", isExpected ? .fail : .warn, error.message, remedy: remedy)], false)
        }
    }

    private func store(_ report: StatusReport) -> Finding {
        guard context.api.adminKey != nil else {
            return Finding(
                "store", .warn, "\(report.url) answers, but no admin key is known: services cannot be asked",
                remedy: "set STOREBUS_ADMIN_KEY, or run where .storebus is found")
        }
        return report.isReady
            ? Finding("store", .pass, "\(report.url) is ready")
            : Finding("store", .fail, "\(report.url) is not ready", remedy: "see the services below")
    }

    /// Finds the isolated store that a flag or a variable names.
    private func isolatedStore() async -> Finding? {
        guard let name = context.settings.store else { return nil }
        let check = "isolated store"
        do throws(CLIError) {
            guard let store = try await context.api.isolatedStore() else {
                return Finding(
                    check, .warn, "\(name.text) (\(name.origin)) is not looked up without an admin key",
                    remedy: "set STOREBUS_ADMIN_KEY")
            }
            return Finding(
                check, .pass, "\(name.text) (\(name.origin)), until \(Format.time(store.expiresAt))")
        } catch {
            return Finding(
                check, .fail, "\(error.message) (\(name.origin))", remedy: error.hints.joined(separator: "; "))
        }
    }

    private func versions(_ report: StatusReport) -> Finding? {
        let others = report.rows.filter { $0.version != "-" && $0.version != StorebusVersion.number }
        guard !others.isEmpty else { return nil }
        let words = others.map { "\($0.service) \($0.version)" }.joined(separator: ", ")
        return Finding(
            "versions", .warn, "this is \(StorebusVersion.number), but \(words)",
            remedy: deployment.update)
    }

    private func service(_ row: StatusReport.Row) -> Finding {
        let logs = deployment.logs(of: row.service)
        switch row.health {
        case "pass":
            let running = row.pid.map { "runs as pid \($0)" } ?? "answers, version \(row.version)"
            return Finding(row.service, .pass, row.message.isEmpty ? running : row.message)
        case "-": return Finding(row.service, .warn, "not asked: no admin key", remedy: "set STOREBUS_ADMIN_KEY")
        case "warn": return Finding(row.service, .warn, row.message, remedy: logs)
        case "away": return Finding(row.service, .fail, "no answer on the bus", remedy: logs)
        default: return Finding(row.service, .fail, row.message.isEmpty ? row.health : row.message, remedy: logs)
        }
    }
}

/// Checks that a PostgreSQL listens at an address, with a request before authentication.
enum PostgresProbe {
    /// Timeout for one address.
    private static let timeoutMilliseconds: Int32 = 2000

    /// PostgreSQL's SSLRequest: eight bytes long, code 80877103. It is answered with one byte, `S` or `N`.
    private static let question: [UInt8] = [0, 0, 0, 8, 4, 210, 22, 47]

    /// - Returns: Nil if it responds, or else the reason.
    static func check(_ server: DatabaseAddress.Server) async -> String? {
        // Name lookup and connecting block the thread.
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: ask(server)) }
        }
    }

    private static func ask(_ server: DatabaseAddress.Server) -> String? {
        switch server {
        case .socket(let path): return ask(path: path)
        case .address(let host, let port): return ask(host: host, port: port)
        }
    }

    private static func ask(path: String) -> String? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return "the socket's path is too long" }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                exchange(AF_UNIX, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private static func ask(host: String, port: String) -> String? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let error = getaddrinfo(host, port, &hints, &found)
        guard error == 0 else { return String(cString: gai_strerror(error)) }
        defer { freeaddrinfo(found) }
        var reason: String? = "no address"
        var next = found
        while let one = next {
            guard let address = one.pointee.ai_addr else { break }
            reason = exchange(one.pointee.ai_family, address, one.pointee.ai_addrlen)
            if reason == nil { return nil }
            next = one.pointee.ai_next
        }
        return reason
    }

    private static func exchange(_ family: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> String? {
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, flags, 0)
        guard descriptor >= 0 else { return FileAccess.systemReason }
        defer { close(descriptor) }
        if connect(descriptor, address, length) != 0 {
            guard errno == EINPROGRESS else { return FileAccess.systemReason }
            guard wait(descriptor, Int16(POLLOUT)) else { return "no answer in time" }
            var error: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
            guard error == 0 else { return FileAccess.reason(error) }
        }
        guard send(descriptor, question, question.count, Int32(MSG_NOSIGNAL)) == question.count else {
            return FileAccess.systemReason
        }
        guard wait(descriptor, Int16(POLLIN)) else { return "it says nothing: is it a PostgreSQL?" }
        var answer: UInt8 = 0
        let count = recv(descriptor, &answer, 1, 0)
        let known = [UInt8(ascii: "S"), UInt8(ascii: "N")]
        return count == 1 && known.contains(answer) ? nil : "the server is not PostgreSQL"
    }

    private static func wait(_ descriptor: Int32, _ events: Int16) -> Bool {
        var request = pollfd(fd: descriptor, events: events, revents: 0)
        while true {
            let count = poll(&request, 1, timeoutMilliseconds)
            if count < 0, errno == EINTR { continue }
            return count == 1
        }
    }
}
