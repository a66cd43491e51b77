import StoreHTTP
import StoreModels

/// An app's requests about restores and downloads.
extension StoreAPI {
    // MARK: Restores

    /// `POST /v1/restore`
    /// - Returns: The restore's identifier; ``restore(_:token:)`` reads its progress.
    func startRestore(
        applicationUsername: String?, key: String, token: String
    ) async throws(CLIError) -> String {
        try await call(
            RestoreRoutes.start, token: token, key: key, body: NewRestore(applicationUsername: applicationUsername)
        ).restoreIdentifier
    }

    /// The progress of a restore: `{"state":"finished","restored":2}`
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

    /// `GET /v1/downloads/{id}/content`, from an offset on.
    /// - Parameters:
    ///   - offset: The first byte; 0 requests all of it.
    ///   - tag: Entity tag of the bytes before `offset`; when the content has changed, the response is whole.
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
