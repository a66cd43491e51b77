import BusService
import Cryptography
import EventLoop
import FoundationEssentials
import Logging
import Operations
import Persistence
import ServiceDatabase
import Signing
import StoreHTTP
import StoreModels

/// The store's certificates. Replicas on PostgreSQL use the same ones, and signatures from before a restart stay valid.
final class SigningKeys: Sendable {
    /// The rows of the authorities, by name.
    private enum Row: String {
        case receipts
        /// Signs transactions and other data that Apple's server libraries verify, below the root of `receipts`.
        case appStore
    }

    /// The signers with the App Store's authority, and the OCSP responder for its certificates.
    struct AppStore: Sendable {
        let authority: CertificateAuthority
        let signer: JWSSigner
        /// Signs as Xcode does, with one certificate.
        let xcode: JWSSigner
        let responder: OCSPResponder
        /// A digest of the signer's certificates.
        let chainDigest: [UInt8]
        fileprivate(set) var state: State

        /// - Parameter former: Authorities whose intermediates were replaced.
        fileprivate init(_ authority: CertificateAuthority, former: [CertificateAuthority], _ state: State) throws {
            self.authority = authority
            signer = JWSSigner(authority)
            xcode = try JWSSigner.xcode(authority)
            responder = try OCSPResponder([authority] + former)
            chainDigest = SHA256.hash(data: authority.chainDER.joined())
            self.state = state
        }
    }

    /// The state that an operator has changed.
    struct State: Sendable {
        /// Grows with each rotation.
        var version: Int64 = 0
        var mode = OCSPMode.good
        /// The gateway's address as clients reach it, which the certificates name.
        var publicURL = "http://127.0.0.1:7430"
    }

    private enum Kept: Hashable { case appStore }

    /// The most intermediates that are kept after their replacement.
    static let formerMax = 100

    private let database: any SQLDatabase
    private let logger: Logger
    private let known = Locked<CertificateAuthority?>(nil)
    /// Other replicas rotate and change modes too, so it is read again after a second.
    private let kept = ExpiringCache<Kept, AppStore>(max: 1, freshFor: .seconds(1))

    init(database: any SQLDatabase, logger: Logger = Logger(label: ServiceName.appStoreServer.rawValue)) {
        self.database = database
        self.logger = logger
    }

    /// Sets the gateway's address. Certificates that name another one are issued anew.
    func setPublicURL(_ url: String) async throws {
        try await withStoreErrors(of: AppStoreServerSchema.owner, logger: logger) {
            try await database.write { transaction in
                _ = try await transaction.execute(
                    """
                    INSERT INTO signing_state (name, version, ocsp_mode, public_url) VALUES (?, 0, ?, ?)
                    ON CONFLICT (name) DO UPDATE SET public_url = excluded.public_url
                    """, Row.appStore.rawValue, OCSPMode.good, url)
            }
        }
        kept.invalidate()
    }

    /// Returns the receipts' authority, creating it at the first call.
    /// - Throws: `serviceUnavailable` and `outcomeUnknown` for a database that is busy or lost, or `internal` for an
    ///   invalid row.
    func authority() async throws -> CertificateAuthority {
        if let authority = known.withLock({ $0 }) { return authority }
        let authority = try await stored(.receipts) { try CertificateAuthority() }
        known.withLock { $0 = authority }
        return authority
    }

    /// Returns the signers for the App Store, creating its authority at the first call.
    ///
    /// Its certificates name the gateway's path to the OCSP responder. When that has moved, they are issued anew for
    /// the same keys.
    /// - Throws: As ``authority()``.
    func appStore() async throws -> AppStore {
        if let found = kept.fresh(.appStore) { return found }
        let ticket = kept.ticket()
        let state = try await withStoreErrors(of: AppStoreServerSchema.owner, logger: logger) {
            try await database.read { try await Self.state(in: $0) }
        }
        var found: AppStore
        if let last = kept.last(.appStore), last.state.version == state.version,
            last.state.publicURL.isExactly(state.publicURL)
        {
            found = last
            found.state = state
        } else {
            found = try await read(state)
        }
        kept.insert(found, for: .appStore, ticket)
        return found
    }

