import HTTPTypes
import NIOHTTP1
import StoreHTTP
import StoreModels
import Testing

@testable import Gateway
@testable import GatewayEdge

/// S2–S4: each route of the table against each kind of credentials.
@Suite struct AccessTableTests {
    /// The kinds of callers.
    private enum Caller: CaseIterable {
        case nobody, stranger, formerApp, app, store, server, formerServer, serverAPI, admin

        /// Whether what they bring counts at all.
        var isKnown: Bool {
            switch self {
            case .nobody, .stranger, .formerApp, .formerServer, .serverAPI: false
            case .app, .store, .server, .admin: true
            }
        }
    }

    /// What the contract says, in words of this test's own.
    private func isFor(_ access: Access, _ caller: Caller) -> Bool {
        switch access {
        case .open, .named: true
        case .app: caller == .app
        case .appOrStore: caller == .app || caller == .store
        case .appOrServer: caller == .app || caller == .server
        case .server: caller == .server
        case .serverAPI: caller == .serverAPI
        case .admin: caller == .admin
        // It takes a cookie only: ConsoleSessionTests.
        case .console: false
        }
    }

    /// Returns the error that a caller must get. An admitted one gets it for the query, or for a path that is not
    /// built; nothing is executed either way.
    private func expected(_ route: Route, _ caller: Caller) -> (status: Int, code: String?) {
        if route.access == .serverAPI {
            // Apple's errors have numbers; unknown names in the query are passed over, and `x` is the order of nothing.
            guard caller == .serverAPI else { return (401, nil) }
            switch route.operation {
            case AppStoreServerRoutes.order.route: return (200, nil)
            // The app has no endpoint.
            case AppStoreServerRoutes.testNotification.route: return (404, nil)
            // Any text may name an extension.
            case AppStoreServerRoutes.extensions.route: return (404, nil)
            default: return (400, nil)
            }
        }
        if route.access == .console { return (401, "unauthenticated") }
        guard isFor(route.access, caller) else { return caller.isKnown ? (403, "forbidden") : (401, "unauthenticated") }
        return route.isBuilt ? (400, "requestInvalid") : (501, "notImplemented")
    }

    /// The path with `x` for its parameters, and a query no route knows.
    private func target(_ route: Route) -> String {
        let values = route.operation.path.parameters.map { ($0, "x") }
        return route.operation.target(Dictionary(uniqueKeysWithValues: values)) + "?nobody=knows"
    }

    private func token(_ caller: Caller, _ store: GatewayHarness) async throws -> String? {
        switch caller {
        case .nobody: return nil
        case .stranger: return "sbk_0123456789_nonsense"
        case .formerApp:
            store.moveClock(to: .wallClock() + .seconds(-24 * 3600 - 1))
            defer { store.moveClock(to: .wallClock()) }
            return try await store.session(device: "alice-3")
        case .app: return try await store.session()
        case .store: return try await store.session(device: "alice-2", client: "store")
        case .server: return try await store.apiKey()
        case .formerServer:
            let key = try await store.apiKey()
            let path = "/admin/v1/apps/\(Sample.bundleId)/keys/\(key.split(separator: "_")[1])"
            #expect(try await store.send(.DELETE, path, token: Sample.adminKey).status == 204)
            return key
        case .serverAPI:
            // The clock stands since `formerApp`, and a token may not be from its future.
            store.moveClock(to: .wallClock())
            return try await store.serverToken().text()
        case .admin: return Sample.adminKey
        }
    }

