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
}

/// The response of `GET /admin/v1/signing`: how the App Store's data is signed, and how the OCSP responder answers
/// verifiers.
package struct SigningResponse: Hashable, Sendable, Codable {
    /// The OCSP responder's present answers.
    package struct Responder: Hashable, Sendable, Codable {
        package var mode: OCSPMode
        /// The address in the certificates.
        package var url: String?
    }

    /// Base64 of DER, leaf first, as in the header of a signed payload.
    package var chain: [String]
    package var ocsp: Responder
}

/// The body of `POST /admin/v1/signing/rotate`: `{"authority":"leaf"}`.
package struct RotateRequest: Hashable, Sendable, Codable {
    /// The certificate to replace, with its key.
    package var authority: CertificateRotation
}

/// The body of `PUT /admin/v1/signing/ocsp`: `{"mode":"revoked"}`.
package struct OCSPSetting: Hashable, Sendable, Codable {
    /// How the responder answers from now on.
    package var mode: OCSPMode
}

/// The body of `POST /admin/v1/apps/{bundleId}/signing/issue`:
///
/// ```json
/// {"kind":"transaction","of":"2000000000000001","break":"tampered"}
/// ```
package struct IssueRequest: Hashable, Sendable, Codable {
    /// The payloads that can be issued.
    package enum Kind: String, CaseIterable, Sendable, Codable {
        case transaction, renewalInfo, appTransaction, notification
    }

    package var kind: Kind
    /// A transaction's identifier, or a notification's UUID. An app transaction may be named by its own identifier.
    package var of: String
    /// Members of the payload to replace. Null removes one.
    package var set: [String: JSONValue]?
    /// The fault of the signature. Absent for a good one.
    package var `break`: BrokenSignature?
}

/// The response of `POST /admin/v1/apps/{bundleId}/signing/issue`.
package struct IssueResponse: Hashable, Sendable, Codable {
    package var jws: String
}
