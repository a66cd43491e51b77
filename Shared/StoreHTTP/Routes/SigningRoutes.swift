import StoreModels

/// The operator's hand on how the App Store's data is signed.
package enum SigningRoutes {
    /// Reads the certificates and the OCSP responder's mode.
    package static let get = HTTPEndpoint<Empty, SigningResponse>(
        "getSigning", .get, "/admin/v1/signing", .admin,
        needs: .storage)
    /// Replaces a certificate and its key.
    ///
    /// Everything signed before stays good, online too. An intermediate can be replaced a hundred times. Other gateways
    /// of the store follow within a second.
    package static let rotate = HTTPEndpoint<RotateRequest, SigningResponse>(
        "rotateSigning", .post, "/admin/v1/signing/rotate", .admin,
        needs: .storage, errors: [.tooManyRotations])
    /// Chooses the OCSP responder's answers.
    ///
    /// Other gateways of the store follow within a second.
    package static let ocsp = HTTPEndpoint<OCSPSetting, SigningResponse>(
        "putOCSPMode", .put, "/admin/v1/signing/ocsp", .admin,
        needs: .storage)
    /// Signs a payload with changes, or wrongly.
    ///
    /// An app's server is tested with it: the server has to refuse a payload that is broken, and to accept one that is
    /// merely new.
    package static let issue = HTTPEndpoint<IssueRequest, IssueResponse>(
        "issuePayload", .post, "/admin/v1/apps/{bundleId}/signing/issue", .admin)

    static let all: [any HTTPOperation] = [get, rotate, ocsp, issue]
}