    /// The operator's routes that the key of an isolated store opens: methods, and a path after `/admin/v1/`.
    private static let opensByStoreKey = """
        GET PUT apps/{bundleId}
        GET PUT apps/{bundleId}/catalog
        GET PUT apps/{bundleId}/clock
        POST apps/{bundleId}/clock/advance
        GET apps/{bundleId}/clock/advances/{id}
        GET POST DELETE apps/{bundleId}/keys
        DELETE apps/{bundleId}/keys/{keyIdentifier}
        GET POST apps/{bundleId}/codes
        PUT apps/{bundleId}/codes/{codeIdentifier}
        GET apps/{bundleId}/families
        PUT DELETE apps/{bundleId}/families/{family}
        PUT DELETE apps/{bundleId}/families/{family}/members/{account}
        GET apps/{bundleId}/notifications
        POST apps/{bundleId}/notifications/attempts/{attemptIdentifier}
        GET PUT DELETE apps/{bundleId}/notifications/endpoint
        POST apps/{bundleId}/notifications/lease
        GET apps/{bundleId}/notifications/settled
        POST apps/{bundleId}/notifications/trigger
        GET apps/{bundleId}/notifications/{notificationUUID}
        POST apps/{bundleId}/notifications/{notificationUUID}/resend
        GET apps/{bundleId}/products
        GET PUT apps/{bundleId}/products/{id}/content
        GET apps/{bundleId}/products/{id}/explain
        GET apps/{bundleId}/products/{id}/offers
        GET apps/{bundleId}/products/{id}/prices
        GET PUT apps/{bundleId}/products/{id}/promotion-image
        POST apps/{bundleId}/products/{id}/promotion-image/approve
        POST apps/{bundleId}/products/{id}/promotion-image/reject
        GET apps/{bundleId}/products/{id}/test-url
        GET PUT apps/{bundleId}/promotions
        POST apps/{bundleId}/purchases
        GET apps/{bundleId}/refund-requests
        POST apps/{bundleId}/reset
        GET apps/{bundleId}/server-api
        GET POST DELETE apps/{bundleId}/server-api/faults
        DELETE apps/{bundleId}/transactions
        GET devices
        GET PUT DELETE devices/{deviceId}
        PUT DELETE devices/{deviceId}/apps/{bundleId}
        PUT devices/{deviceId}/apps/{bundleId}/promotions/order
        PUT devices/{deviceId}/apps/{bundleId}/promotions/visibility/{productIdentifier}
        GET events/last
        GET events/stream
        GET events/wait
        GET intents
        GET prompts
        POST prompts/{id}
        GET refundRequests/{refundRequestIdentifier}
        POST refundRequests/{refundRequestIdentifier}/decline
        POST refundRequests/{refundRequestIdentifier}/grant
        GET subscriptions
        GET subscriptions/{id}/timeline
        GET testers
        GET PUT DELETE testers/{account}
        GET transactions
        GET DELETE transactions/{id}
        POST transactions/{id}/approve
        POST transactions/{id}/decline
        POST transactions/{id}/disableAutoRenew
        POST transactions/{id}/enableAutoRenew
        POST transactions/{id}/expire
        POST transactions/{id}/extend
        POST transactions/{id}/failNextRenewal
        POST transactions/{id}/forceRenewal
        POST transactions/{id}/redeliver
        POST transactions/{id}/refund
        POST transactions/{id}/refundRequest
        POST transactions/{id}/renew
        POST transactions/{id}/requestPriceConsent
        POST transactions/{id}/resolve
        POST transactions/{id}/resolveBilling
        POST transactions/{id}/reverseRefund
        POST transactions/{id}/revoke
        """

    @Test func `a store's key opens the operator's routes of this list, and no others`() async throws {
        let expected = Set(
            Self.opensByStoreKey.split(separator: "\n").flatMap { line in
                let words = line.split(separator: " ")
                return words.dropLast().map { "\($0) /admin/v1/\(words[words.count - 1])" }
            })
        try await GatewayHarness.run { store in
            let made = try await store.send(
                .POST, "/admin/v1/stores", token: Sample.adminKey, body: #"{"from":{"bundleId":"com.example.app"}}"#
            ).decode(IsolatedStoreResponse.self)
            for door in ["", "/s/\(made.store)"] {
                var opened: Set<String> = []
                // The others take no key of an operator.
                for route in store.gateway.routes where ![.open, .named].contains(route.access) {
                    let answer = try await store.send(
                        HTTPMethod(rawValue: route.method.rawValue), door + target(route), token: made.adminKey)
                    if ![401, 403].contains(answer.status) {
                        opened.insert("\(route.method.rawValue) \(route.path)")
                        #expect(answer.status == 400, "\(route.method) \(route.path)")
                    }
                }
                #expect(opened == expected)
            }
        }
    }

    @Test func `each route admits the callers it is for, and no others`() async throws {
        try await GatewayHarness.run { store in
            for caller in Caller.allCases {
                let token = try await token(caller, store)
                for route in store.gateway.routes {
                    let answer = try await store.send(
                        HTTPMethod(rawValue: route.method.rawValue), target(route), token: token)
                    let (status, code) = expected(route, caller)
                    #expect(answer.status == status, "\(route.method) \(route.path) for \(caller)")
                    #expect(answer.code == code, "\(route.method) \(route.path) for \(caller)")
                    #expect((answer.headers.first(name: "WWW-Authenticate") != nil) == (status == 401))
                }
            }
        }
    }
}
