import Foundation
import Signing
import StoreModels
import StorebusTesting
import Testing

@testable import AppStoreServer

/// Goal: the store has one root and one set of keys, whatever its processes do at the same time.
@Suite struct SigningKeysTests {
    @Test(arguments: Engine.allCases)
    func `the certificates are made once and survive a restart`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            let database = appStore.service.database
            async let one = SigningKeys(database: database).authority().rootDER
            async let two = SigningKeys(database: database).authority().rootDER
            let (root, other) = try await (one, two)
            #expect(root == other)
            try await appStore.restart()
            #expect(try await appStore.service.apple.signing.authority().rootDER == root)
            await #expect(throws: StoreError.self) { try await SigningKeys(database: database).authority() }
        }
    }

    @Test func `root.cer and root.pem lie in the data directory, and everybody may read them`() async throws {
        try await TestAppStoreServer.with { appStore in
            let directory = try TemporaryDirectory()
            let signing = appStore.service.apple.signing
            try await signing.publishRoot(in: directory.path)
            let authority = try await signing.authority()
            #expect(try Data(contentsOf: URL(fileURLWithPath: directory.file("root.cer"))) == Data(authority.rootDER))
            #expect(try String(contentsOfFile: directory.file("root.pem"), encoding: .utf8) == authority.rootPEM)
            for name in ["root.cer", "root.pem"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: directory.file(name))
                #expect(attributes[.posixPermissions] as? Int == 0o644)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `the address in the certificates moves with the gateway, and the keys stay`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            let signing = appStore.service.apple.signing
            try await signing.setPublicURL("http://localhost:1")
            let first = try await signing.appStore().authority
            #expect(first.ocspURL == "http://localhost:1/ocsp")
            try await signing.setPublicURL("https://store.example")
            let moved = try await signing.appStore().authority
            #expect(moved.ocspURL == "https://store.example/ocsp")
            #expect(moved.stored().leafKey == first.stored().leafKey)
            #expect(moved.stored().intermediateKey == first.stored().intermediateKey)
            #expect(moved.rootDER == first.rootDER)
            // A replica that has never spoken with a gateway has the same ones.
            let there = try await SigningKeys(database: appStore.service.database).appStore().authority
            #expect(there.chainDER == moved.chainDER)
        }
    }

    @Test(arguments: Engine.allCases)
    func `another replica signs with what was rotated`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            let here = appStore.service.apple.signing
            let first = try await here.appStore().authority
            for rotation in [CertificateRotation.intermediate, .leaf, .intermediate] {
                _ = try await here.rotate(rotation)
            }
            let rotated = try await here.appStore().authority
            #expect(rotated.stored().leafKey != first.stored().leafKey)
            let there = SigningKeys(database: appStore.service.database)
            let read = try await there.appStore().authority
            #expect(read.chainDER == rotated.chainDER)
            // After a move the certificates are issued anew for the keys of now.
            try await there.setPublicURL("http://b")
            let moved = try await there.appStore().authority
            #expect(moved.ocspURL == "http://b/ocsp")
            #expect(moved.stored().leafKey == rotated.stored().leafKey)
        }
    }

    @Test(arguments: Engine.allCases)
    func `certificates of another replica's rotation are not overwritten by a move`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            let here = appStore.service.apple.signing
            let there = SigningKeys(database: appStore.service.database)
            _ = try await here.rotate(.leaf)
            try await there.setPublicURL("http://b")
            async let one = there.appStore()
            async let two = here.rotate(.intermediate)
            _ = try await (one, two)
            // In either order, certificates and keys are of each other.
            try await there.setPublicURL("http://c")
            let last = try await SigningKeys(database: appStore.service.database).appStore().authority
            #expect(last.ocspURL == "http://c/ocsp")
        }
    }
}
