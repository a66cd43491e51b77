import StoreModels

/// Restores of completed transactions.
package enum RestoreRoutes {
    /// Begins a restore for the session's device, and never charges.
    ///
    /// It gives this customer's purchases to this device as restored transactions, then exactly one end.
    package static let start = HTTPEndpoint<NewRestore, RestoreAccepted>(
        "startRestore", .post, "/v1/restore", .app,
        parameters: [.key], isBodyOptional: true, urgency: .completion,
        responses: [
            .accepted(
                "The restore has begun, and may have ended; the stream has the restored transactions and its end. The same key again gets the same response, without Idempotent-Replayed.",
                links: [
                    Link(
                        "get", to: "getRestore", ["restoreIdentifier": "$response.body#/restoreIdentifier"],
                        "How far it is")
                ])
        ], errors: [.invalidOrKey, .notFound, .keyReused, .outcomeUnknown])
    /// Reads the progress of a restore of the session's device.
    package static let get = HTTPEndpoint<Empty, Restore>(
        "getRestore", .get, "/v1/restores/{restoreIdentifier}", .app)
}

/// The optional body of `POST /v1/restore`: `{"applicationUsername":"u-17"}`.
package struct NewRestore: Hashable, Sendable, Codable {
    /// Recorded and returned. It does not filter.
    package var applicationUsername: String?
}

/// The response of `POST /v1/restore`:
///
/// ```json
/// {"restoreIdentifier":"r_01m7ye06a9fztjwq7kqekddpc9"}
/// ```
package struct RestoreAccepted: Hashable, Sendable, Codable {
    /// Used in `/v1/restores/{restoreIdentifier}` and in the events of its end.
    package var restoreIdentifier: String
}
