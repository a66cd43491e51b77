import BusService
import HTTPTypes
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    /// Routes to read, set and advance an app's sandbox clock.
    var clockRoutes: [Route] {
        [
            Route(ClockRoutes.get) { [self] in try await clock($0) },
            Route(ClockRoutes.put) { [self] in try await setClock($0) },
            Route(ClockRoutes.advance) { [self] in try await advanceClock($0) },
            Route(ClockRoutes.progress) { [self] in
                try await clockAdvance($0)
            },
        ]
    }

    private func clock(_ call: Call) async throws -> Response {
        let bundleId = try call.bundleId()
        try await apps.check(bundleId, call)
        return try Reply.json(
            try await services.call(
                SubscriptionEndpoints.getClock, AppRequest(bundleId: bundleId), context: call.context()))
    }

    private func setClock(_ call: Call) async throws -> Response {
        let bundleId = try call.bundleId()
        let setting = try await call.body(of: ClockRoutes.put)
        try setting.validate()
        try await apps.check(bundleId, call)
        let request = PutClockRequest(
            bundleId: bundleId, rate: setting.rate, now: setting.now, frozen: setting.frozen)
        let clock = try await withKnownOutcome(
            else: "the clock was sent and its outcome is not known here; GET tells"
        ) { () async throws(StoreError) in
            try await services.call(SubscriptionEndpoints.putClock, request, context: call.context())
        }
        return try Reply.json(clock)
    }

    /// Advances the clock, once per key. Responds 200 when all events due by then are done, 202 while it is running.
    private func advanceClock(_ call: Call) async throws -> Response {
        let key = try IdempotencyKey.read(call.request.headers)
        let bundleId = try call.bundleId()
        let move = try await call.body(of: ClockRoutes.advance)
        try move.validate()
        try await apps.check(bundleId, call)
        let request = AdvanceClockRequest(
            bundleId: bundleId, requestKey: key, by: move.by, to: move.to, next: move.next)
        let advance = try await withKnownOutcome(
            else: "the move was sent and its outcome is not known here; the same key tells"
        ) { () async throws(StoreError) in
            try await services.call(
                SubscriptionEndpoints.advanceClock, request, context: call.context(requestIdentifier: key))
        }
        let answer = ClockAdvanceAnswer(advance)
        guard let progress = answer.progress else { return try Reply.json(answer) }
        return try Reply.json(answer, status: .accepted, headers: [.location: progress])
    }

    /// Reports the progress of an advance.
    private func clockAdvance(_ call: Call) async throws -> Response {
        let request = AdvanceRequest(
            bundleId: try call.bundleId(), advanceIdentifier: try call.parameter(.id, of: "move of the clock"))
        return try Reply.json(
            ClockAdvanceAnswer(
                try await services.call(SubscriptionEndpoints.getAdvance, request, context: call.context())))
    }
}
