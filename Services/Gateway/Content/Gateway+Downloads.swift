import BusService
import HTTPTypes
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    /// Routes by which an app's device downloads hosted content.
    var downloadRoutes: [Route] {
        DownloadAction.allCases.map { action in
            Route(DownloadRoutes.update(action)) { [self] in try await update($0, action) }
        } + [
            Route(DownloadRoutes.content) { [self] in try await downloadContent($0) }
        ]
    }

    private func update(_ call: Call, _ action: DownloadAction) async throws -> Download {
        var error: SKErrorCode?
        if action == .fail {
            let body = try await call.body(of: DownloadRoutes.update(action))
            error = body.error?.code
        } else {
            _ = try await call.body(Empty.self, isOptional: true)
        }
        let session = call.session
        let request = UpdateDownloadRequest(
            bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, deviceId: session.deviceId,
            downloadId: try call.parameter(.id, of: "download"), action: action, error: error)
        let reply = try await services.call(PaymentEndpoints.updateDownload, request, for: call)
        return reply.download
    }

    /// Sends the content's bytes, whole or a range of them. Reading changes no state. A cancelled download is no longer
    /// served.
    private func downloadContent(_ call: Call) async throws -> Reply<RawBody> {
        let session = call.session
        let request = DownloadRequest(
            bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, deviceId: session.deviceId,
            downloadId: try call.parameter(.id, of: "download"))
        let found = try await services.call(PaymentEndpoints.getDownload, request, for: call)
        guard found.download.state != .cancelled else {
            throw StoreError(.downloadStateInvalid, "download \(found.download.id) is cancelled")
        }
        let content = try await services.call(
            CatalogEndpoints.getContent,
            ContentRequest(
                bundleId: session.bundleId, productIdentifier: found.productIdentifier,
                version: found.download.contentVersion), for: call)
        let reader = ContentReader(
            services: services, bundleId: session.bundleId, productIdentifier: found.productIdentifier,
            content: content)
        return try await reader.response(to: call)
    }
}
