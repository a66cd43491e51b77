import StoreHTTP
import StoreModels

/// Operator's requests about certificates and signatures.
extension StoreAPI {
    /// `GET /admin/v1/signing/root`: the store's root certificate, PEM or DER.
    func rootCertificate(asDER: Bool = false) async throws(CLIError) -> [UInt8] {
        var request = request(ReceiptRoutes.root)
        if asDER { request.headers["Accept"] = "application/pkix-cert" }
        return try await exchange(request).body
    }

    /// `GET /admin/v1/signing`
    func signing() async throws(CLIError) -> SigningResponse { try await call(SigningRoutes.get) }

    /// `POST /admin/v1/signing/rotate`
    func rotateSigning(_ authority: CertificateRotation) async throws(CLIError) -> SigningResponse {
        try await call(SigningRoutes.rotate, body: RotateRequest(authority: authority))
    }

    /// `PUT /admin/v1/signing/ocsp`
    func setOCSPMode(_ mode: OCSPMode) async throws(CLIError) -> SigningResponse {
        try await call(SigningRoutes.ocsp, body: OCSPSetting(mode: mode))
    }

    /// `POST …/signing/issue`
    func issue(_ body: IssueRequest, bundleId: String) async throws(CLIError) -> String {
        try await call(SigningRoutes.issue, [.bundleId: bundleId], body: body).jws
    }

    /// `POST /ocsp`: asks the store's OCSP responder; both DER.
    func certificateStatus(_ ocspRequest: [UInt8]) async throws(CLIError) -> [UInt8] {
        var request = request(AppStoreServerRoutes.certificateStatus)
        request.headers["Content-Type"] = "application/ocsp-request"
        request.body = ocspRequest
        return try await exchange(request).body
    }

    /// `GET …/server-api`
    func serverAPISettings(_ bundleId: String) async throws(CLIError) -> ServerAPISettings {
        try await call(AppStoreServerRoutes.settings, [.bundleId: bundleId])
    }
}
