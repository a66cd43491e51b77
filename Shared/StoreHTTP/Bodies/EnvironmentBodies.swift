/// The response of `GET /admin/v1/env`: the environment variables with which a program verifies the store's data and
/// calls its API. Variables without a value are left out.
package struct StoreEnvironment: Hashable, Sendable, Codable {
    /// The forms of `?format=`.
    package enum Format: String, CaseIterable, Sendable {
        /// An object of the names and values.
        case json
        /// `export NAME='value'` lines.
        case shell
        /// `NAME=value` lines.
        case dotenv
        /// `NAME=value` lines, for `$GITHUB_ENV`.
        case github
    }

    private enum CodingKeys: String, CodingKey {
        case url = "STOREBUS_URL"
        case bundleId = "STOREBUS_BUNDLE_ID"
        case issuerId = "STOREBUS_ISSUER_ID"
        case keyId = "STOREBUS_KEY_ID"
        case rootCertificate = "STOREBUS_ROOT_CERTIFICATE"
    }

    /// The gateway's address as clients reach it, with an isolated store's path.
    package var url: String
    package var bundleId: String
    /// The `iss` of the App Store Server API's tokens.
    package var issuerId: String
    /// The app's last In-App Purchase key. Absent for an app without one.
    package let keyId: String?
    /// Base64 of DER.
    package var rootCertificate: String

    /// Names and values in the order of printing.
    package var values: [(name: String, value: String)] {
        let values: [(CodingKeys, String?)] = [
            (.url, url), (.bundleId, bundleId), (.issuerId, issuerId), (.keyId, keyId),
            (.rootCertificate, rootCertificate),
        ]
        return values.compactMap { key, value in value.map { (key.rawValue, $0) } }
    }
}
