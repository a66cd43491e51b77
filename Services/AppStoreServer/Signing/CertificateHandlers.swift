import BusService
import Cryptography
import FoundationEssentials
import Persistence
import ServiceDatabase
import Signing
import StoreModels

extension AppleServer {
    /// Registers the endpoints by which the gateway learns and asks what only this service knows.
    func register(on handlers: DatabaseEndpoints) {
        handlers.handle(SigningEndpoints.verification, verification)
        handlers.handle(SigningEndpoints.trust, trust)
        handlers.handle(SigningEndpoints.signChanges, signChanges)
        handlers.handle(SigningEndpoints.putAddress) { [signing] request in
            try await signing.setPublicURL(request.url)
            return Empty()
        }
        handlers.handle(SigningEndpoints.certify, certify)
        handlers.handle(SigningEndpoints.readReceipt, readReceipt)
        handlers.handle(SigningEndpoints.openStore, openStore)
    }

    private func trust(_ request: AppRequest) async throws -> TrustFacts {
        let app = try await serverApps.app(request.bundleId)
        let root = app.environment == .production ? nil : try await PayloadSigner(signing, app: app).trusted
        return TrustFacts(
            rootCertificate: root.map { Data($0).base64EncodedString() }, environment: app.environment,
            issuerId: try await serverApps.issuerId())
    }

    private func verification(_ request: AppRequest) async throws -> VerificationFacts {
        let key = try await keys.list(request).keys.last { $0.kind == .inAppPurchase }
        return VerificationFacts(
            rootCertificate: Data(try await signing.authority().rootDER).base64EncodedString(),
            issuerId: try await serverApps.issuerId(), keyIdentifier: key?.keyIdentifier)
    }

    private func certify(_ request: CertifyRequest) async throws -> Certified {
        guard let key = try? P256.Signing.PublicKey(pemRepresentation: request.publicKey) else {
            throw StoreError.invalid("$.publicKey", "is not PEM of a key on P-256")
        }
        let chain = try await signing.authority().serverChain(for: key, hosts: request.hosts, now: now().date)
        return Certified(chain: chain.map { Data($0).base64EncodedString() })
    }

    func readReceipt(
        _ request: ReadReceiptRequest, deadline: ContinuousClock.Instant
    ) async throws -> ReceiptHistory {
        // The gateway waits long enough to learn that the clock did not come.
        let context = CallContext(deadline: deadline - NotificationService.replyMargin)
        do {
            return try await receiptReader.history(
                of: request.receiptData, bundleId: request.bundleId, context: context
            ).deciding()
        } catch let error as ReceiptError {
            throw error.problem
        }
    }

    /// Makes an isolated store's key, and gives its app the settings of the app that it was copied from.
    func openStore(_ request: OpenStoreRequest) async throws -> NewAppKey {
        try AppRequest(bundleId: request.to).checkIsIsolated()
        let settings = try await serverApps.settings(of: request.from)
        let key = NewKey(.inAppPurchase, bundleId: request.to, now: now())
        try await keys.database.write { transaction in
            try await ServerApps.put(settings, of: request.to, until: request.expiresAt, in: transaction)
            try await KeyStore.insert(key.record, in: transaction)
        }
        return NewAppKey(key: key.record, secret: key.secret)
    }
}
