import StoreModels
import Testing

@testable import AppStoreServer

/// Goal: a refused token gets Apple's response, with a challenge that says what is wrong.
@Suite struct ServerAPIRepliesTests {
    @Test(arguments: [nil, "Basic eDp5", "Bearer", "Bearer a, Bearer b"])
    func `a request without one bearer token gets a challenge without an error`(_ header: String?) async throws {
        try await TestAppStoreServer.with { appStore in
            let request = HTTPExchangeRequest(
                operation: "inAppsTransaction", path: "/inApps/v1/transactions/1", parameters: [:],
                authorization: header)
            let rejection = await #expect(throws: ServerAPIToken.Rejection.self) {
                try await appStore.service.apple.admission(of: request)
            }
            let reply = ServerReply.unauthenticated(try #require(rejection))
            #expect(reply.status == 401 && reply.reason == rejection?.reason)
            #expect(reply.headers["WWW-Authenticate"] == "Bearer realm=\"storebus\"")
        }
    }

    @Test func `a token that is refused gets the error and the reason`() async throws {
        try await TestAppStoreServer.with { appStore in
            let request = HTTPExchangeRequest(
                operation: "inAppsTransaction", path: "/inApps/v1/transactions/1", parameters: [:],
                authorization: "Bearer a.b.c")
            let rejection = await #expect(throws: ServerAPIToken.Rejection.self) {
                try await appStore.service.apple.admission(of: request)
            }
            let reply = ServerReply.unauthenticated(try #require(rejection))
            #expect(
                reply.headers == [
                    "Content-Type": "text/plain", "Cache-Control": "no-store",
                    "WWW-Authenticate":
                        "Bearer error=\"invalid_token\", "
                        + "error_description=\"the token is not a JWT with alg ES256 and a kid\"",
                ])
        }
    }
}
