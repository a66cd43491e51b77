import Foundation
import Operations
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Gateway
@testable import GatewayEdge

@Suite struct GatewaySettingsTests {
    private func settings(_ environment: [String: String], in directory: TemporaryDirectory) throws -> GatewaySettings {
        try GatewaySettings(Settings(environment: environment), dataDirectory: directory.path)
    }

    @Test func `the admin key comes from the environment or from a file`() throws {
        let directory = try TemporaryDirectory()
        #expect(try settings([:], in: directory).adminKey == nil)
        let direct = try settings(["STOREBUS_ADMIN_KEY": "0123456789"], in: directory)
        #expect(direct.adminKey?.matches("0123456789") == true)
        let path = directory.file("admin.key")
        try Data("abcdefgh12\n".utf8).write(to: URL(fileURLWithPath: path))
        let filed = try settings(["STOREBUS_ADMIN_KEY_FILE": path], in: directory)
        #expect(filed.adminKey?.matches("abcdefgh12") == true)
    }

    @Test func `a key that is none stops the start and names the setting`() throws {
        let directory = try TemporaryDirectory()
        for environment in [
            ["STOREBUS_ADMIN_KEY": "short"], ["STOREBUS_ADMIN_KEY": "with a space"],
            ["STOREBUS_ADMIN_KEY_FILE": directory.file("none")],
        ] {
            #expect { try settings(environment, in: directory) } throws: {
                ($0 as? StartupError)?.exit == .badConfiguration && "\($0)".contains("STOREBUS_ADMIN_KEY")
            }
        }
    }

    @Test func `sessions outlive the gateway that opened them`() async throws {
        let directory = try TemporaryDirectory()
        let session = Session(
            identifier: "s_1", startedAt: .wallClock(), bundleId: "a", customerIdentifier: "c", account: "a",
            deviceId: "d", client: .app, storefront: "USA", platform: .iOS, promotedPurchases: .none)
        let before = SessionTokens(key: try settings([:], in: directory).sessionKey)
        let after = SessionTokens(key: try settings([:], in: directory).sessionKey)
        #expect(try after.verify(try before.issue(session).token) == session)
    }

    @Test func `gateways of one data directory sign with one key`() throws {
        let directory = try TemporaryDirectory()
        let first = try settings([:], in: directory)
        #expect(try settings([:], in: directory).sessionKey == first.sessionKey)
        let elsewhere = try settings(["STOREBUS_SESSION_KEY_FILE": directory.file("other.key")], in: directory)
        #expect(elsewhere.sessionKey != first.sessionKey)
    }

    @Test func `handlers run on the bus's loop unless the settings say otherwise`() throws {
        let directory = try TemporaryDirectory()
        #expect(try settings([:], in: directory).handlersOnBusLoop)
        #expect(try !settings(["GATEWAY_HANDLERS_ON_BUS_LOOP": "false"], in: directory).handlersOnBusLoop)
    }
}
