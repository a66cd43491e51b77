import BusService
import GatewayEdge
import HTTPTypes
import Hummingbird
import StoreHTTP
import StoreModels

/// The routes to read, set and advance an app's sandbox clock.
struct ClockArea: Area {
    let services: ServiceCaller
    let directories: Directories

    var routes: [Route] {
        [
            services.forward(ClockRoutes.get, to: SubscriptionEndpoints.getClock) {
                AppRequest(bundleId: try await directories.existingApp($0))
            },
            services.forward(
                ClockRoutes.put, to: SubscriptionEndpoints.putClock,
                else: "the clock was sent and its outcome is not known here; GET shows the clock"
            ) { call, setting in
                PutClockRequest(
                    bundleId: try await directories.existingApp(call), rate: setting.rate, now: setting.now,
                    frozen: setting.frozen)
            },
            Route(ClockRoutes.advance) { try await advanceClock($0) },
            services.forward(ClockRoutes.progress, to: SubscriptionEndpoints.getAdvance) { call in
                AdvanceRequest(
                    bundleId: try call.bundleId(), advanceIdentifier: try call.parameter(.id, of: "move of the clock"))
            } reply: {
                try Reply(ClockAdvanceResponse($0))
            },
        ]
    }

    /// Advances the clock, once per key. Responds 200 when all events due by then are done, 202 while it is running.
    /// Notifications of those events are delivered before, as far as the deadline allows.
    private func advanceClock(_ call: Call) async throws -> Reply<ClockAdvanceResponse> {
        let key = try IdempotencyKey.read(call.request.headers)
        let move = try await call.body(of: ClockRoutes.advance)
        let bundleId = try await directories.existingApp(call)
        let request = AdvanceClockRequest(
            bundleId: bundleId, requestKey: key, by: move.by, to: move.to, next: move.next)
        let advance = try await services.call(
            SubscriptionEndpoints.advanceClock, request, for: call, idempotencyKey: key,
            else:
                "the move was sent and its outcome is not known here; repeat it with the same key to learn the outcome")
        let answer = ClockAdvanceResponse(advance)
        guard let progress = answer.progress else {
            await services.waitForNotifications(of: bundleId, call)
            return try Reply(answer)
        }
        return try Reply(answer, status: .accepted, headers: [.location: progress])
    }
}

extension ClockMove: CheckedBody {
    package func validate() throws(StoreError) {
        switch (by, to, next) {
        case (let by?, nil, nil):
            guard BusinessDuration(by) != nil else {
                throw .invalid("$.by", "must be a time of at most 100 years, such as 90s, 36h, 10d, 3mo, 1y or P1M")
            }
        case (nil, let to?, nil): try ClockInstants.check(to, at: "$.to")
        case (nil, nil, let next?):
            guard (1...AdvanceClockRequest.nextMax).contains(next) else {
                throw .invalid("$.next", "must be 1 to \(AdvanceClockRequest.nextMax)")
            }
        default: throw .invalid("$", "must have one of by, to and next, and no two of them")
        }
    }
}

extension ClockSetting: CheckedBody {
    package func validate() throws(StoreError) {
        if let now { try ClockInstants.check(now, at: "$.now") }
    }
}

/// Allowed range of an app's clock, 2000 to 2199. All calendars and certificates agree on these years.
enum ClockInstants {
    /// 2000-01-01T00:00:00.000Z up to the last millisecond of 2199.
    static let range = Timestamp(milliseconds: 946_684_800_000)...Timestamp(milliseconds: 7_258_118_399_999)

    /// - Throws: `requestInvalid` that names `path`.
    static func check(_ instant: Timestamp, at path: String) throws(StoreError) {
        guard range.contains(instant) else {
            throw .invalid(path, "must lie between \(range.lowerBound) and \(range.upperBound)")
        }
    }
}
