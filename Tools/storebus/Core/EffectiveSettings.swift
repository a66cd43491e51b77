import StoreHTTP
import StoreModels

/// The settings in force, each with its origin.
///
/// A flag precedes a variable, then comes `.storebus/run/up.json` here or in a directory above, then the default.
/// `STOREBUS_STORE` names a store of the installation that these find.
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

    /// The store's address: the installation's, or an isolated store's below it.
    let address: StoreLocation
    private let addressOrigin: String
    /// The origin of the isolated store's name. Nil for the installation's own store.
    private let storeOrigin: String?
    /// Nil when unset. Its origin may be printed, its text never.
    var adminKey: Value?
    /// The reason why no admin key is known, for a refused request.
    let missingKey: String
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

    var url: Value { Value(address.text, addressOrigin) }
    /// The name of the isolated store. Nil for the installation's own store.
    var store: Value? { address.store.map { Value($0, storeOrigin ?? addressOrigin) } }

    /// - Throws: `usage` for a name that is no isolated store's, and for two names.
    static func find(
        url: String?, data: String?, store: String? = nil, bundleId: String? = nil, _ environment: CommandEnvironment
    ) throws(CLIError) -> EffectiveSettings {
        let variables = environment.variables
        let named = data.map { DataDirectory($0, currentDirectory: environment.currentDirectory) }
        let directory = named ?? RunRecord.search(from: environment.currentDirectory)
        let record = directory.flatMap(RunRecord.read)
        let found: Value =
            if let url {
                Value(url, "--url")
            } else if named == nil, let url = variables["STOREBUS_URL"] {
                Value(url, "STOREBUS_URL")
            } else if let record, let directory {
                Value(record.url, directory.runRecord)
            } else {
                Value(defaultURL, defaultOrigin)
            }
        var address = StoreLocation(found.text)
        let name = try self.store(flag: store, at: address, found.origin, variables)
        if let name { address.store = name.text }
        // A key belongs to the installation of its directory and must not be sent to another address.
        let isThatStore = record.map { StoreLocation($0.url).origin.isExactly(address.origin) } ?? false
        let key = key(variables, isThatStore ? directory : nil)
        let app: Value =
            if let bundleId {
                Value(bundleId, "--bundle-id")
            } else if let bundleId = variables["STOREBUS_BUNDLE_ID"] {
                Value(bundleId, "STOREBUS_BUNDLE_ID")
            } else {
                Value(defaultBundleId, defaultOrigin)
            }
        return EffectiveSettings(
            address: address, addressOrigin: found.origin, storeOrigin: name?.origin, adminKey: key,
            missingKey: missingKey(directory, record, isThatStore), bundleId: app,
            directory: isThatStore ? directory : nil,
            directoryOrigin: named == nil ? "found from \(environment.currentDirectory)" : "--data",
            isNamedDirectoryIdle: url == nil && named != nil && record?.isAlive != true)
    }

    /// Finds the isolated store that a flag or a variable names beside the address. A flag precedes a variable.
    private static func store(
        flag: String?, at address: StoreLocation, _ origin: String, _ variables: [String: String]
    ) throws(CLIError) -> Value? {
        let isTyped = origin == "--url"
        if let flag {
            if isTyped, let store = address.store {
                throw CLIError(
                    .usage, "--store and the address of --url both name an isolated store: \(flag) and \(store)",
                    hints: ["name it once: --store \(flag) --url \(address.installation)"])
            }
            return try checked(Value(flag, "--store"))
        }
        guard let variable = variables[storeVariable] else { return nil }
        guard let store = address.store else { return try checked(Value(variable, storeVariable)) }
        guard isTyped || store.isExactly(variable) else {
            throw CLIError(
                .usage, "\(storeVariable) names the isolated store \(variable), and \(origin) names \(store)",
                hints: ["unset one of them, or name the store: --store \(variable)"])
        }
        return nil
    }

    private static func checked(_ name: Value) throws(CLIError) -> Value {
        guard IsolatedApp.number(ofStore: name.text) != nil else {
            throw CLIError(
                .usage, "'\(name.text)' (\(name.origin)) is not a name of an isolated store, which is like t-7",
                hints: ["those that exist: storebus store list", "make one: storebus store create"])
        }
        return name
    }

    private static func missingKey(_ directory: DataDirectory?, _ record: RunRecord?, _ isThatStore: Bool) -> String {
        guard let directory, let record else {
            return "no admin key: there is no .storebus here or above, and STOREBUS_ADMIN_KEY is not set"
        }
        return isThatStore
            ? "no admin key: \(directory.adminKey) cannot be read, and STOREBUS_ADMIN_KEY is not set"
            : "no admin key: that of \(directory.path) belongs to \(record.url), and STOREBUS_ADMIN_KEY is not set"
    }

    /// Returns the settings for another isolated store, or for the installation's own store.
    func at(_ store: String?, origin: String) -> EffectiveSettings {
        var address = address
        address.store = store
        return EffectiveSettings(
            address: address, addressOrigin: addressOrigin, storeOrigin: store.map { _ in origin }, adminKey: adminKey,
            missingKey: missingKey, bundleId: bundleId, directory: directory, directoryOrigin: directoryOrigin,
            isNamedDirectoryIdle: isNamedDirectoryIdle)
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

    /// The variable that names an isolated store.
    static let storeVariable = "STOREBUS_STORE"

    /// The variables that `storebus` reads.
    static let variableNames = [
        "STOREBUS_URL", storeVariable, "STOREBUS_ADMIN_KEY", "STOREBUS_ADMIN_KEY_FILE", "STOREBUS_BUNDLE_ID",
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

/// The address of a store: of an installation, or of an isolated store on it.
struct StoreLocation: Hashable, Sendable {
    /// Without a slash at its end.
    let installation: String
    /// The isolated store's name. Nil for the installation's own store.
    var store: String?

    /// - Parameter url: `http://127.0.0.1:7430`, `http://127.0.0.1:7430/s/t-7`.
    init(_ url: String) {
        var base = Substring(url)
        while base.utf8.last == UInt8(ascii: "/") { base.removeLast() }
        if let name = base.split(separator: "/").last,
            base.dropLast(name.count).utf8.suffix(Self.prefix.count).elementsEqual(Self.prefix),
            IsolatedApp.number(ofStore: String(name)) != nil
        {
            store = String(name)
            base = base.dropLast(name.count + Self.prefix.count)
        }
        installation = String(base)
    }

    private static let prefix = Array(IsolatedStoreRoutes.pathPrefix.utf8)

    /// The part before the path of a request.
    var path: String { store.map { IsolatedStoreRoutes.pathPrefix + $0 } ?? "" }

    var text: String { installation + path }

    /// Scheme, host and port.
    var origin: String {
        let bytes = installation.utf8
        let authority = bytes.firstRange(of: "://".utf8)?.upperBound ?? bytes.startIndex
        let end = bytes[authority...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        return String(installation[..<end])
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
