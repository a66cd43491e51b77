/// The caller, after its credentials have been checked.
enum Principal: Sendable {
    /// An unauthenticated caller of an open path.
    case anonymous
    case session(Session)
    case admin
    /// An app's server.
    case server(KeyRecord)

    /// The `Sb-Actor` header, `c:<app>:<customerIdentifier>:<device>`; only the gateway sets it.
    var actor: String? {
        guard case .session(let session) = self else { return nil }
        return "c:\(session.bundleId):\(session.customerIdentifier):\(session.deviceId)"
    }
}
