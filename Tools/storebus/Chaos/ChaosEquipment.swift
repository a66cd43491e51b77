import CProcess
import Chaos
import EventLoop
import Glibc
import StoreModels

/// Disks, clocks and relays of the run's own store, for faults beyond signals and rules of the bus.
final class ChaosEquipment: Sendable {
    private let directory: DataDirectory
    /// Services with a disk of their own.
    private let disks: [String]
    /// The library that fakes the clock, or nil if it is missing.
    private let clockLibrary: String?
    private let relays: [String: BusRelay]  // keys: services
    private let process = Locked<Int32>(0)

    /// Bytes of a service's disk. The kernel takes the memory as files grow.
    private static let diskByteCount = 512 * 1024 * 1024

    /// Bytes of the memory that libfaketime shares between processes.
    private static let sharedByteCount = 4_096

    /// Prepares the means of the faults, before the store is started.
    /// - Throws: `serviceFailed`, `dataDirectoryUnusable`.
    init(_ faults: [FaultName], _ directory: DataDirectory) throws(CLIError) {
        self.directory = directory
        let means = Set(faults.map(\.means))
        disks = means.contains(.disk) ? FaultName.diskFull.targets(ServiceList.services) : []
        clockLibrary = means.contains(.clock) ? ChaosMeans.clockLibrary() : nil
        var relays: [String: BusRelay] = [:]
        if means.contains(.relay) {
            for service in FaultName.cutTo.targets(ServiceList.services) {
                relays[service] = try BusRelay { ReadyFile.read(directory.readyFile(ServiceList.broker))?.port }
            }
        }
        self.relays = relays
        if clockLibrary != nil { for service in ServiceList.services { try makeShared(service) } }
        try FileAccess.makeDirectory(clockDirectory)
        for service in ServiceList.services { try setClock(of: service, by: 0) }
        try FileAccess.write(Array(JSONText.line(environment).utf8), to: environmentFile, mode: 0o600)
    }

    // MARK: The start

    private var clockDirectory: String { "\(directory.path)/chaos" }
    private func clockFile(_ service: String) -> String { "\(clockDirectory)/\(service).clock" }
    /// The file of the variables that services get in addition.
    var environmentFile: String { "\(clockDirectory)/environment.json" }

    /// Settings of libfaketime. It reads the file each time, and leaves monotonic time and the times of files alone.
    private static let clockSwitches = [
        "FAKETIME_NO_CACHE", "FAKETIME_DONT_FAKE_MONOTONIC", "DONT_FAKE_MONOTONIC", "NO_FAKE_STAT",
    ]

    private var environment: JSONValue {
        var services: [String: JSONValue] = [:]
        for service in ServiceList.services {
            var variables: [String: JSONValue] = [:]
            if disks.contains(service) { variables[ServiceList.dataVariable] = .string(disk(service)) }
            if let relay = relays[service] { variables["BUS_URL"] = .string(ServiceList.busURL(relay.port)) }
            if let clockLibrary {
                variables["LD_PRELOAD"] = .string(clockLibrary)
                variables["FAKETIME_SHARED"] = .string("\(sharedName(service)) \(sharedName(service))")
                variables["FAKETIME_TIMESTAMP_FILE"] = .string(clockFile(service))
                for name in Self.clockSwitches { variables[name] = "1" }
            }
            services[service] = .object(variables)
        }
        return .object(services)
    }

    /// Name of the semaphore and the memory of the processes of a service with libfaketime.
    private func sharedName(_ service: String) -> String {
        "/\(directory.path.split(separator: "/").last ?? "storebus-chaos")-\(service)"
    }

    /// Makes the files that libfaketime would make itself and leave behind when its process is killed.
    ///
    /// It then does not set a variable either. A new variable would move the environment, and Swift's runtime finds the
    /// arguments of the process from its place.
    private func makeShared(_ service: String) throws(CLIError) {
        let name = sharedName(service)
        let memory = shm_open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        defer { if memory >= 0 { close(memory) } }
        guard memory >= 0, ftruncate(memory, Self.sharedByteCount) == 0, storebus_make_semaphore(name) == 0 else {
            throw CLIError(.serviceFailed, "libfaketime gets no shared memory: \(FileAccess.systemReason)")
        }
    }

