import StoreModels

/// Downloads of hosted content.
package enum DownloadRoutes {
    /// The bytes, whole or a range of them.
    package static let content = HTTPRoute(.get, "/v1/downloads/{id}/content", .app)

    package static func update(_ action: DownloadAction) -> HTTPRoute {
        HTTPRoute(.post, HTTPPath("/v1/downloads/{id}/\(action.rawValue)"), .app)
    }

    static let all: [HTTPRoute] = [content] + DownloadAction.allCases.map(update)
}
