import StoreHTTP
import StoreModels

/// What an app asks beside products and payments: restores and downloads.
extension StoreAPI {
    // MARK: Restores

    /// `POST /v1/restore`
    /// - Returns: the restore's identifier. It continues by itself; ``restore(_:token:)`` says how far it is.
    func startRestore(
        applicationUsername: String?, key: String, token: String
    ) async throws(CLIError) -> String {
        try await call(
            RestoreRoutes.start, token: token, key: key, body: NewRestore(applicationUsername: applicationUsername)
        ).restoreIdentifier
    }

    /// How far a restore is: `{"state":"finished","restored":2}`
    private struct Progress: JSONForm, Decodable {
        typealias Body = Restore

        var state: Restore.State
        var error: TransactionError?
        var restored: Int
        var applicationUsername: String?
    }

    /// `GET /v1/restores/{restoreIdentifier}`
    func restore(_ identifier: String, token: String) async throws(CLIError) -> Restore {
        let endpoint = RestoreRoutes.get
        let request = request(endpoint, [.restoreIdentifier: identifier], token: token)
        let progress = try decode(endpoint, as: Progress.self, await exchange(request))
        return Restore(
            restoreIdentifier: identifier, state: progress.state, error: progress.error, restored: progress.restored,
            applicationUsername: progress.applicationUsername)
    }

    // MARK: Downloads

    /// `POST /v1/downloads/{id}/{action}`
    func change(_ download: String, _ action: DownloadAction, token: String) async throws(CLIError) -> Download {
        try await call(DownloadRoutes.update(action), [.id: download], token: token)
    }

    /// `GET /v1/downloads/{id}/content`, from a byte on.
    /// - Parameters:
    ///   - offset: where to begin; 0 asks for all of it.
    ///   - tag: of the content the bytes before `offset` are of; when it is another by now, all of it comes.
    func openContent(
        _ download: String, from offset: Int64, tag: String?, token: String
    ) async throws(CLIError) -> StoreStream {
        var request = request(DownloadRoutes.content, [.id: download], token: token)
        request.isTransfer = true
        if offset > 0 {
            request.headers["Range"] = "bytes=\(offset)-"
            request.headers["If-Range"] = tag
        }
        let stream = try await transport.open(request)
        if let failure = stream.failure, failure.status != 416 { throw CLIError(refusal: failure, at: url) }
        return stream
    }
}
