import BusProtocol
import Foundation
import Testing

@testable import Broker

/// Goal: a users file says what it means, and a bad one names the place and the remedy.
@Suite struct UsersFileTests {
    private static let whole = """
        {"users":[
          {"name":"gateway","token":"t0k3n-of-gateway","permissions":{
            "pub":{"allow":["sb.catalog.v1.>","$SYS.REQ.>"],"deny":["sb.catalog.v1.app.put"]},
            "sub":{"allow":["sb.evt.>"],"deny":["sb.evt.x"],"queues":["q"]},
            "responses":{"max":3,"ttl_ms":1500}}},
          {"name":"catalog","token":"t0k3n-of-catalog","permissions":{"pub":{"allow":[]}}},
          {"name":"admin","token":"t0k3n-of-admin"}
        ]}
        """

    @Test func `every rule of the protocol can be written`() throws {
        let users = try UsersFile(json: Array(Self.whole.utf8)).users
        #expect(users.map(\.name) == ["gateway", "catalog", "admin"] && users[0].token == "t0k3n-of-gateway")
        let rules = users[0].permissions.rules
        #expect(rules.pub.allow?.map(\.text) == ["sb.catalog.v1.>", "$SYS.REQ.>"])
        #expect(rules.pub.deny.map(\.text) == ["sb.catalog.v1.app.put"] && rules.queues?.map(\.text) == ["q"])
        #expect(rules.sub.allow?.map(\.text) == ["sb.evt.>"] && rules.sub.deny.map(\.text) == ["sb.evt.x"])
        #expect(rules.responses == .init(max: 3, lifetime: .milliseconds(1500)))
        #expect(users[1].permissions.rules == PermissionRules(pub: .init(allow: [])))
        #expect(users[2].permissions.rules == PermissionRules() && PermissionRules().responses.max == 1)
    }

