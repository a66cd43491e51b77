internal import StoreHTTP
internal import StoreModels

/// An isolated store of this process, made from a `.storekit` file.
final class SessionStore: Sendable {
    private struct Known: Sendable {
        var store: SessionStore
        let bytes: Data
    }

    private struct Process: Sendable {
        /// The stores by the paths of their files.
        var stores: [String: Known] = [:]
        /// All stores, also those of files that have changed since.
        var made: [SessionStore] = []
        /// The store that the default queue uses.
        weak var current: SessionStore?
        var isRemovedAtExit = false
    }

    /// The account that every test has. A store has its own.
    static let account = "tester"
    private static let deviceId = "StoreKitTest"
    /// How long a store lasts that its process has not removed.
    private static let lifetime = "1h"
    /// How long a busy store is asked again, in seconds.
    private static let patience: TimeInterval = 30
    private static let process = LockedValue(Process())

    let made: IsolatedStoreResponse
    let address: URL
    let client: OperatorClient
    private let installation: OperatorClient
    /// Whether a session has moved the store's clock.
    let clockIsMoved = LockedValue(false)
    /// The newest notification when the history was cleared last.
    let clearedNotification = LockedValue<String?>(nil)
    /// Numbers for transactions that have none from the store, such as one that waits for a parent.
    private let numbers = LockedValue<[String: UInt]>([:])

    private init(_ made: IsolatedStoreResponse, _ installation: OperatorClient) {
        self.made = made
        self.installation = installation
        address = installation.address.appendingPathComponent(IsolatedStoreRoutes.pathPrefix + made.store)
        client = OperatorClient(address: address, key: made.adminKey)
    }

    /// Returns the process's store of a file, and points the default queue at it.
    /// - Throws: ``SKTestError``
    static func use(_ file: URL) throws -> SessionStore {
        guard file.isFileURL else { throw SKTestError(.invalidURL, "\(file) is not the URL of a file") }
        let path = file.standardizedFileURL.resolvingSymlinksInPath().path
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw SKTestError(.fileNotFound, "there is no file \(path), or it cannot be read")
        }
        return try process.withLock { process in
            let known = process.stores[path].flatMap { $0.bytes == bytes ? $0.store : nil }
            let store = try known ?? make(bytes, named: file.lastPathComponent)
            if known == nil { process.made.append(store) }
            process.stores[path] = Known(store: store, bytes: bytes)
            guard process.current !== store else { return store }
            guard !ClientUnderTest.hasOpenPurchases else {
                throw SKTestError(
                    .serviceUnavailable, "a purchase of another session has no outcome yet; run the tests .serialized")
            }
            ClientUnderTest.use(store.connection)
            process.current = store
            if !process.isRemovedAtExit { atexit { SessionStore.removeAll() } }
            process.isRemovedAtExit = true
            return store
        }
    }

    /// Returns the process's store of a file with the file's settings. A store whose time is over is replaced.
    /// - Throws: ``SKTestError``
    static func begin(_ file: URL) throws -> (SessionStore, TesterSettings) {
        let known = try use(file)
        do {
            do {
                return (known, try known.settings())
            } catch let problem as StoreProblem where problem.status == 404 {
                process.withLock { process in process.stores = process.stores.filter { $0.value.store !== known } }
                let made = try use(file)
                return (made, try made.settings())
            }
        } catch {
            throw SKTestError(cause: error, missing: .serviceUnavailable)
        }
    }

    private func settings() throws -> TesterSettings {
        try client.call(AppRoutes.get, [.bundleId: made.bundleId]).testerDefaults ?? TesterSettings()
    }

    private static func make(_ bytes: Data, named name: String) throws -> SessionStore {
        let environment = ProcessInfo.processInfo.environment
        guard let key = environment["STOREBUS_ADMIN_KEY"] else {
            throw SKTestError(
                .serviceUnavailable,
                "STOREBUS_ADMIN_KEY is not set: start a store with storebus up, then eval \"$(storebus env)\"")
        }
        let text = environment["STOREBUS_URL"] ?? "http://localhost:7430"
        guard var address = URLComponents(string: text), address.host != nil else {
            throw SKTestError(.serviceUnavailable, "STOREBUS_URL is not the address of a store: \(text)")
        }
        // The variable may name an isolated store.
        address.path = ""
        guard let gateway = address.url else {
            throw SKTestError(.serviceUnavailable, "STOREBUS_URL is not the address of a store: \(text)")
        }
        let installation = OperatorClient(address: gateway, key: key)
        let bundleId = environment["STOREBUS_BUNDLE_ID"] ?? Bundle.main.bundleIdentifier ?? "storekit.test"
        do {
            return SessionStore(try upload(bytes, named: name, of: bundleId, to: installation), installation)
        } catch let problem as StoreProblem where problem.status == 422 || problem.status == 400 {
            throw SKTestError(.invalidURL, "the store refuses \(name): \(problem.detail)")
        } catch {
            throw SKTestError(cause: error, missing: .serviceUnavailable)
        }
    }

    /// Makes the store. Other processes may be making theirs, and the store takes a few at a time.
    private static func upload(
        _ bytes: Data, named name: String, of bundleId: String, to installation: OperatorClient
    ) throws -> IsolatedStoreResponse {
        let end = Date() + patience
        // Each try costs the store a copy of the app, so the pauses grow.
        var pause: TimeInterval = 0.1
        while true {
            do {
                return try installation.upload(
                    bytes, to: IsolatedStoreRoutes.createFromFile,
                    query: ["bundleId": bundleId, "fileName": name, "running": "true", "ttl": lifetime])
            } catch let problem as StoreProblem where problem.status == 429 && Date() < end {
                Thread.sleep(forTimeInterval: .random(in: pause / 2...pause))
                pause = min(2 * pause, 2)
            }
        }
    }

    /// Removes the stores of a process that ends. One that cannot be removed ends by itself.
    private static func removeAll() {
        for store in process.withLock({ $0.made }) {
            try? store.installation.call(IsolatedStoreRoutes.delete, [.store: store.made.store])
        }
    }

    private var connection: StoreConnection {
        StoreConnection(
            gateway: address, bundleId: made.bundleId, deviceId: Self.deviceId, account: Self.account,
            rootCertificates: Data(base64Encoded: made.rootCertificate).map { [$0] })
    }

    /// Returns the number of a transaction that may have none from the store.
    func number(of transactionIdentifier: String?, id: String) -> UInt {
        if let number = transactionIdentifier.flatMap({ UInt($0) }) { return number }
        return numbers.withLock { numbers in
            if let known = numbers[id] { return known }
            // The store's own are 16 digits.
            let number = UInt(1 + numbers.count)
            numbers[id] = number
            return number
        }
    }

    /// Returns the name of a transaction in the store's paths.
    func name(of number: UInt) -> String {
        numbers.withLock { $0.first { $0.value == number }?.key } ?? "\(number)"
    }
}