    private func read(_ state: State) async throws -> AppStore {
        let url = state.publicURL + AppStoreServerRoutes.certificateStatus.route.path.description
        let root = try await authority()
        var authority = try await stored(.appStore) { try .appStore(root: root, ocspURL: url) }
        if !authority.ocspURL.isExactly(url) {
            authority = try authority.reissued(ocspURL: url)
            try await replaceCertificates(of: authority.stored())
        }
        let former = try await withStoreErrors(of: AppStoreServerSchema.owner, logger: logger) {
            try await database.read { try await Self.former(in: $0) }
        }
        return try AppStore(authority, former: former.map(CertificateAuthority.init), state)
    }

    // MARK: Changes

    /// Replaces a certificate of the App Store's authority and its key. Signatures from before stay good.
    /// - Throws: As ``authority()``, or `requestInvalid` (422) after ``formerMax`` intermediates.
    func rotate(_ rotation: CertificateRotation) async throws -> AppStore {
        // It may not have been made yet.
        _ = try await appStore()
        try await withStoreErrors(of: AppStoreServerSchema.owner, logger: logger) {
            try await database.write { transaction in
                // The first statement, which locks the row: replicas rotate one after another.
                try await transaction.execute(
                    """
                    INSERT INTO signing_state (name, version, ocsp_mode) VALUES (?, 1, ?)
                    ON CONFLICT (name) DO UPDATE SET version = signing_state.version + 1
                    """, Row.appStore.rawValue, OCSPMode.good)
                guard let present = try await Self.read(.appStore, in: transaction) else {
                    throw StoreError(.internal, "the signing authority vanished")
                }
                let next = try CertificateAuthority(present).rotated(rotation).stored()
                if rotation == .intermediate {
                    guard try await Self.former(in: transaction).count < Self.formerMax else {
                        throw StoreError.invalid(
                            "$.authority", "was replaced \(Self.formerMax) times already", status: 422)
                    }
                    let version = try await Self.state(in: transaction).version
                    try await Self.insert(present, "\(Row.appStore.rawValue).\(version)", .wallClock(), in: transaction)
                }
                try await transaction.execute(
                    """
                    UPDATE signing_authority SET intermediate_certificate = ?, leaf_certificate = ?,
                        intermediate_key = ?, leaf_key = ? WHERE name = ?
                    """, next.intermediateCertificate, next.leafCertificate, next.intermediateKey, next.leafKey,
                    Row.appStore.rawValue)
            }
        }
        kept.invalidate()
        return try await appStore()
    }

    /// Chooses the answers of the OCSP responder.
    func setMode(_ mode: OCSPMode) async throws -> AppStore {
        try await withStoreErrors(of: AppStoreServerSchema.owner, logger: logger) {
            try await database.write { transaction in
                _ = try await transaction.execute(
                    """
                    INSERT INTO signing_state (name, version, ocsp_mode) VALUES (?, 0, ?)
                    ON CONFLICT (name) DO UPDATE SET ocsp_mode = excluded.ocsp_mode
                    """, Row.appStore.rawValue, mode)
            }
        }
        kept.invalidate()
        return try await appStore()
    }

    // MARK: Rows

    private static func state(in reader: SQLReader) async throws -> State {
        let row = try await reader.queryOne(
            "SELECT version, ocsp_mode, public_url FROM signing_state WHERE name = ?", Row.appStore.rawValue)
        var state = State()
        if let row {
            (state.version, state.mode) = (try row["version"], try row["ocsp_mode"])
            state.publicURL = try row["public_url"] ?? state.publicURL
        }
        return state
    }

    /// Authorities whose intermediates were replaced, oldest first.
    private static func former(in reader: SQLReader) async throws -> [StoredAuthority] {
        try await reader.query(
            "SELECT * FROM signing_authority WHERE name LIKE ? ORDER BY created_at, name", "\(Row.appStore.rawValue).%"
        ).map(StoredAuthority.init)
    }