    @Test(arguments: [
        ("", "$: is not strict JSON"),
        (#"{"users":[]}"#, "$.users: is empty"),
        (#"{"user":[]}"#, "$.user: is unknown here; known are users"),
        (#"{"users":[],"users":[]}"#, "$: is not strict JSON: it repeats a member"),
        (#"{}"#, "$: lacks the member 'users'"),
        (#"{"users":{}}"#, "$.users: must be an array"),
        (#"{"users":[{"token":"t"}]}"#, "$.users[0]: lacks the member 'name'"),
        (#"{"users":[{"name":"a b","token":"t"}]}"#, "$.users[0].name: must be 1 to 64 letters"),
        (#"{"users":[{"name":"a"}]}"#, "$.users[0]: needs 'token' or 'tokenFile'"),
        (#"{"users":[{"name":"a","token":"t","tokenFile":"f"}]}"#, "$.users[0]: has 'token' and 'tokenFile'"),
        (#"{"users":[{"name":"a","token":""}]}"#, "$.users[0].token: is empty"),
        (#"{"users":[{"name":"a","token":7}]}"#, "$.users[0].token: must be a string"),
        (#"{"users":[{"name":"a","tokenFile":"/nowhere/t"}]}"#, "$.users[0].tokenFile: the token file '/nowhere/t'"),
        (#"{"users":[{"name":"a","token":"t"},{"name":"a","token":"u"}]}"#, "$.users[1].name: 'a' is there twice"),
        (#"{"users":[{"name":"a","token":"t"},{"name":"b","token":"t"}]}"#, "$.users[1]: has the same token as 'a'"),
        (#"{"users":[{"name":"a","token":"t","permission":{}}]}"#, "$.users[0].permission: is unknown here"),
        (
            #"{"users":[{"name":"a","token":"t","permissions":{"publish":{}}}]}"#,
            "$.users[0].permissions.publish: is unknown here; known are pub, sub, responses"
        ),
        (
            #"{"users":[{"name":"a","token":"t","permissions":{"pub":{"allow":null}}}]}"#,
            "$.users[0].permissions.pub.allow: must be an array"
        ),
        (
            #"{"users":[{"name":"a","token":"t","permissions":{"pub":{"queues":[]}}}]}"#,
            "$.users[0].permissions.pub.queues: is unknown here"
        ),
        (
            #"{"users":[{"name":"a","token":"t","permissions":{"pub":{"deny":["a","a..b"]}}}]}"#,
            "$.users[0].permissions.pub.deny[1]: 'a..b' is not a subject pattern"
        ),
        (
            #"{"users":[{"name":"a","token":"t","permissions":{"sub":{"queues":["a.b"]}}}]}"#,
            "$.users[0].permissions.sub.queues[0]: 'a.b' is not a queue name"
        ),
        (
            #"{"users":[{"name":"a","token":"t","permissions":{"responses":{"ttl_ms":0}}}]}"#,
            "$.users[0].permissions.responses.ttl_ms: must be from 1 to 86400000"
        ),
        (
            #"{"users":[{"name":"a","token":"t","permissions":{"responses":{"max":-1}}}]}"#,
            "$.users[0].permissions.responses.max: must be from 0 to 65535"
        ),
    ])
    func `a fault is named with its place`(json: String, expected: String) {
        do throws(UsersFileFault) {
            _ = try UsersFile(json: Array(json.utf8))
            #expect(Bool(false), "\(json) was accepted")
        } catch {
            #expect(error.description.hasPrefix(expected), "\(error)")
        }
    }

    @Test func `token files stand beside the users file`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "users-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try " secret-of-a\n".write(toFile: directory + "/a.token", atomically: true, encoding: .utf8)
        let path = directory + "/users.json"
        try #"{"users":[{"name":"a","tokenFile":"a.token"}]}"#.write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try UsersFile.read(path).users.map(\.token) == ["secret-of-a"])
        try "{".write(toFile: path, atomically: true, encoding: .utf8)
        let fault = #expect(throws: BrokerStartError.self) { try UsersFile.read(path) }
        #expect(fault?.description.hasPrefix("the users file '\(path)': $: is not strict JSON") == true)
        #expect(throws: BrokerStartError.usersUnreadable(directory + "/none")) {
            try UsersFile.read(directory + "/none")
        }
    }

    @Test func `users let a broker listen anywhere, but not together with a common token`() throws {
        let users = [BrokerUser(name: "a", token: "t")]
        #expect(throws: Never.self) { try BrokerConfiguration(host: "0.0.0.0", users: users, version: "t").validate() }
        #expect(throws: BrokerStartError.tokenAndUsers) {
            try BrokerConfiguration(token: "t", users: users, version: "t").validate()
        }
    }

    @Test func `the same file as a nats.conf`() throws {
        let text = NATSConfiguration(try UsersFile(json: Array(Self.whole.utf8))).text
        let expected = #"""
                {
                  user: "gateway", password: "t0k3n-of-gateway"
                  permissions: {
                    publish: { allow: ["sb.catalog.v1.>"], deny: ["sb.catalog.v1.app.put", "_INBOX_catalog.>", "_INBOX_admin.>"] }
                    subscribe: { allow: ["sb.evt.>", "sb.evt.> q", "_INBOX_gateway.>"], deny: ["sb.evt.x", "_INBOX_catalog.>", "_INBOX_admin.>"] }
                    allow_responses: { max: 3, expires: "1500ms" }
                  }
                }
                {
                  user: "catalog", password: "t0k3n-of-catalog"
                  permissions: {
                    publish: { deny: [">"] }
                    subscribe: { deny: ["_INBOX_gateway.>", "_INBOX_admin.>"] }
                    allow_responses: { max: 1, expires: "60000ms" }
                  }
                }
            """#
        #expect(text.contains(expected), "\(text)")
        #expect(text.hasPrefix("# Made by") && text.contains("Differences on NATS:"))
        #expect(!text.contains("$SYS.REQ.>\""))
    }
}
