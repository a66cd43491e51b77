import StoreHTTP
import StoreModels

/// Keeps sessions between commands. A new session means "the app was launched again" and ends the older one's stream
/// (`superseded`); without this, every `buy` would end the `watch` that runs beside it.
struct SessionKeeper: Sendable {
    let api: StoreAPI
    /// Where the files are, one an installation, readable by their owner only; nil keeps nothing.
    let directory: String?

    /// The kept session, or a new one.
    func session(_ installation: Installation) async throws(CLIError) -> SessionResponse {
        if let kept = kept(installation) { return kept }
        return try await renewed(installation)
    }

    /// Runs `body` with a session, and once more with a new one when the store no longer takes the kept one (it ran
    /// out, or the store was made anew).
    func with<CommandResult>(
        _ installation: Installation, _ body: (SessionResponse) async throws(CLIError) -> CommandResult
    ) async throws(CLIError) -> CommandResult {
        guard let kept = kept(installation) else { return try await body(session(installation)) }
        do {
            return try await body(kept)
        } catch  where error.code.name == StoreErrorCode.unauthenticated.name {
            return try await body(renewed(installation))
        }
    }

    /// A new session, kept in the place of an older one: the app is launched anew.
    func launched(_ installation: Installation) async throws(CLIError) -> SessionResponse {
        try await renewed(installation)
    }

    private func renewed(_ installation: Installation) async throws(CLIError) -> SessionResponse {
        let session = try await api.openSession(installation, on: .known(installation, api))
        keep(session, installation)
        return session
    }

    /// The App Store app on the installation's device. Nothing is launched by it, so it need not be kept.
    func store(_ installation: Installation) async throws(CLIError) -> SessionResponse {
        try await api.openStoreSession(installation, on: .known(installation, api))
    }

    /// Forgets the sessions of a device that has become another, or of an app that was replaced there: the next command
    /// launches it anew.
    /// - Parameter bundleId: nil for all apps.
    func forget(_ bundleId: String? = nil, on deviceId: String) {
        guard let directory else { return }
        for name in FileAccess.names(in: directory)
        where Installation.isFile(name, of: bundleId, on: deviceId) {
            FileAccess.remove("\(directory)/\(name)")
        }
    }

    private func file(_ installation: Installation) -> String? {
        guard let directory, let name = installation.fileName else { return nil }
        return "\(directory)/\(name)"
    }

    /// Asking for a storefront means that the store shall judge it, so no kept session answers that.
    private func kept(_ installation: Installation) -> SessionResponse? {
        guard installation.storefront == nil, let path = file(installation), let text = FileAccess.text(path),
            let session = try? StoreJSON.decode(SessionResponse.self, from: Array(text.utf8)),
            session.expiresAt > Timestamp.wallClock() + .seconds(60)
        else { return nil }
        return session
    }

    /// A session that cannot be kept is only less convenient.
    private func keep(_ session: SessionResponse, _ installation: Installation) {
        guard let directory, let path = file(installation) else { return }
        try? FileAccess.makeDirectory(directory)
        try? FileAccess.write(Array(JSONText.line(JSONText.value(session)).utf8), to: path, mode: 0o600)
    }
}
