import BusProtocol
import Foundation
import StoreModels
import StorebusTesting
import Testing

@testable import Broker
@testable import Storebus

/// Goal: each service of `storebus up` signs in to the bus with a token and permissions of its own.
@Suite struct BusUsersTests {
    private func prepared(_ directory: TemporaryDirectory) throws -> [String: BrokerUser] {
        let data = DataDirectory(directory.file("store"))
        try data.prepare()
        try BusUsers.prepare(data)
        let users = try UsersFile.read(data.busUsers).users
        return Dictionary(uniqueKeysWithValues: users.map { ($0.name, $0) })
    }

    @Test func `the broker reads the file, with a user for each service, the operator and the owner`() throws {
        let users = try prepared(try TemporaryDirectory(prefix: "bus-users"))
        #expect(Set(users.keys) == Set(ServiceName.allCases.map(\.rawValue)).union(["operator", "owner"]))
        #expect(Set(users.values.map(\.token)).count == users.count)
    }

    @Test func `a service says what is its own, and the owner everything`() throws {
        let users = try prepared(try TemporaryDirectory(prefix: "bus-users"))
        let charge = "sb.processor.v1.charge.create"
        #expect(try #require(users["payment-queue"]).permissions.publishing(to: charge.utf8.span) == .allowed)
        #expect(try #require(users["eligibility"]).permissions.publishing(to: charge.utf8.span) != .allowed)
        let owner = try #require(users["owner"])
        for subject in [charge, "$SRV.PING", "$SYS.REQ.VARZ", "$SYS.CHAOS.SET"] {
            #expect(owner.permissions.publishing(to: subject.utf8.span) == .allowed)
        }
        for pattern in ["sb.>", "$SRV.PING", "$SYS.TAP.>"] {
            #expect(owner.permissions.refusal(of: try SubjectPattern(pattern), queue: nil, isOwnInbox: false) == nil)
        }
    }

    @Test func `tokens stay from start to start, and are the user's only`() throws {
        let directory = try TemporaryDirectory(prefix: "bus-users")
        let first = try prepared(directory).mapValues(\.token)
        #expect(try prepared(directory).mapValues(\.token) == first)
        let data = DataDirectory(directory.file("store"))
        for file in [data.busUsers, data.busToken, data.busToken(of: "gateway")] {
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }
}
