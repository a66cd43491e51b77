import StoreModels

/// Downloads of hosted content.
package enum DownloadRoutes {
    /// The bytes, whole or a range of them.
    package static let content = HTTPEndpoint<Empty, RawBody>(
        .get, "/v1/downloads/{id}/content", .app, urgency: .unlimited)

    /// An action, named by the last part of its path. Only a failure may have a reason.
    package static func update(_ action: DownloadAction) -> HTTPEndpoint<OptionalError, Download> {
        HTTPEndpoint(.post, HTTPPath("/v1/downloads/{id}/\(action.rawValue)"), .app, isBodyOptional: true)
    }

    static let all: [HTTPRoute] = [content.route] + DownloadAction.allCases.map { update($0).route }
}
