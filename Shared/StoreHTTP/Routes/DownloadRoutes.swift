import StoreModels

/// Downloads of hosted content.
package enum DownloadRoutes {
    /// Reads the content's bytes, whole or a range of them.
    ///
    /// They are available while the transaction is unfinished, in any state but cancelled. Reading changes no state.
    package static let content = HTTPEndpoint<Empty, RawBody>(
        "getDownloadContent", .get, "/v1/downloads/{id}/content", .app,
        parameters: [.range, .ifRange], urgency: .unlimited,
        responses: [
            .ok("The whole package.", .bytes(["application/octet-stream"]), headers: [.contentTag, .acceptRanges]),
            .partialContent(
                "The requested range.", .bytes(["application/octet-stream"]),
                headers: [.contentTag, .acceptRanges, .contentRange]),
        ], errors: [.contentNotFound, .downloadState, .noSuchRange])

    /// An action, named by the last part of its path. Only a failure may have a reason.
    package static func update(_ action: DownloadAction) -> HTTPEndpoint<OptionalError, Download> {
        let (summary, state, next) = notes(action)
        return HTTPEndpoint(
            "\(action.rawValue)Download", .post, HTTPPath("/v1/downloads/{id}/\(action.rawValue)"), .app,
            isBodyOptional: true, content: action == .fail ? .ofType : .nothing, summary: summary,
            responses: [.ok("The download is \(state). Repeating it returns the same.", links: next.map(link))],
            errors: [.downloadState])
    }

    static let updates: [HTTPEndpoint<OptionalError, Download>] = DownloadAction.allCases.map { update($0) }

    /// Summary, state afterwards and the next actions.
    private static func notes(_ action: DownloadAction) -> (String, String, [String]) {
        switch action {
        case .start:
            ("Begins a download", "active, or failed as the tester is set", ["pause", "finish", "fail", "content"])
        case .pause: ("Pauses a download", "paused", ["resume", "cancel"])
        case .resume: ("Continues a download", "active", ["pause", "finish", "content"])
        case .cancel: ("Cancels a download", "cancelled for good", [])
        case .finish: ("Reports that a download is complete", "finished", [])
        case .fail: ("Reports that a download has failed", "failed, and may begin again", ["start"])
        }
    }

    private static func link(_ next: String) -> Link {
        Link(
            next, to: next == "content" ? "getDownloadContent" : "\(next)Download", ["id": "$response.body#/id"],
            next == "content" ? "Its bytes" : "The next action")
    }
}
