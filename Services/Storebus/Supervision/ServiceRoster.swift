import StoreModels

/// The processes of a store: which there are, in what order they start and stop, and how each is called.
package struct ServiceRoster: Sendable {
    package static let broker = "broker"
    package static let gateway = ServiceName.gateway.rawValue

    /// What `up` was asked for.
    package struct Settings: Hashable, Sendable {
        package var directory: DataDirectory
        /// The address the gateway listens on; everything else stays on loopback.
        package var host: String
        package var port: PortChoice
        package var busPort: PortChoice
        /// A store without any app is given the sample catalogue.
        package var wantsSample: Bool
        package init(
            directory: DataDirectory, host: String, port: PortChoice, busPort: PortChoice, wantsSample: Bool
        ) {
            self.directory = directory
            self.host = host
            self.port = port
            self.busPort = busPort
            self.wantsSample = wantsSample
        }

        /// The broker's monitoring pages are on the port behind the bus's.
        package var busMonitorPort: PortChoice {
            guard case .fixed(let number) = busPort, number < 65535 else { return .auto }
            return .fixed(number + 1)
        }
    }

    package let settings: Settings
    /// Where the services' executables are: beside `storebus`.
    package let executableDirectory: String
    /// The environment `up` itself was given.
    package let environment: [String: String]

    package init(settings: Settings, executableDirectory: String, environment: [String: String]) {
        self.settings = settings
        self.executableDirectory = executableDirectory
        self.environment = environment
    }

    package static let services = [broker] + ServiceName.allCases.map(\.rawValue)

    /// The bus starts first and stops last, because every other service stands on it; the gateway stops first.
    package static let plans = services.map { service in
        Supervisor.Plan(
            service: service, startStage: service == broker ? 0 : 1,
            stopStage: service == gateway ? 0 : service == broker ? 2 : 1)
    }

    /// Every executable is there.
    /// - Throws: `executableMissing` with the names.
    package func check(_ isExecutable: (String) -> Bool) throws(CLIError) {
        let missing = Self.services.filter { !isExecutable("\(executableDirectory)/\($0)") }
        guard missing.isEmpty else {
            throw CLIError(
                .executableMissing, "\(executableDirectory) has no \(missing.joined(separator: ", "))",
                hints: ["build everything: make build"])
        }
    }

    /// How a service is started.
    /// - Parameters:
    ///   - ports: what services have told of their ports; a restarted one gets the port it had.
    package func launch(_ service: String, ports: [String: ReadyFile]) -> ChildProcess.Launch {
        let directory = settings.directory
        var arguments = ["--ready-file", directory.readyFile(service)]
        switch service {
        case Self.broker:
            let own = ports[service]
            arguments += ["--host", "127.0.0.1", "--port", "\(own?.port ?? settings.busPort.argument)"]
            arguments += ["--monitor-port", "\(own?.monitorPort ?? settings.busMonitorPort.argument)"]
            arguments += ["--token-file", directory.busToken]
        case Self.gateway:
            arguments += ["--host", settings.host, "--port", "\(ports[service]?.port ?? settings.port.argument)"]
            arguments += ["--data", directory.path, "--monitor-port", "0"]
        case ServiceName.catalog.rawValue where settings.wantsSample:
            arguments += ["--data", directory.path, "--monitor-port", "0", "--sample"]
        default:
            arguments += ["--data", directory.path, "--monitor-port", "0"]
        }
        return ChildProcess.Launch(
            executable: "\(executableDirectory)/\(service)", arguments: arguments,
            environment: environment(of: service, busPort: ports[Self.broker]?.port),
            logFile: directory.logFile(service))
    }

    /// Only the gateway is told the admin key.
    private func environment(of service: String, busPort: Int?) -> [String: String] {
        var variables = environment
        if let busPort { variables["BUS_URL"] = Self.busURL(busPort) }
        variables["BUS_CREDENTIALS_FILE"] = settings.directory.busToken
        if service != Self.gateway {
            variables["STOREBUS_ADMIN_KEY"] = nil
            variables["STOREBUS_ADMIN_KEY_FILE"] = nil
        } else if variables["STOREBUS_ADMIN_KEY"] == nil {
            variables["STOREBUS_ADMIN_KEY_FILE"] = settings.directory.adminKey
        }
        return variables
    }

    package static func busURL(_ port: Int) -> String { "storebus://127.0.0.1:\(port)" }
}
