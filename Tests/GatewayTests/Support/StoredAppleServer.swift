import BusService
import Logging
import Persistence
import ServiceDatabase
import Signing
import StoreModels

@testable import AppStoreServer

/// What AppStoreServer answers for Apple's server, in a file of a test's own. Its notifications are a fake's.
final class StoredAppleServer: Sendable {
    let database: any SQLDatabase
    private let server: AppleServer
    private let signer: NotificationSigner

    /// - Parameter now: The wall clock.
    init(
        in directory: String, notifications fake: FakeAppStoreServer, environment: ReceiptEnvironment,
        now: @escaping @Sendable () -> Timestamp, logger: Logger
    ) throws(PersistenceError) {
        database = try SQLiteDatabase.open(
            path: "\(directory)/app-store-server.sqlite", holder: "app-store-server",
            migrations: AppStoreServerSchema.migrations, logger: logger)
        let services = ServiceCaller(bus: fake.service.client, caller: "app-store-server", retries: true)
        let signer = NotificationSigner(
            database: database, signing: SigningKeys(database: database, logger: logger),
            serverApps: ServerApps(database: database, logger: logger),
            storefronts: StorefrontDirectory(services: services, from: CatalogEndpoints.listStorefronts),
            services: services)
        self.signer = signer
        server = AppleServer(
            services: services, keys: KeyStore(database: database, now: now, logger: logger),
            serverApps: signer.serverApps, serverAPIFaults: ServerAPIFaults(database: database, logger: logger),
            signing: signer.signing, storefronts: signer.storefronts,
            notifications: NotificationCalls(
                get: { request, _ in try fake.get(request) }, history: { try fake.history($0) },
                test: { request, _ in try fake.test(request) },
                trigger: { request, deadline in
                    // As the service, which signs a notification before it makes it.
                    _ = try await signer.sign([request.draft], CallContext(deadline: deadline))
                    return try fake.trigger(request)
                },
                endpoint: { try fake.endpoint($0) }, putEndpoint: { try fake.putEndpoint($0) }),
            environment: environment)
    }

    /// Answers requests as the service does.
    func serve(on service: FakeService) {
        service.register { [server] service in
            let handlers = DatabaseEndpoints(of: AppStoreServerSchema.owner, on: service)
            server.keys.register(on: handlers)
            server.register(on: handlers)
            HTTPHandlers(server, instance: service.identity.id).register(on: service)
        }
    }

    // MARK: Keys

    func add(_ kind: KeyKind, of bundleId: String) async throws -> NewAppKey {
        try await server.keys.add(AddAppKeyRequest(bundleId: bundleId, kind: kind))
    }

    func list(_ bundleId: String) async throws -> [AppKeyRecord] {
        try await server.keys.list(AppRequest(bundleId: bundleId)).keys
    }

    func find(_ keyIdentifier: String) async throws -> AppKeyRecord? {
        try await server.keys.find(FindAppKeyRequest(keyIdentifier: keyIdentifier)).key
    }

    /// Finds the key that has signed a token of the App Store Server API.
    func key(of token: String) async throws -> AppKeyRecord {
        try await server.admission(
            of: HTTPExchangeRequest(
                operation: "inAppsTransaction", path: "/inApps/v1/transactions/1", parameters: [:],
                authorization: "Bearer \(token)")
        ).key
    }

    // MARK: Receipts and certificates

    var receiptReader: ReceiptReader { server.receiptReader }

    /// Verifies a receipt, and returns what it says.
    func read(_ receiptData: String) async throws -> ReceiptDocument { try await receiptReader.read(receiptData) }

    /// Signs a receipt of one purchase.
    func receiptData(
        of customer: CustomerReference, _ item: ReceiptItem, environment: ReceiptEnvironment
    ) async throws -> String {
        try await ReceiptMaker(keys: server.signing, environment: environment).receiptData(
            of: customer,
            ReceiptContents(
                items: [item], subscriptions: [], firstSeen: item.purchaseDate,
                now: Timestamp(milliseconds: 1_800_000_000_000)),
            applicationVersion: "1.0")
    }

    /// Signs notifications as their delivery does.
    func signed(_ drafts: [NotificationDraft]) async throws -> [String] {
        try await signer.sign(drafts, CallContext(deadline: .now + .seconds(30)))
    }

    func authority() async throws -> CertificateAuthority { try await server.signing.authority() }

    func appStore() async throws -> CertificateAuthority { try await server.signing.appStore().authority }
}
