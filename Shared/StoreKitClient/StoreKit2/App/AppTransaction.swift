internal import StoreHTTP
internal import StoreModels

/// The customer's download of the app, as the store has signed it.
public struct AppTransaction: Hashable, Sendable, CustomDebugStringConvertible {
    let claims: SignedClaims

    /// The payload as the store has signed it, JSON.
    public var jsonRepresentation: Data { claims.json }
    /// The app's number. Nil outside production.
    public var appID: UInt64? { claims.number("appAppleId").map { UInt64(max($0, 0)) } }
    /// The number of the customer's download.
    public var appTransactionID: String { claims.text("appTransactionId") ?? "" }
    /// The app's version in the catalogue.
    public var appVersion: String { claims.text("applicationVersion") ?? "" }
    /// The number of the app's version.
    public var appVersionID: UInt64? { claims.number("versionExternalIdentifier").map { UInt64(max($0, 0)) } }
    /// The app.
    public var bundleID: String { claims.text("bundleId") ?? "" }
    /// The environment of the store.
    public var environment: AppStore.Environment { claims.environment }
    /// The app's version of the first download.
    public var originalAppVersion: String { claims.text("originalApplicationVersion") ?? "" }
    /// The time of the first download.
    public var originalPurchaseDate: Date { claims.date("originalPurchaseDate") ?? .distantPast }
    /// The platform of the first download.
    public var originalPlatform: AppStore.Platform { .init(rawValue: originalPlatformStringRepresentation) }
    /// The word of ``originalPlatform``.
    public var originalPlatformStringRepresentation: String { claims.text("originalPlatform") ?? "" }
    /// The time of an order before the app was sold.
    public var preorderDate: Date? { claims.date("preorderDate") }
    /// The proof that the data is for this device.
    public var deviceVerification: Data { claims.deviceVerification }
    /// The nonce of the proof.
    public var deviceVerificationNonce: UUID { claims.deviceVerificationNonce }
    /// The time of signing, by the store's clock.
    public var signedDate: Date { claims.signedDate ?? .distantPast }
    /// The kind of store that the app comes from. This store is for consumers.
    public var storeType: StoreType { claims.text("storeType").map { StoreType(rawValue: $0) } ?? .consumer }
    /// The time at which the download was revoked.
    public var revocationDate: Date? { claims.date("revocationDate") }

    /// The payload as the store has signed it.
    public var debugDescription: String { String(decoding: claims.json, as: UTF8.self) }

    /// The kinds of store.
    public struct StoreType: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let consumer = StoreType(rawValue: "CONSUMER")
        public static let education = StoreType(rawValue: "EDUCATION")
        public static let enterprise = StoreType(rawValue: "ENTERPRISE")
    }

    /// The customer's download of the app. It is read once in a process. While the store cannot be reached, it is the
    /// one that an earlier run has read.
    /// - Throws: ``StoreKitError``
    public static var shared: VerificationResult<AppTransaction> {
        get async throws { try await SKPaymentQueue.current.core.appTransaction() }
    }

    /// Forgets what was read, as ``AppStore/sync()`` does, and reads the download anew.
    /// - Throws: ``StoreKitError``
    public static func refresh() async throws -> VerificationResult<AppTransaction> {
        let core = SKPaymentQueue.current.core
        try await core.sync()
        return try await core.appTransaction()
    }

    /// The customer's downloads of the app. This store has one.
    public static var all: AppTransactions {
        let queue = SKPaymentQueue.current
        return AppTransactions(source: .list { (try? await queue.core.appTransaction()).map { [$0] } ?? [] })
    }

    /// A sequence of downloads.
    public struct AppTransactions: AsyncSequence, Sendable {
        public typealias Element = VerificationResult<AppTransaction>

        let source: DeliverySource<Element>

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: source.iterator()) }

        /// The iterator, which ends when its task is cancelled.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let source: DeliveryIterator<Element>

            public mutating func next() async -> VerificationResult<AppTransaction>? { await source.next() }
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async -> VerificationResult<AppTransaction>? { await source.next() }
        }
    }
}

extension AppTransaction: SignedValue {
    static let required =
        ["bundleId", "applicationVersion", "originalApplicationVersion", "receiptType", "appTransactionId"].map {
            text($0)
        } + ["receiptCreationDate", "originalPurchaseDate"].map { date($0) } + ofDevice
}

extension QueueCore {
    /// Reads the customer's download, once. While the store cannot be reached, the one of an earlier run.
    @concurrent func appTransaction() async throws -> VerificationResult<AppTransaction> {
        if let known = lists.withLock({ $0.appTransaction }) { return known }
        return try await StoreKitError.catching {
            try failIfSimulated(.appTransaction)
            do {
                let response = try await gateway.send(HTTPCall(AppStoreServerRoutes.signedAppTransaction)).checked()
                let reply = try response.body(of: AppStoreServerRoutes.signedAppTransaction)
                let result: VerificationResult<AppTransaction> = await verifier().result(reply.signedAppTransactionInfo)
                if let session = sessions.current, isSessionWhole {
                    lists.withLock { $0.appTransaction = result }
                    saved.keep(result, in: session)
                }
                return result
            } catch let error as URLError {
                guard let (session, text) = saved.signedAppTransaction else { throw error }
                return makeVerifier(for: session).result(text)
            }
        }
    }
}
