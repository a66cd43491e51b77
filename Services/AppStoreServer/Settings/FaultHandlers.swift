import BusService
import StoreHTTP
import StoreModels

extension AppleServer {
    /// The operator's faults for an app's server.
    var faultRoutes: [ServerRoute] {
        [
            ServerRoute(AppStoreServerRoutes.faults) { [self] call in
                let bundleId = try call.bundleId()
                return ServerAPIFaultsResponse(faults: try await serverAPIFaults.list(of: bundleId))
            },
            ServerRoute(reply: AppStoreServerRoutes.addFault) { [self] call in
                let fault = try call.body(of: AppStoreServerRoutes.addFault)
                let bundleId = try call.bundleId()
                try await serverAPIFaults.add(fault, of: bundleId)
                return try ServerReply(
                    ServerAPIFaultsResponse(faults: try await serverAPIFaults.list(of: bundleId)), status: 201)
            },
            ServerRoute(reply: AppStoreServerRoutes.removeFaults) { [self] call in
                try await serverAPIFaults.removeAll(of: try call.bundleId())
                return .empty(204)
            },
        ]
    }

    /// Returns the response that a request gets in place of its handler's. Nil for none.
    /// - Throws: ``ServerAPIError`` that the operator has ordered.
    func obstacle(_ call: ServerCall) async throws -> ServerReply? {
        let bundleId = call.serverKey.bundleId
        if call.serverKey.isAccounts { try await checkApp(bundleId, call) }
        let rules = try await serverAPIFaults.rules(of: bundleId)
        if rules.hasFaults,
            let fault = try await serverAPIFaults.take(of: bundleId, route: call.route.path, path: call.request.path)
        {
            return try meet(fault)
        }
        guard let operation = ServerAPIOperation(call.route.operation), let limit = rules.limits?.limit(of: operation),
            let next = try await serverAPIFaults.count(operation, of: bundleId, limit: limit, now: now())
        else { return nil }
        return .rateLimitExceeded(until: next)
    }

    /// Checks the app that a token names, where the key names none. Without Catalog it is taken as it is.
    private func checkApp(_ bundleId: String, _ call: ServerCall) async throws {
        do {
            _ = try await services.call(
                CatalogEndpoints.getApp, AppRequest(bundleId: bundleId), context: call.optionalContext)
        } catch  where error.code == .notFound {
            throw ServerAPITokens.Rejection(reason: "its bid is not an app of this store")
        } catch {
            guard error.meansAway else { throw error }
        }
    }

    private func meet(_ fault: ServerAPIFault) throws -> ServerReply {
        guard let code = fault.errorCode else { return .ending(fault.outcome == .timeout ? .hold : .close) }
        guard let error = ServerAPIError(code: code) else { throw ServerAPIError.generalInternal }
        guard error != .rateLimitExceeded else { return .rateLimitExceeded(until: now() + .seconds(60)) }
        throw error
    }
}

extension ServerAPIFault: CheckedBody {
    /// The range of `times`.
    private static let timesAllowed = 1...10_000
    /// Maximum size of `path`, in bytes, as of a request's target.
    private static let pathBytesMax = 64 * 1024

    package func validate() throws(StoreError) {
        guard Self.timesAllowed.contains(times ?? 1) else {
            throw .invalid("$.times", "must be \(Self.timesAllowed.lowerBound) to \(Self.timesAllowed.upperBound)")
        }
        guard (errorCode == nil) != (outcome == nil) else {
            throw .invalid("$.errorCode", "or outcome is needed, and not both")
        }
        if let errorCode, ServerAPIError(code: errorCode) == nil {
            throw .invalid(
                "$.errorCode", "is not one of Apple's numbers, which docs/server-api.md lists, such as 4040010",
                status: 422)
        }
        if let path,
            !(1...Self.pathBytesMax).contains(path.utf8.count)
                || !path.utf8.starts(with: AppStoreServerRoutes.pathPrefix.utf8)
        {
            throw .invalid(
                "$.path", "must begin with \(AppStoreServerRoutes.pathPrefix). Without it the fault meets every path")
        }
    }
}