    /// The launch of `storebus up`, in a mount namespace where services have disks of their own.
    ///
    /// The namespace ends with its last process, and the disks with it, also when the run is killed.
    func launch(_ launch: ChildProcess.Launch) -> ChildProcess.Launch {
        guard !disks.isEmpty, let unshare = ChaosMeans.unshare() else { return launch }
        var launch = launch
        // In the namespace /proc/self is another process.
        let program = "\(UpPlan.ownDirectory)/storebus"
        launch.arguments =
            ChaosMeans.namespace + ["/bin/sh", "-c", Self.script, "storebus-chaos", directory.path]
            + [disks.joined(separator: " "), "\(Self.diskByteCount)", program] + launch.arguments
        launch.executable = unshare
        return launch
    }

    /// Mounts a disk for each service.
    private static let script = """
        set -e
        directory=$1 services=$2 size=$3
        shift 3
        for service in $services; do
            mkdir -p "$directory/disks/$service"
            mount -t tmpfs -o "size=$size,mode=0700" storebus-chaos "$directory/disks/$service"
        done
        exec "$@"
        """

    /// Notes the process of `storebus up`, through whose namespace the disks are reached.
    func started(_ pid: Int32) { process.withLock { $0 = pid } }

    func stop() {
        for relay in relays.values { relay.stop() }
        guard clockLibrary != nil else { return }
        for service in ServiceList.services {
            sem_unlink(sharedName(service))
            shm_unlink(sharedName(service))
        }
    }

    // MARK: Faults

    /// Brings a service's disk, clock and relay to the state of the faults in force at it.
    /// - Throws: `dataDirectoryUnusable` when it cannot.
    func apply(_ faults: [PlannedFault], at service: String, seed: UInt64) throws(CLIError) {
        if let relay = relays[service] {
            let torn = faults.first { $0.name == .tornFrames }
            relay.set(
                BusRelay.Mode(
                    holdsToService: faults.contains { $0.name == .cutTo },
                    holdsFromService: faults.contains { $0.name == .cutFrom },
                    tearSeed: torn.map { seed &+ UInt64($0.number) }))
        }
        if clockLibrary != nil {
            try setClock(of: service, by: faults.last { $0.name == .clockJump }.map(\.clockJump) ?? 0)
        }
        if disks.contains(service) {
            if faults.contains(where: { $0.name == .diskFull }) { try fill(service) } else { unlink(filler(service)) }
        }
    }

    private func setClock(of service: String, by seconds: Int) throws(CLIError) {
        try FileAccess.write(
            Array("\(seconds < 0 ? "" : "+")\(seconds)\n".utf8), to: clockFile(service), mode: 0o600)
    }

    private func disk(_ service: String) -> String { "\(directory.path)/disks/\(service)" }

    private func filler(_ service: String) -> String {
        "/proc/\(process.withLock { $0 })/root\(disk(service))/filler"
    }

    /// Writes until no byte more goes onto the service's disk.
    private func fill(_ service: String) throws(CLIError) {
        let path = filler(service)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CLIError(.dataDirectoryUnusable, "cannot fill the disk of \(service): \(FileAccess.systemReason)")
        }
        defer { close(descriptor) }
        let block = [UInt8](repeating: 0, count: 256 * 1024)
        var written = 0
        // Twice the disk's size, for the case that it is not what was mounted.
        while FileAccess.writeAll(block, to: descriptor), written < 2 * Self.diskByteCount { written += block.count }
        guard errno == ENOSPC, written < 2 * Self.diskByteCount else {
            unlink(path)
            throw CLIError(.dataDirectoryUnusable, "cannot fill the disk of \(service): \(FileAccess.systemReason)")
        }
    }
}

/// Finds out which faults this machine and this store allow.
enum ChaosMeans {
    /// The reason why a fault cannot be injected, and the remedy.
    struct Missing: Hashable, Sendable {
        var reason: String
        var remedy: Advice
    }

    /// The store that a run is going to have.
    struct Store: Hashable, Sendable {
        var isOwn: Bool
        /// Whether it stores in a PostgreSQL.
        var hasDatabase = false
        var keepsData = false
        /// Whether the run takes the store's notifications.
        var isReceiving = true
    }

