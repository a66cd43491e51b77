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

    static let all: [any HTTPOperation] = [
        get, put, advance, progress,
    ]
}
