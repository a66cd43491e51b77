import Glibc
import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What `up` was asked to do, checked before anything is started or written.
struct UpPlan: Sendable {
    /// A catalogue to import.
    struct Import: Hashable, Sendable {
        var file: String
        var bundleId: String
        var bytes: [UInt8]
    }

    var settings: ServiceRoster.Settings
    var imports: [Import]
    var roster: ServiceRoster
    /// Whether the gateway is told a key by the environment instead of the made-up one.
    var adminKey: String?
    /// Of the apps' clocks; nil leaves them as they are.
    var timeRate: ClockRate?
    /// Run when the store opens an app that does not run.
    var openApp: String?

    /// - Throws: `usage` for files and apps that do not fit, what is wrong with a file, `databaseUnusable`,
    ///   `replicasNeedDatabase`, `executableMissing`.
    static func make(
        imports: [String], bundleIds: [String], data: String, port: PortChoice, busPort: PortChoice, bind: String,
        replicas: [String] = [], databaseURL: String? = nil, busURL: String? = nil, timeRate: ClockRate? = nil,
        openApp: String? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        executableDirectory: String = Self.ownDirectory
    ) throws(CLIError) -> UpPlan {
        var environment = environment
        // An empty variable is how shells and CI systems unset one.
        if environment["STOREBUS_ADMIN_KEY"] == "" { environment["STOREBUS_ADMIN_KEY"] = nil }
        let settings = ServiceRoster.Settings(
            directory: DataDirectory(data), host: bind, port: port, busPort: busPort,
            wantsSample: imports.isEmpty, replicas: try Replicas(replicas),
            database: try DatabaseAddress.find(flag: databaseURL, environment),
            bus: try ExternalBus.find(flag: busURL, environment))
        try settings.replicas.check(database: settings.database)
        if settings.bus == nil, case .fixed(let number) = port,
            [busPort, settings.busMonitorPort].contains(.fixed(number))
        {
            throw CLIError(
                .usage, "--port \(number) is also the bus's or its monitoring", hints: ["choose another: --port auto"])
        }
        let roster = ServiceRoster(
            settings: settings, executableDirectory: executableDirectory, environment: environment)
        try roster.check { access($0, X_OK) == 0 }
        let files = try CatalogFile.pair(imports, bundleIds)
        var read: [Import] = []
        for (file, bundleId) in files {
            read.append(Import(file: file, bundleId: bundleId, bytes: try CatalogFile.read(file)))
        }
        return UpPlan(
            settings: settings, imports: read, roster: roster, adminKey: environment["STOREBUS_ADMIN_KEY"],
            timeRate: timeRate, openApp: openApp)
    }

    /// The directory of the running program, symbolic links resolved.
    static var ownDirectory: String {
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "./storebus"
        return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}
