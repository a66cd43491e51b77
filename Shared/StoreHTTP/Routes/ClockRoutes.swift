import StoreModels

/// The business clock of an app.
package enum ClockRoutes {
    /// Reads an app's clock.
    ///
    /// Each app has a clock, and every date in the store comes from it.
    package static let get = HTTPEndpoint<Empty, AppClockState>(
        "getClock", .get, "/admin/v1/apps/{bundleId}/clock", .admin)
    /// Sets an app's clock. Events that fall due happen soon after.
    package static let put = HTTPEndpoint<ClockSetting, AppClockState>(
        "putClock", .put, "/admin/v1/apps/{bundleId}/clock", .admin,
        errors: [.outcomeUnknown])
    /// Moves an app's clock forward. The same key reports the progress.
    ///
    /// Renewals, retries, ends of trials and expiries on the way happen in order, each once and at its own time.
    package static let advance = HTTPEndpoint<ClockMove, ClockAdvanceResponse>(
        "advanceClock", .post, "/admin/v1/apps/{bundleId}/clock/advance", .admin,
        parameters: [.key],
        responses: [
            .ok("Everything due by then is done."),
            .accepted(
                "The clock shows the new time already; due events are still being processed.", headers: [.progressPath],
                links: [
                    Link(
                        "progress", to: "getClockAdvance",
                        ["bundleId": "$request.path.bundleId", "id": "$response.body#/advanceIdentifier"],
                        "How far it is")
                ]),
        ], errors: [.invalidOrKey, .keyReused, .outcomeUnknown])
    /// Reads the progress of a move.
    package static let progress = HTTPEndpoint<Empty, ClockAdvanceResponse>(
        "getClockAdvance", .get, "/admin/v1/apps/{bundleId}/clock/advances/{id}", .admin)
}

/// The body of `PUT /admin/v1/apps/{bundleId}/clock`. Omitted members stay unchanged:
///
/// ```json
/// {"rate":"oneRenewalEveryThirtySeconds"}
/// ```
///
/// ```json
/// {"rate":720}
/// ```
///
/// ```json
/// {"now":"2026-12-21T10:00:00.000Z","frozen":true}
/// ```
package struct ClockSetting: Hashable, Sendable, Codable {
    /// Left out, the present rate stays.
    package var rate: ClockRate?
    /// 2000 to 2199. It may lie before the clock's now. No period that was billed is billed again.
    package var now: Timestamp?
    /// True stops the clock, false lets it run. Left out, the state stays.
    package var frozen: Bool?
}

/// The body of `POST /admin/v1/apps/{bundleId}/clock/advance`, with exactly one of three members:
///
/// ```json
/// {"by":"3mo"}
/// ```
///
/// ```json
/// {"to":"2027-03-21T10:00:00.000Z"}
/// ```
///
/// ```json
/// {"next":1}
/// ```
package struct ClockMove: Hashable, Sendable, Codable {
    /// A time such as 90s, 15m, 36h, 10d, 2w, 3mo, 1y, or an ISO 8601 duration. Several parts may follow each other, at
    /// most 100 years in all.
    package var by: String?
    /// The instant to move to, not before the clock's now.
    package var to: Timestamp?
    /// Number of events to advance through. Without due events the clock stays.
    package var next: Int?
}

/// An advance of a clock. It has the members of a `ClockAdvance`, and while it is running the path that reports its
/// progress:
///
/// ```json
/// {"advanceIdentifier":"a_01j…","from":"…","to":"…","isFinished":false,"eventCount":1800,"remaining":98200,…,
///  "progress":"/admin/v1/apps/com.example.app/clock/advances/a_01j…"}
/// ```
package struct ClockAdvanceResponse: Hashable, Sendable, Codable {
    /// The progress at the moment of the response.
    package var advance: ClockAdvance
    /// The path that reports the progress. Absent once the advance is finished.
    package var progress: String?

    private enum CodingKeys: String, CodingKey { case progress }

    /// Adds the progress path unless the advance is finished.
    package init(_ advance: ClockAdvance) {
        self.advance = advance
        guard !advance.isFinished else { return }
        progress = ClockRoutes.progress.route.target(
            [.bundleId: advance.bundleId, .id: advance.advanceIdentifier])
    }

    /// Reads the advance's members and the path from one object.
    package init(from decoder: any Decoder) throws {
        advance = try ClockAdvance(from: decoder)
        progress = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .progress)
    }

    package func encode(to encoder: any Encoder) throws {
        try advance.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(progress, forKey: .progress)
    }
}
