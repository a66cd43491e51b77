import StoreHTTP
import StoreModels

/// The settings in force, each with its origin.
///
/// A flag precedes a variable, then comes `.storebus/run/up.json` here or in a directory above, then the default.
struct EffectiveSettings: Hashable, Sendable {
    /// A value and its origin: `--url`, `STOREBUS_URL`, a file, or `default`.
    struct Value: Hashable, Sendable {
        var text: String
        var origin: String
        init(_ text: String, _ origin: String) {
            self.text = text
            self.origin = origin
        }
    }

    var url: Value
    /// Nil when unset. Its origin may be printed, its text never.
    var adminKey: Value?
    var bundleId: Value
    /// Directory of the running store at `url`.
    var directory: DataDirectory?
    var directoryOrigin: String
    /// Whether `--data` names a directory without a running store.
    var isNamedDirectoryIdle: Bool

    /// The address used if the caller sets no address.
    static let defaultURL = "http://127.0.0.1:7430"
    /// The app of the sample catalogue, the default of commands.
    static let defaultBundleId = "com.example.app"
    /// The origin of a default.
    static let defaultOrigin = "default"

    static func find(
        url: String?, data: String?, bundleId: String? = nil, _ environment: CommandEnvironment
    ) -> EffectiveSettings {
        let variables = environment.variables
        let named = data.map { DataDirectory($0, currentDirectory: environment.currentDirectory) }
        let directory = named ?? RunRecord.search(from: environment.currentDirectory)
        let record = directory.flatMap(RunRecord.read)
        let address: Value =
            if let url {
                Value(url, "--url")
            } else if named == nil, let url = variables["STOREBUS_URL"] {
                Value(url, "STOREBUS_URL")
            } else if let record, let directory {
                Value(record.url, directory.runRecord)
            } else {
                Value(defaultURL, defaultOrigin)
            }
        // A key belongs to the store of its directory and must not be sent to another address.
        let isThatStore = record?.url == address.text
        let app: Value =
            if let bundleId {
                Value(bundleId, "--bundle-id")
            } else if let bundleId = variables["STOREBUS_BUNDLE_ID"] {
                Value(bundleId, "STOREBUS_BUNDLE_ID")
            } else {
                Value(defaultBundleId, defaultOrigin)
            }
        return EffectiveSettings(
            url: address, adminKey: key(variables, isThatStore ? directory : nil), bundleId: app,
            directory: isThatStore ? directory : nil,
            directoryOrigin: named == nil ? "found from \(environment.currentDirectory)" : "--data",
            isNamedDirectoryIdle: url == nil && named != nil && record?.isAlive != true)
    }

    private static func key(_ variables: [String: String], _ directory: DataDirectory?) -> Value? {
        if let key = variables["STOREBUS_ADMIN_KEY"] { return Value(key, "STOREBUS_ADMIN_KEY") }
        if let file = variables["STOREBUS_ADMIN_KEY_FILE"], let key = FileAccess.text(file), !key.isEmpty {
            return Value(key, "STOREBUS_ADMIN_KEY_FILE (\(file))")
        }
        guard let directory, let key = FileAccess.text(directory.adminKey), !key.isEmpty else { return nil }
        return Value(key, directory.adminKey)
    }

    /// Replaces the default app with the store's only one. A named or existing app stays, also
    /// when the list of apps cannot be read.
    /// - Throws: `usage` if the store has several apps and the command names none.
    func withOnlyApp(_ api: StoreAPI) async throws(CLIError) -> EffectiveSettings {
        guard bundleId.origin == Self.defaultOrigin, api.adminKey != nil, let apps = try? await api.all(AppRoutes.list),
            let only = apps.first,
            !apps.contains(where: { $0.bundleId.isExactly(bundleId.text) })
        else { return self }
        guard apps.count == 1 else {
            throw CLIError(
                .usage, "this store has several apps: \(apps.prefix(5).map(\.bundleId).joined(separator: ", "))",
                hints: ["name one: --bundle-id \(only.bundleId), or STOREBUS_BUNDLE_ID"])
        }
        var settings = self
        settings.bundleId = Value(only.bundleId, "the store's only app")
        return settings
    }

    /// The variables that `storebus` reads.
    static let variableNames = [
        "STOREBUS_URL", "STOREBUS_ADMIN_KEY", "STOREBUS_ADMIN_KEY_FILE", "STOREBUS_BUNDLE_ID",
        Deployment.variable,
    ]

    /// Warnings about misspelt variables.
    static func misspeltVariables(_ variables: [String: String]) -> [String] {
        variables.keys.sorted().compactMap { name in
            guard name.hasPrefix("STOREBUS_"), !variableNames.contains(name),
                let meant = Suggestion.nearest(to: name, among: variableNames),
                Suggestion.distance(Array(name.unicodeScalars), Array(meant.unicodeScalars)) <= 2
            else { return nil }
            return "\(name) means nothing here; did you mean \(meant)?"
        }
    }
}

/// The kind of deployment, which decides the remedies.
enum Deployment: Sendable {
    /// `storebus up` on this machine.
    case local
    /// Containers of docker-compose.yml. The command line is one of them.
    case compose
    /// A store known by its address only.
    case remote

    /// The variable that docker-compose.yml sets for the command line.
    static let variable = "STOREBUS_DEPLOYMENT"

    init(_ settings: EffectiveSettings, _ environment: CommandEnvironment) {
        if Self.isCompose(environment) {
            self = .compose
        } else {
            let isNamed = settings.directory == nil && ["--url", "STOREBUS_URL"].contains(settings.url.origin)
            self = isNamed ? .remote : .local
        }
    }

    static func isCompose(_ environment: CommandEnvironment) -> Bool {
        environment.variables[variable] == "compose"
    }

    /// The command that starts a store.
    static func start(_ environment: CommandEnvironment) -> Advice {
        isCompose(environment) ? "docker compose up --wait" : "storebus up"
    }

    /// The command that shows a service's log.
    func logs(of service: String) -> Advice {
        switch self {
        case .local: "storebus logs \(service)"
        case .compose: "docker compose logs \(ServiceInstance(service).service)"
        case .remote: "read the log of \(service) where it runs"
        }
    }

    /// The command that brings all services to one version.
    var update: Advice {
        switch self {
        case .local: "build everything, then stop and start it: make build, storebus down, storebus up"
        case .compose: "docker compose up --build --wait"
        case .remote: "bring the services and this command to the same version"
        }
    }
}
