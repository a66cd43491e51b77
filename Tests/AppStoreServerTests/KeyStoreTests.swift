import Cryptography
import EventLoop
import Foundation
import Persistence
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import AppStoreServer

@Suite struct KeyStoreTests {
    @Test(arguments: [KeyKind.subscriptionOffer, .inAppPurchase])
    func `the key pair of what signs is one, on P-256`(_ kind: KeyKind) throws {
        let key = NewKey(kind, bundleId: "a", now: .wallClock())
        let privateKey = try P256.Signing.PrivateKey(pemRepresentation: key.secret)
        let publicKey = try P256.Signing.PublicKey(pemRepresentation: try #require(key.record.publicKey))
        let signature = privateKey.signature(for: Data("offer".utf8))
        #expect(publicKey.isValidSignature(signature, for: Data("offer".utf8)))
        #expect(key.record.digest == nil)
    }

    @Test(arguments: Engine.allCases)
    func `an app has a bounded number of keys`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            let keys = appStore.service.keys
            for _ in 0..<KeyStore.keysMax { _ = try await keys.add(AddAppKeyRequest(bundleId: "a", kind: .api)) }
            let refused = await #expect(throws: StoreError.self) {
                try await keys.add(AddAppKeyRequest(bundleId: "a", kind: .api))
            }
            #expect(refused?.code == .requestInvalid && refused?.status == 422)
            _ = try await keys.add(AddAppKeyRequest(bundleId: "b", kind: .api))
            let first = try #require(try await keys.list(AppRequest(bundleId: "a")).keys.first)
            let request = AppKeyRequest(keyIdentifier: first.keyIdentifier, bundleId: "a")
            _ = try await keys.remove(request)
            let missing = await #expect(throws: StoreError.self) { try await keys.remove(request) }
            #expect(missing?.code == .notFound)
            _ = try await keys.add(AddAppKeyRequest(bundleId: "a", kind: .api))
            #expect(try await keys.list(AppRequest(bundleId: "a")).keys.count == KeyStore.keysMax)
        }
    }

    @Test(arguments: Engine.allCases)
    func `requests at one time do not pass the bounds of keys and of faults`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            var replicas = [appStore.service]
            if engine == .postgres { replicas.append(try await appStore.start()) }
            let (room, key) = (3, AddAppKeyRequest(bundleId: "a", kind: .sharedSecret))
            let (fault, faults) = (ServerAPIFault(errorCode: 4_040_010), appStore.service.apple.serverAPIFaults)
            for _ in room..<KeyStore.keysMax { _ = try await appStore.service.keys.add(key) }
            for _ in room..<ServerAPIFaults.faultsMax { try await faults.add(fault, of: "a") }
            let made = await withTaskGroup(of: String?.self) { group in
                for number in 0..<16 {
                    let service = replicas[number % replicas.count]
                    group.addTask { (try? await service.keys.add(key)) == nil ? nil : "key" }
                    group.addTask {
                        (try? await service.apple.serverAPIFaults.add(fault, of: "a")) == nil ? nil : "fault"
                    }
                }
                return await group.reduce(into: [String]()) { made, name in if let name { made.append(name) } }
            }
            #expect(made.count { $0 == "key" } == room)
            #expect(made.count { $0 == "fault" } == room)
            #expect(try await appStore.service.keys.list(AppRequest(bundleId: "a")).keys.count == KeyStore.keysMax)
            #expect(try await faults.list(of: "a").count == ServerAPIFaults.faultsMax)
            // The row by which replicas wait for each other sets nothing.
            #expect(try await appStore.service.apple.serverApps.settings(of: "a") == ServerAPISettings())
        }
    }

    @Test(arguments: Engine.allCases)
    func `keys survive a restart`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            let made = try await appStore.service.keys.add(AddAppKeyRequest(bundleId: "a", kind: .api))
            try await appStore.restart()
            let request = FindAppKeyRequest(keyIdentifier: made.key.keyIdentifier)
            #expect(try await appStore.service.keys.find(request).key == made.key)
        }
    }

    @Test(arguments: Engine.allCases)
    func `all keys of an isolated store are removed together, and an app's are not`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            let (keys, isolated) = (appStore.service.keys, "com.example.app@t-1.42")
            let end = appStore.world.withLock(\.wall) + .seconds(60)
            _ = try await appStore.service.apple.openStore(
                OpenStoreRequest(from: TestAppStoreServer.bundleId, to: isolated, expiresAt: end))
            for bundleId in [isolated, isolated, "com.example.app"] {
                _ = try await keys.add(AddAppKeyRequest(bundleId: bundleId, kind: .inAppPurchase))
            }
            _ = try await keys.removeAll(AppRequest(bundleId: isolated))
            #expect(try await keys.list(AppRequest(bundleId: isolated)).keys.isEmpty)
            let refused = await #expect(throws: StoreError.self) {
                try await keys.removeAll(AppRequest(bundleId: "com.example.app"))
            }
            #expect(refused?.code == .requestInvalid)
            #expect(try await keys.list(AppRequest(bundleId: "com.example.app")).keys.count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `all keys of an isolated store end with it, also one that was made later`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            let (service, isolated) = (appStore.service, "com.example.app@t-1.42")
            let end = appStore.world.withLock(\.wall) + .seconds(60)
            let keys = [
                try await service.apple.openStore(
                    OpenStoreRequest(from: TestAppStoreServer.bundleId, to: isolated, expiresAt: end)),
                try await service.keys.add(AddAppKeyRequest(bundleId: isolated, kind: .api)),
                try await service.keys.add(AddAppKeyRequest(bundleId: TestAppStoreServer.bundleId, kind: .api)),
            ]
            // An operator's settings do not make the store last longer.
            try await service.apple.serverApps.put(ServerAPISettings(), of: isolated)
            for (wall, found) in [
                (end + .milliseconds(-1), [true, true, true]), (end, [false, false, true]),
            ] {
                appStore.world.withLock { $0.wall = wall }
                for (key, isFound) in zip(keys, found) {
                    let request = FindAppKeyRequest(keyIdentifier: key.key.keyIdentifier)
                    #expect(try await service.keys.find(request).key == (isFound ? key.key : nil))
                }
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `a removed isolated store gets no key, whose end nothing would know`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            let (service, app) = (appStore.service, AppRequest(bundleId: "com.example.app@t-1.42"))
            let request = AddAppKeyRequest(bundleId: app.bundleId, kind: .api)
            let end = appStore.world.withLock(\.wall) + .seconds(60)
            _ = try await service.apple.openStore(
                OpenStoreRequest(from: TestAppStoreServer.bundleId, to: app.bundleId, expiresAt: end))
            // The gateway removes keys first, and the rest when payment-queue has removed its data.
            _ = try await service.keys.removeAll(app)
            _ = try await service.keys.add(request)
            _ = try await AppStoreDataRemoval(database: service.database)
                .remove(RemoveAppRequest(bundleId: app.bundleId))
            for _ in 0..<2 {
                let refused = await #expect(throws: StoreError.self) { try await service.keys.add(request) }
                #expect(refused?.code == .notFound)
                // Late settings do not open the store again.
                try await service.apple.serverApps.put(ServerAPISettings(), of: app.bundleId)
            }
            #expect(try await service.keys.list(app).keys.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a store opens with its base app's settings, and no app of the installation opens`(
        _ engine: Engine
    ) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            let (apple, isolated) = (appStore.service.apple, "com.example.app@t-1.42")
            let settings = ServerAPISettings(environment: .production, appAppleId: 42)
            try await apple.serverApps.put(settings, of: TestAppStoreServer.bundleId)
            let request = OpenStoreRequest(
                from: TestAppStoreServer.bundleId, to: isolated, expiresAt: Timestamp(milliseconds: 1))
            let made = try await apple.openStore(request)
            #expect(made.key.kind == .inAppPurchase && made.key.bundleId == isolated)
            #expect(try await apple.serverApps.settings(of: isolated) == settings)
            let misdirected = with(request) { $0.to = TestAppStoreServer.bundleId }
            let refused = await #expect(throws: StoreError.self) { _ = try await apple.openStore(misdirected) }
            #expect(refused?.code == .requestInvalid)
            #expect(try await apple.keys.list(AppRequest(bundleId: TestAppStoreServer.bundleId)).keys.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `the store has one issuer, which survives a restart`(_ engine: Engine) async throws {
        try await TestAppStoreServer.with(engine) { appStore in
            let apps = appStore.service.apple.serverApps
            async let one = apps.issuerId()
            async let two = apps.issuerId()
            let (issuer, other) = try await (one, two)
            #expect(issuer == other)
            #expect(issuer.utf8.count == 36)
            try await appStore.restart()
            #expect(try await appStore.service.apple.serverApps.issuerId() == issuer)
        }
    }
}