    private func stored(_ row: Row, else make: @escaping () throws -> CertificateAuthority) async throws
        -> CertificateAuthority
    {
        let stored = try await withStoreErrors(of: AppStoreServerSchema.owner, logger: logger) {
            if let found = try await database.read({ try await Self.read(row, in: $0) }) { return found }
            let new = try make().stored()
            try await database.write { try await Self.insert(new, row.rawValue, .wallClock(), in: $0) }
            // When several replicas start together, the first one's row wins, and all of them read it.
            guard let found = try await database.read({ try await Self.read(row, in: $0) }) else {
                throw StoreError(.internal, "the signing authority vanished while it was being made")
            }
            return found
        }
        return try CertificateAuthority(stored)
    }

    private static func read(_ row: Row, in reader: SQLReader) async throws -> StoredAuthority? {
        try await reader.queryOne("SELECT * FROM signing_authority WHERE name = ?", row.rawValue)
            .map(StoredAuthority.init)
    }

    private static func insert(
        _ new: StoredAuthority, _ name: String, _ now: Timestamp, in transaction: SQLTransaction
    ) async throws {
        try await transaction.execute(
            """
            INSERT INTO signing_authority (name, root_certificate, intermediate_certificate, leaf_certificate,
                root_key, intermediate_key, leaf_key, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """, name, new.rootCertificate, new.intermediateCertificate, new.leafCertificate, new.rootKey,
            new.intermediateKey, new.leafKey, now.milliseconds)
    }

    /// Writes other certificates for the same keys, unless another replica has replaced the keys meanwhile.
    private func replaceCertificates(of new: StoredAuthority) async throws {
        try await withStoreErrors(of: AppStoreServerSchema.owner, logger: logger) {
            try await database.write { transaction in
                _ = try await transaction.execute(
                    """
                    UPDATE signing_authority SET intermediate_certificate = ?, leaf_certificate = ?
                    WHERE name = ? AND intermediate_key = ? AND leaf_key = ?
                    """, new.intermediateCertificate, new.leafCertificate, Row.appStore.rawValue, new.intermediateKey,
                    new.leafKey)
            }
        }
    }
}

extension StoredAuthority {
    fileprivate init(_ row: SQLRow) throws {
        self.init(
            rootCertificate: try row["root_certificate"], intermediateCertificate: try row["intermediate_certificate"],
            leafCertificate: try row["leaf_certificate"], rootKey: try row["root_key"],
            intermediateKey: try row["intermediate_key"], leafKey: try row["leaf_key"])
    }
}

extension OCSPMode: SQLValueConvertible {}

/// Signs the data that an app and its server read, in the app's environment.
struct PayloadSigner: Sendable {
    let app: ServerApp
    /// Hexadecimal text that changes with the certificates and the app's settings, on which all payloads depend.
    let revision: String
    private let signer: JWSSigner
    private let device: DeviceBinding?

    /// - Parameter device: The device that payloads are bound to. Nil for those of an app's server.
    init(_ signing: SigningKeys, app: ServerApp, device: DeviceBinding? = nil) async throws {
        let appStore = try await signing.appStore()
        self.app = app
        self.device = device
        let settings = [app.environment.rawValue, app.appAppleId.map { "\($0)" } ?? ""].joined(separator: "\0")
        revision = Hex.text(SHA256.hash(data: appStore.chainDigest + Array(settings.utf8)).prefix(8))
        signer = app.environment == .xcode ? appStore.xcode : appStore.signer
    }

    /// The certificate that a device has to trust, DER.
    var trusted: [UInt8] { signer.trusted }

    func sign(_ payload: [UInt8]) -> String { signer.sign(payload) }

    /// Signs a payload with a fault, or correctly for nil.
    /// - Throws: `requestInvalid` that names `path`, for a fault that cannot be done to the payload.
    func sign(_ payload: [UInt8], broken: BrokenSignature?, at path: String) throws -> String {
        guard let broken else { return sign(payload) }
        do {
            return try signer.sign(payload, broken: broken)
        } catch let error as BrokenSignature.NotApplicable {
            throw StoreError.invalid(
                path, "\(error.broken.rawValue) cannot be done to this payload in \(app.environment.rawValue)")
        }
    }

    // MARK: Payloads

