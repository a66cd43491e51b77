import EventLoop
import Foundation
import NIOHTTP1
import Operations
import Signing
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Gateway

/// Goal: operators choose what signed payloads say, apps get theirs, and verifiers can ask about the certificates.
@Suite struct ServerAPISettingsTests {
    private static let path = "/admin/v1/apps/com.example.app/server-api"

    private func put(_ store: GatewayHarness, _ body: String) async throws -> Answer {
        try await store.send(.PUT, Self.path, token: Sample.adminKey, body: body)
    }

    private func settings(_ store: GatewayHarness) async throws -> JSONValue {
        try await store.send(.GET, Self.path, token: Sample.adminKey).json
    }

    @Test func `an app is in the sandbox until an operator says otherwise`() async throws {
        try await GatewayHarness.run { store in
            let sandbox = JSONValue.object(["environment": "Sandbox"])
            let production = JSONValue.object(["environment": "Production", "appAppleId": .integer(1_234_567_890)])
            let unset = try await settings(store)
            #expect(unset == sandbox)
            #expect(try await put(store, #"{"environment":"Production","appAppleId":1234567890}"#).json == production)
            #expect(try await settings(store) == production)
            #expect(try await put(store, "{}").json == sandbox)
            #expect(try await settings(store) == sandbox)
        }
    }

    @Test(arguments: [
        #"{"environment":"Production"}"#, #"{"environment":"Production","appAppleId":0}"#,
        #"{"environment":"sandbox"}"#, #"{"environment":"Sandbox","rateLimits":"often"}"#, "[]", "",
        #"{"appAppleId":"1"}"#,
    ])
    func `settings that are none change nothing, and the error names the member`(body: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await put(store, body)
            #expect(answer.status == 400)
            #expect(answer.code == "requestInvalid")
            let kept = try await settings(store)
            #expect(kept["environment"] == "Sandbox")
        }
    }

    @Test func `settings are of an app that there is`() async throws {
        try await GatewayHarness.run { store in
            let path = "/admin/v1/apps/none/server-api"
            let read = try await store.send(.GET, path, token: Sample.adminKey)
            #expect(read.status == 404)
            #expect(try await store.send(.PUT, path, token: Sample.adminKey, body: "{}").status == 404)
        }
    }

    @Test func `an app gets its own purchase signed, as its server does`() async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            store.payments.commit(Sample.purchased("t_1"))
            let token = try await store.session()
            let answer = try await store.send(.GET, "/v1/transactions/t_1/jws", token: token)
            let server = try await store.send(
                .GET, "/inApps/v1/transactions/2000000000000001", token: try await store.serverToken().text())
            let (mine, theirs) = (
                try ParsedJWS(answer.json["signedTransactionInfo"]?.stringValue),
                try ParsedJWS(server.json["signedTransactionInfo"]?.stringValue)
            )
            // The app's is bound to the device besides.
            var members = try #require(mine.payload.objectValue)
            #expect(members.removeValue(forKey: "deviceVerification") != nil)
            #expect(members.removeValue(forKey: "deviceVerificationNonce") != nil)
            #expect(.object(members) == theirs.payload)
            #expect(try mine.isSigned(by: try await store.apple.appStore()))
            #expect(try await store.send(.GET, "/v1/transactions/t_2/jws", token: token).status == 404)
            store.payments.commit(Sample.failed("t_3"))
            #expect(try await store.send(.GET, "/v1/transactions/t_3/jws", token: token).status == 404)
            let bob = try await store.session(account: "bob", device: "bob-1")
            #expect(try await store.send(.GET, "/v1/transactions/t_1/jws", token: bob).status == 404)
        }
    }

    @Test func `an app gets its app transaction signed`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.GET, "/v1/app-transaction", token: try await store.session())
            let signed = try ParsedJWS(answer.json["signedAppTransactionInfo"]?.stringValue)
            #expect(signed.payload["appTransactionId"] == "7000000000000000001")
            #expect(signed.payload["applicationVersion"] == "1.0")
            #expect(signed.payload["originalApplicationVersion"] == "1.0")
        }
    }

    @Test func `an app of the environment Xcode gets what Xcode signs, and its server nothing`() async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            store.payments.commit(Sample.purchased("t_1"))
            #expect(try await put(store, #"{"environment":"Xcode"}"#).status == 200)
            let answer = try await store.send(.GET, "/v1/transactions/t_1/jws", token: try await store.session())
            let signed = try ParsedJWS(answer.json["signedTransactionInfo"]?.stringValue)
            #expect(signed.header["kid"] == "Apple_Xcode_Key")
            #expect(signed.header["x5c"]?.arrayValue?.count == 1)
            #expect(signed.payload["environment"] == "Xcode")
            let server = try await store.send(
                .GET, "/inApps/v1/transactions/2000000000000001", token: try await store.serverToken().text())
            #expect(server.status == 404)
            #expect(server.json["errorCode"] == .integer(4_040_010))
        }
    }

    // MARK: Certificates

    @Test func `a request that is none is answered by the responder, by POST and by GET`() async throws {
        try await GatewayHarness.run { store in
            // malformedRequest, RFC 6960 §4.2.1.
            let malformed: [UInt8] = [0x30, 0x03, 0x0A, 0x01, 0x01]
            let posted = try await store.send(
                .POST, "/ocsp", headers: [("Content-Type", "application/ocsp-request")], bytes: [1, 2, 3])
            #expect(posted.status == 200)
            #expect(posted.headers.first(name: "Content-Type") == "application/ocsp-response")
            #expect(posted.body == malformed)
            let asked = try await store.send(.GET, "/ocsp/AQID")
            #expect(asked.status == 200)
            #expect(asked.body == malformed)
            #expect(try await store.send(.GET, "/ocsp/%20%20").status == 400)
            let long = try await store.send(
                .POST, "/ocsp", headers: [("Content-Type", "application/ocsp-request")],
                bytes: Array(repeating: 0, count: OCSPResponder.requestBytesMax + 1))
            #expect(long.status == 413)
        }
    }

    @Test func `the public address is a setting, without a slash at its end`() throws {
        let directory = try TemporaryDirectory()
        func url(_ text: String) throws -> String? {
            try GatewaySettings(
                Settings(environment: ["STOREBUS_PUBLIC_URL": text]), dataDirectory: directory.path
            ).publicURL
        }
        #expect(try url("http://localhost:7430/") == "http://localhost:7430")
        #expect(try url("https://store.example/base") == "https://store.example/base")
        for text in ["localhost:7430", "ftp://x", "http://", "http:///", "http://a b", "http://ü"] {
            #expect { try url(text) } throws: {
                ($0 as? StartupError)?.exit == .badConfiguration && "\($0)".contains("STOREBUS_PUBLIC_URL")
            }
        }
    }
}
