import StoreHTTP
import StoreModels

/// Keeps sessions between commands. A new session is a launch of the app and ends the stream of the older one
/// (`superseded`), so that each `buy` would end a running `watch`.
struct SessionCache: Sendable {
    let api: StoreAPI
    /// Directory of the files, one an installation, accessible to their owner only. Nil keeps no files.
    let directory: String?
    /// Receives a note about an account that a session makes. Nil asks the store nothing about it.
    var note: (@Sendable (Advice) -> Void)?

    /// The kept session, or a new one.
    func session(_ installation: Installation) async throws(CLIError) -> SessionResponse {
        if let kept = kept(installation) { return kept }
        return try await launched(installation)
    }

    /// Runs `body` with a session, and repeats it with a new one after a rejection.
    ///
    /// The kept session has expired, or the store was created again.
    func with<CommandResult>(
        _ installation: Installation, _ body: (SessionResponse) async throws(CLIError) -> CommandResult
    ) async throws(CLIError) -> CommandResult {
        guard let kept = kept(installation) else { return try await body(session(installation)) }
        do {
            return try await body(kept)
        } catch  where error.is(.unauthenticated) {
            return try await body(launched(installation))
        }
    }

    /// Opens a new session and keeps it: the app is launched again.
    func launched(_ installation: Installation) async throws(CLIError) -> SessionResponse {
        let session = try await open(installation) { $0.sessionRequest(on: $1) }
        keep(session, installation)
        return session
    }

    /// Opens a session of the App Store app. It launches nothing, so it is not kept.
    func store(_ installation: Installation) async throws(CLIError) -> SessionResponse {
        try await open(installation) { $0.storeSessionRequest(on: $1) }
    }

    private func open(
        _ installation: Installation, _ request: (Installation, DeviceProfile) -> SessionRequest
    ) async throws(CLIError) -> SessionResponse {
        let profile = await DeviceProfile.known(installation, api)
        let hint =
            note != nil && profile.isNew ? await DidYouMean.note(aboutNewAccount: installation.account, api) : nil
        let session = try await api.call(SessionRoutes.open, body: request(installation, profile))
        if let hint { note?(hint) }
        return session
    }

    /// Removes the sessions of a changed device or app. The next command launches it again.
    /// - Parameters:
    ///   - bundleId: Nil for all apps.
    ///   - deviceId: Nil for all devices.
    func forget(_ bundleId: String? = nil, on deviceId: String? = nil) {
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

    /// Reads the kept session. Nil for a request with a storefront, which the store must check.
    private func kept(_ installation: Installation) -> SessionResponse? {
        guard installation.storefront == nil, let path = file(installation), let text = FileAccess.text(path),
            let session = try? StoreJSON.decode(SessionResponse.self, from: Array(text.utf8)),
            session.expiresAt > Timestamp.wallClock() + .seconds(60)
        else { return nil }
        return session
    }

    /// An error of keeping a session is ignored.
    private func keep(_ session: SessionResponse, _ installation: Installation) {
        guard let directory, let path = file(installation) else { return }
        try? FileAccess.makeDirectory(directory)
        try? FileAccess.write(Array(JSONText.line(JSONText.value(session)).utf8), to: path, mode: 0o600)
    }
}