    /// Replaces members of a payload. Null removes one.
    static func setting(_ members: [String: JSONValue], in payload: [UInt8]) throws -> [UInt8] {
        guard !members.isEmpty, var changed = try StrictJSON.parse(payload).objectValue else { return payload }
        for (name, value) in members { changed[name] = value == .null ? nil : value }
        return try StoreJSON.encode(JSONValue.object(changed))
    }

    /// Writes a transaction.
    /// - Parameter storefronts: Apple's numbers of the storefronts that transactions name.
    func transaction(
        _ value: ServerTransaction, appTransactionId: String, storefronts: [ExactText: Storefront], at now: Timestamp
    ) throws -> [UInt8] {
        try encode(
            TransactionClaims(
                value, of: app, storefrontId: storefronts[value.storefront]?.identifier,
                appTransactionId: appTransactionId, signedDate: now))
    }

    /// Writes the renewal information of a subscription.
    func renewal(_ value: ServerSubscription, appTransactionId: String, at now: Timestamp) throws -> [UInt8] {
        try encode(
            RenewalClaims(value, environment: app.environment, appTransactionId: appTransactionId, signedDate: now))
    }

    /// Writes a customer's download of the app.
    func appTransaction(_ value: TransactionLookupReply, applicationVersion: String) throws -> [UInt8] {
        try encode(
            AppTransactionClaims(
                value, of: app, applicationVersion: applicationVersion,
                originalApplicationVersion: ReceiptMaker.originalApplicationVersion))
    }

    /// Writes claims, bound to the device if there is one.
    private func encode(_ claims: some DeviceBoundClaims) throws -> [UInt8] {
        var claims = claims
        device?.bind(&claims)
        return try StoreJSON.encode(claims)
    }
}

/// Binds payloads to a device, as StoreKit checks them there.
struct DeviceBinding: Sendable {
    /// The device's identifier for the app, a UUID in lower case.
    let identifier: String

    /// Writes a new nonce, and its digest with the device's identifier.
    func bind(_ claims: inout some DeviceBoundClaims) {
        let nonce = UUID().uuidString.lowercased()
        claims.deviceVerificationNonce = nonce
        claims.deviceVerification = Self.value(nonce: nonce, identifier: identifier)
    }

    /// Computes Apple's `deviceVerification` in Base64.
    static func value(nonce: String, identifier: String) -> String {
        Data(SHA384.hash(data: (nonce + identifier).utf8)).base64EncodedString()
    }
}

/// Claims that are bound to a device when they are signed for an app on it.
protocol DeviceBoundClaims: Encodable {
    var deviceVerification: String? { get set }
    var deviceVerificationNonce: String? { get set }
}

extension TransactionClaims: DeviceBoundClaims {}
extension RenewalClaims: DeviceBoundClaims {}
extension AppTransactionClaims: DeviceBoundClaims {}

extension SigningKeys {
    /// Makes the store's certificates at the first start, and publishes their root.
    ///
    /// `root.cer` has DER, as Apple's, and `root.pem` PEM. Every start writes them, so that they match the database.
    /// - Throws: ``StartupError``.
    func publishRoot(in directory: String) async throws(StartupError) {
        let root: CertificateAuthority
        do {
            root = try await authority()
        } catch {
            throw StartupError(.badConfiguration, "the store's certificates cannot be read or made: \(error)")
        }
        try Self.write(root, in: directory)
    }

    /// - Throws: ``StartupError`` that names the file.
    private static func write(_ root: CertificateAuthority, in directory: String) throws(StartupError) {
        do {
            try Data(root.rootDER).write(to: URL(fileURLWithPath: "\(directory)/root.cer"), options: .atomic)
            try Data(root.rootPEM.utf8).write(to: URL(fileURLWithPath: "\(directory)/root.pem"), options: .atomic)
            // The only files of the directory that every user may read.
            for name in ["root.cer", "root.pem"] {
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o644], ofItemAtPath: "\(directory)/\(name)")
            }
        } catch {
            throw StartupError(.badConfiguration, "\(directory)/root.cer cannot be written: \(error)")
        }
    }
}
