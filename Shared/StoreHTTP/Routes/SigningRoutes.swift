import StoreModels

/// The operator's hand on how the App Store's data is signed.
package enum SigningRoutes {
    /// Reads the certificates and the OCSP responder's mode.
    package static let get = HTTPEndpoint<Empty, SigningResponse>(.get, "/admin/v1/signing", .admin)
    /// Replaces a certificate and its key; what was signed before stays good.
    package static let rotate = HTTPEndpoint<RotateRequest, SigningResponse>(
        .post, "/admin/v1/signing/rotate", .admin)
    /// Chooses the OCSP responder's answers.
    package static let ocsp = HTTPEndpoint<OCSPSetting, SigningResponse>(.put, "/admin/v1/signing/ocsp", .admin)
    /// Signs a payload with changes, or wrongly.
    package static let issue = HTTPEndpoint<IssueRequest, IssueResponse>(
        .post, "/admin/v1/apps/{bundleId}/signing/issue", .admin)

    static let all: [HTTPRoute] = [get.route, rotate.route, ocsp.route, issue.route]
}
