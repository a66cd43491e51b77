/// Names where the store runs, as far as remedies differ by it.
enum StorePlace: Sendable {
    /// `storebus up` on this machine.
    case here
    /// Containers of docker-compose.yml; the command line is one of them.
    case compose
    /// Known by its address only.
    case elsewhere

    /// What docker-compose.yml sets for the command line.
    static let variable = "STOREBUS_DEPLOYMENT"

    init(_ settings: EffectiveSettings, _ environment: CommandEnvironment) {
        if Self.isCompose(environment) {
            self = .compose
        } else {
            let isNamed = settings.directory == nil && ["--url", "STOREBUS_URL"].contains(settings.url.origin)
            self = isNamed ? .elsewhere : .here
        }
    }

    static func isCompose(_ environment: CommandEnvironment) -> Bool {
        environment.variables[variable] == "compose"
    }

    /// The command that starts a store.
    static func start(_ environment: CommandEnvironment) -> String {
        isCompose(environment) ? "docker compose up --wait" : "storebus up"
    }

    /// How an operator reads a service's log.
    func logs(of service: String) -> String {
        switch self {
        case .here: "storebus logs \(service)"
        case .compose: "docker compose logs \(ServiceInstance(service).service)"
        case .elsewhere: "read the log of \(service) where it runs"
        }
    }

    /// How an operator brings all services to one version.
    var update: String {
        switch self {
        case .here: "build everything, then stop and start it: make build, storebus down, storebus up"
        case .compose: "docker compose up --build --wait"
        case .elsewhere: "bring the services and this command to the same version"
        }
    }
}