    /// - Parameter probe: Looks at this machine: a namespace, the library, the executables.
    /// - Returns: Nil when the fault's means are there.
    static func missing(_ fault: FaultName, _ store: Store, probe: Probe = .machine) -> Missing? {
        guard store.isOwn || !fault.means.needsOwnStore else {
            return Missing(
                reason: "needs a store that the run starts itself", remedy: "leave --data out")
        }
        switch fault.means {
        case .webhooks where !store.isReceiving:
            return Missing(
                reason: "needs a server of the run's own, to which the store sends notifications",
                remedy: "leave --without notifications out")
        case .disk where store.hasDatabase:
            return Missing(
                reason: "fills the disk of a SQLite file, and the store keeps nothing there",
                remedy: "leave --database-url out")
        case .disk where store.keepsData:
            return Missing(
                reason: "puts the data on disks that end with the store", remedy: "leave --keep-data out")
        case .disk where !probe.hasNamespaces():
            return Missing(
                reason: "needs a mount namespace of the run's own, which this system refuses",
                remedy: "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1), or run it as root")
        case .clock where probe.clockLibrary() == nil:
            return Missing(
                reason: "needs libfaketime, which is not installed", remedy: "install it: apt-get install libfaketime")
        case .clock where !probe.isDynamic():
            return Missing(
                reason: "loads a library into the services, and these executables are static",
                remedy: "run it with dynamic executables: make build")
        default: return nil
        }
    }

    /// Ways to look at this machine. Tests have others.
    struct Probe: Sendable {
        var hasNamespaces: @Sendable () -> Bool
        var clockLibrary: @Sendable () -> String?
        var isDynamic: @Sendable () -> Bool

        static let machine = Probe(
            hasNamespaces: { ChaosMeans.hasNamespaces() }, clockLibrary: { ChaosMeans.clockLibrary() },
            isDynamic: {
                let path = "\(UpPlan.ownDirectory)/\(ServiceName.paymentQueue.rawValue)"
                return ELFHeader.read(path).map(\.isDynamic) ?? false
            })
    }

    // MARK: This machine

    static func unshare() -> String? { ["/usr/bin/unshare", "/bin/unshare"].first { access($0, X_OK) == 0 } }

    /// Arguments of unshare(1): root of a user namespace may mount in a mount namespace.
    static let namespace = ["--user", "--map-root-user", "--mount", "--propagation", "private", "--"]

    private static func hasNamespaces() -> Bool {
        guard let unshare = unshare() else { return false }
        let script = "mount -t tmpfs storebus-chaos /mnt"
        let end = Locked<Termination?>(nil)
        let launch = ChildProcess.Launch(
            executable: unshare, arguments: namespace + ["/bin/sh", "-c", script],
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], logFile: "/dev/null")
        guard (try? ChildProcess.start(launch) { _, termination in end.withLock { $0 = termination } }) != nil else {
            return false
        }
        while end.withLock({ $0 }) == nil { usleep(1_000) }
        return end.withLock { $0 } == .exited(0)
    }

    /// The library's variant for programs with threads.
    static func clockLibrary() -> String? {
        let folders = FileAccess.names(in: "/usr/lib").sorted().map { "/usr/lib/\($0)/faketime" }
        let all = folders + ["/usr/lib/faketime", "/usr/lib64/faketime", "/usr/local/lib/faketime"]
        return all.map { "\($0)/libfaketimeMT.so.1" }.first { access($0, R_OK) == 0 }
    }
}

/// The beginning of an executable file, as far as it decides how it is loaded.
struct ELFHeader: Hashable, Sendable {
    /// Whether a loader runs it, which can load other libraries before.
    var isDynamic: Bool

    /// Bytes of an executable that hold its program headers.
    private static let byteCount = 4096
    /// `PT_INTERP`
    private static let interpreter = 3

    /// - Returns: Nil for a file that is not a 64-bit executable.
    init?(_ bytes: [UInt8]) {
        func number(_ offset: Int, _ count: Int) -> Int? {
            guard offset >= 0, offset + count <= bytes.count else { return nil }
            return (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
        }
        // 64 bits, little-endian; table, size of an entry and their number.
        guard bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]), let table = number(32, 4),
            let size = number(54, 2), let count = number(56, 2)
        else { return nil }
        isDynamic = (0..<count).contains { number(table + $0 * size, 4) == Self.interpreter }
    }

    static func read(_ path: String) -> ELFHeader? {
        (try? FileAccess.beginning(of: path, byteCount: byteCount)).flatMap { ELFHeader($0) }
    }
}
