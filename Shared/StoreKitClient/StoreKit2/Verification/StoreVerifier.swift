internal import SignedData
internal import StoreHTTP
internal import StoreModels

/// Verifies signed values of one session on this device.
struct StoreVerifier: Sendable {
    let verifier: SignedDataVerifier
    let bundleId: String
    /// The environment of the app's signed data. Nil while the store does not say it.
    let environment: String?
    /// The device's identifier in signed data.
    let device: UUID?
    /// The queue of the session.
    var owner = QueueReference()
    /// The outcome that a test has set for every value.
    var failure: VerificationResult<Any>.VerificationError?

    /// Returns a value with the outcome of its checks.
    func result<Value: SignedValue>(_ text: String, as type: Value.Type = Value.self) -> VerificationResult<Value> {
        let claims = SignedClaims(text, of: owner)
        let value = Value(claims: claims)
        if let failure { return .unverified(value, .init(failure)) }
        return fault(of: claims, Value.required).map { .unverified(value, .init($0)) } ?? .verified(value)
    }

    private func fault(of claims: SignedClaims, _ required: [@Sendable (SignedClaims) -> Bool]) -> SignedDataFault? {
        guard let document = claims.document else { return .invalidEncoding }
        if let fault = verifier.fault(in: document, signedAt: claims.signedDate.map { Timestamp($0) }) { return fault }
        guard required.allSatisfy({ $0(claims) }) else { return .missingRequiredProperties }
        guard claims.text("bundleId").map({ $0.isExactly(bundleId) }) ?? true,
            environment == nil || claims.environment.rawValue == environment, let device,
            claims.deviceVerification == DeviceProof.make(nonce: claims.deviceVerificationNonce, device: device)
        else { return .invalidDeviceVerification }
        return nil
    }
}

extension StoreVerifier {
    /// The verifier of a session, with the roots that the app trusts (docs/adr/0076).
    init(
        _ session: SessionResponse, _ connection: StoreConnection, _ pins: RootPins,
        _ owner: QueueReference = QueueReference()
    ) {
        let environment = connection.environment?.rawValue ?? session.environment?.rawValue
        self.init(
            verifier: SignedDataVerifier(
                roots: Self.roots(session, connection, pins),
                isXcode: environment == AppStoreEnvironment.xcode.rawValue),
            bundleId: connection.bundleId, environment: environment,
            device: UUID(uuidString: session.deviceVerificationId), owner: owner)
    }

    private static func roots(
        _ session: SessionResponse, _ connection: StoreConnection, _ pins: RootPins
    ) -> [[UInt8]] {
        if let given = connection.trustedRoots {
            return given.flatMap { file -> [[UInt8]] in
                if let list = SignedDataVerifier.certificates(in: Array(file)) { return list }
                StoreConnection.warn(
                    "a root certificate of rootCertificates or STOREBUS_ROOT is neither DER nor PEM", connection)
                return []
            }
        }
        // Production names no root, so nothing is trusted without the app's own. An app may state that it is for
        // production, and then no store can say otherwise.
        guard connection.environment != .production, let environment = session.environment,
            environment != .production, let named = session.rootCertificate,
            let root = Data(base64Encoded: named)
        else { return [] }
        // A process that serves this machine's own addresses can change its files as well.
        if connection.isLoopback { return [Array(root)] }
        switch pins.check(root, of: connection.gateway) {
        case .same: return [Array(root)]
        case .unreadable(let file):
            StoreConnection.warn(
                "the store's signed data stays unverified, because the file of its root cannot be read or written: "
                    + file.path, connection)
            return []
        case .changed(let file):
            StoreConnection.warn(
                "the store at \(connection.gateway.absoluteString) names another root than before, so its signed data "
                    + "stays unverified; if the store was set up anew, remove \(file.path)", connection)
            return []
        }
    }
}

extension StoreConnection {
    /// Whether the gateway is this machine.
    var isLoopback: Bool {
        guard let host = gateway.host() else { return false }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let isAddress = parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
        return ["localhost", "::1", "[::1]"].contains(host) || (isAddress && parts[0] == "127")
    }
}

/// The roots of stores by their URLs, each kept in a file as it was first seen.
struct RootPins: Sendable {
    enum Finding: Equatable {
        case same
        /// The file has another root.
        case changed(URL)
        /// The file cannot be read, or not be written at the first use.
        case unreadable(URL)
    }

    let directory: URL

    /// The folder of the user's application data.
    static var user: RootPins {
        let base =
            FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            ?? FileManager.default.temporaryDirectory
        return RootPins(directory: base.appendingPathComponent("Storebus/roots", isDirectory: true))
    }

    /// Compares a store's root with the one of its first use, which this is without a file.
    func check(_ root: Data, of gateway: URL) -> Finding {
        // A host's letters have no case, and its path is no part of a store's address.
        let host = PercentEncoding.encode(gateway.host()?.lowercased() ?? "")
        let port = gateway.port ?? (gateway.scheme?.lowercased() == "https" ? 443 : 80)
        let file = directory.appendingPathComponent("\(host)-\(port).der")
        do {
            let first = try Data(contentsOf: file)
            // A certificate for the same key is as good. Xcode's is made anew when the store starts.
            return first == root || SignedDataVerifier.haveSameKey(Array(first), Array(root)) ? .same : .changed(file)
        } catch CocoaError.fileReadNoSuchFile {
            do {
                try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
                try root.write(to: file, options: .atomic)
                return .same
            } catch { return .unreadable(file) }
        } catch { return .unreadable(file) }
    }
}
