import StoreModels

/// The event of an app's launch. Other gateways then end older streams of the installation. When it is lost, an older
/// stream only stays open.
///
/// ```json
/// {"installation":{"bundleId":"com.example.app","deviceId":"alice-1"},"sessionIdentifier":"s_…","launch":812}
/// ```
struct SessionOpened: Hashable, Sendable, Codable {
    /// The subject for all installations: gateways are few, and each needs every message.
    static let subject = "sb.evt.gateway.v1.session.opened"

    var installation: AppInstallation
    var sessionIdentifier: String
    var launch: Int64

    init(_ session: Session) {
        installation = session.installation
        sessionIdentifier = session.identifier
        launch = session.launchNumber
    }

    /// Whether `session` is an older one of the same installation.
    func supersedes(_ session: Session) -> Bool {
        installation == session.installation && !sessionIdentifier.isExactly(session.identifier)
            && launch > session.launchNumber
    }
}
