import StoreModels
import StorebusTesting
import Testing

@testable import Catalog

/// Goal: the public half of a file's key is the app's, the private half is in no answer.
/// Method: a key made for this test alone, in the form Xcode writes (PKCS #8 with the curve named twice).
@Suite struct OfferKeyTests {
    private static let privateKey = [
        "MIGTAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBHkwdwIBAQQgnoxFQfmUUfLKCEQXz1dPwwWFN/Pe6tATKvUeR/kG1I2gCgYIKoZI",
        "zj0DAQehRANCAASHTMMDe/u2sR5NEZS/rCBWs4+3N6A0jo2OOonwPboVamlXzcPAkj8pioCiOnYJfH8VNS4UzIzy6Krrrp+zqZJy",
    ].joined()
    private static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEh0zDA3v7trEeTRGUv6wgVrOPtzeg
        NI6NjjqJ8D26FWppV83DwJI/KYqAojp2CXx/FTUuFMyM8uiq666fs6mScg==
        -----END PUBLIC KEY-----
        """

    /// Xcode writes a slash with a backslash before it.
    private static func file(_ privateKey: String = privateKey, identifier: String = "\"A1B2C3D4\"") -> [UInt8] {
        Array(
            """
            {"products":[],"version":{"major":4,"minor":0},
             "subscriptionOffersKeyPair" : {"id" : \(identifier),
               "privateKey" : "\(privateKey.split(separator: "/", omittingEmptySubsequences: false).joined(separator: "\\/"))"}}
            """.utf8)
    }

    @Test func `the app has the public key, at once, after a restart and beside new settings`() async throws {
        let fixture = try CatalogFixture()
        let expected = [SubscriptionOfferKey(keyIdentifier: "A1B2C3D4", publicKey: Self.publicKey)]
        let request = AppRequest(bundleId: CatalogFixture.bundleId)
        try await fixture.withStore { store async throws in
            let report = try await store.importFile(Self.file())
            #expect(!report.notes.contains { $0.contains("subscriptionOffersKeyPair") })
            #expect(try store.app(request).subscriptionOfferKeys == expected)
        }
        try await fixture.withStore { store async throws in
            #expect(try store.app(request).subscriptionOfferKeys == expected)
            let put = PutAppRequest(bundleId: CatalogFixture.bundleId, settings: AppSettings(name: "A"))
            #expect(try await store.put(put).subscriptionOfferKeys == expected)
            #expect(try store.list(PageRequest(in: .installation)).apps.map(\.subscriptionOfferKeys) == [expected])
            try await store.importFile(FileBuilder.file(products: [FileBuilder.product("a")]))
            #expect(try store.app(request).subscriptionOfferKeys == nil)
        }
    }

    @Test(arguments: Engine.allCases, [7, 64, 256 * 1024])
    func `an export has stars in the place of the private key, wherever parts end`(
        engine: Engine, partSize: Int
    ) async throws {
        try await withCatalog(on: engine) { store async throws in
            let bytes = Self.file()
            try await store.importFile(bytes, partSize: partSize)
            let exported = try await store.exportFile()
            let written = Self.privateKey.split(separator: "/", omittingEmptySubsequences: false).joined(
                separator: "\\/")
            let text = String(decoding: bytes, as: UTF8.self)
            let stars = String(repeating: "*", count: written.utf8.count)
            #expect(String(decoding: exported, as: UTF8.self) == text.replacing(written, with: stars))
        }
    }

    @Test func `an exported file can be imported again, without the key`() async throws {
        try await withCatalog { store async throws in
            try await store.importFile(Self.file())
            let report = try await store.importFile(try await store.exportFile())
            #expect(report.notes.contains { $0.hasPrefix("$.subscriptionOffersKeyPair has no key that can be read") })
            #expect(try store.app(AppRequest(bundleId: CatalogFixture.bundleId)).subscriptionOfferKeys == nil)
        }
    }

    @Test(arguments: [file("AAAA"), file("no key"), file(identifier: "7"), file(identifier: "\"\"")])
    func `a key that cannot be read refuses nothing and is said`(bytes: [UInt8]) throws {
        let file = try StoreKitFileReader.read(bytes, fileName: "App.storekit")
        #expect(file.catalog.offerKeys.isEmpty)
        #expect(file.notes.contains { $0.contains("subscriptionOffersKeyPair") })
    }

    @Test func `secrets are found in any spacing, and an escaped quote ends none`() {
        let text =
            #"{"privateKey":"abc","x":"privateKey","privateKey" : 7, "privateKey"\#n:\#t"a\"b", "privateKey":"open"#
        let bytes = Array(text.utf8)
        let found = FileSecrets.ranges(in: bytes).map { String(decoding: bytes[$0], as: UTF8.self) }
        #expect(found == ["abc", #"a\"b"#, "open"])
    }
}
