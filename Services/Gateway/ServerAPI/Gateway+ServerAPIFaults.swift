import HTTPTypes
import Hummingbird
import NIOCore
import StoreHTTP
import StoreModels

extension Gateway {
    /// The operator's faults for an app's server.
    var serverAPIFaultRoutes: [Route] {
        [
            Route(AppStoreServerRoutes.faults) { [self] call in
                let bundleId = try await existingApp(call)
                return ServerAPIFaultsResponse(faults: try await serverAPIFaults.list(of: bundleId))
            },
            Route(AppStoreServerRoutes.addFault) { [self] call in
                let fault = try await call.body(of: AppStoreServerRoutes.addFault)
                let bundleId = try await existingApp(call)
                try await serverAPIFaults.add(fault, of: bundleId)
                return try Reply(
                    ServerAPIFaultsResponse(faults: try await serverAPIFaults.list(of: bundleId)), status: .created)
            },
            Route(AppStoreServerRoutes.removeFaults) { [self] call in
                try await serverAPIFaults.removeAll(of: try await existingApp(call))
                return .noContent
            },
        ]
    }

    /// The longest time that a request without a response is held.
    private static let timeoutMax = TimeAmount.seconds(60)

    /// Returns the response that a request gets in place of its handler's. Nil for none.
    /// - Throws: ``ServerAPIError`` that the operator has ordered.
    func serverAPIObstacle(_ call: Call) async throws -> Response? {
        let bundleId = call.serverKey.bundleId
        if call.serverKey.isAccounts { try await checkApp(bundleId, call) }
        let rules = try await serverAPIFaults.rules(of: bundleId)
        if rules.hasFaults,
            let fault = try await serverAPIFaults.take(
                of: bundleId, route: call.route.path,
                path: try StoreTarget(path: call.request.uri.path, headers: call.request.headers).path)
        {
            return try await meet(fault, call)
        }
        guard let operation = ServerAPIOperation(call.route.operation), let limit = rules.limits?.limit(of: operation),
            let next = try await serverAPIFaults.count(operation, of: bundleId, limit: limit, now: now())
        else { return nil }
        return ServerAPIError.rateLimitExceeded(until: next)
    }

    /// Checks the app that a token names, where the key names none.
    private func checkApp(_ bundleId: String, _ call: Call) async throws {
        do {
            try await apps.check(bundleId, call)
        } catch  where error.code == .notFound {
            throw ServerAPITokens.Rejection(reason: "its bid is not an app of this store").error
        }
    }

    private func meet(_ fault: ServerAPIFault, _ call: Call) async throws -> Response {
        if let code = fault.errorCode {
            guard let error = ServerAPIError(code: code) else { throw ServerAPIError.generalInternal }
            guard error != .rateLimitExceeded else {
                return ServerAPIError.rateLimitExceeded(until: now() + .seconds(60))
            }
            throw error
        }
        if fault.outcome == .timeout {
            // The client leaves, or the connection is cut.
            let cut = call.channel.eventLoop.scheduleTask(in: Self.timeoutMax) { call.channel.close(promise: nil) }
            defer { cut.cancel() }
            try await call.channel.closeFuture.get()
        } else {
            call.channel.close(promise: nil)
        }
        throw ServerAPIError.generalInternalRetryable
    }
}

extension ServerAPIFault: CheckedBody {
    /// The range of `times`.
    private static let timesAllowed = 1...10_000

    func validate() throws(StoreError) {
        guard Self.timesAllowed.contains(times ?? 1) else {
            throw .invalid("$.times", "must be \(Self.timesAllowed.lowerBound) to \(Self.timesAllowed.upperBound)")
        }
        guard (errorCode == nil) != (outcome == nil) else {
            throw .invalid("$.errorCode", "or outcome is needed, and not both")
        }
        if let errorCode, ServerAPIError(code: errorCode) == nil {
            throw .invalid(
                "$.errorCode", "is none of Apple's numbers, which docs/server-api.md lists: 4040010 and the like",
                status: 422)
        }
        if let path,
            !(1...HTTPLimits.targetBytesMax).contains(path.utf8.count)
                || !path.utf8.starts(with: AppStoreServerRoutes.pathPrefix.utf8)
        {
            throw .invalid("$.path", "must begin with \(AppStoreServerRoutes.pathPrefix); leave it out for every path")
        }
    }
}
