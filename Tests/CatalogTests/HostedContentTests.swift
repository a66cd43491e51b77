import StoreModels
import StorebusTesting
import Testing

@testable import Catalog

/// Goal: a product with hosted content sells exactly while the content its catalogue declares is there, and what was
/// sold stays readable (M25, M47, M54).
@Suite struct HostedContentTests {
    private func reasons(_ store: CatalogStore) throws -> [ProductExplanation.Reason] {
        try store.explain("guide").reasons
    }

    @Test(arguments: Engine.allCases)
    func `M25 once the content is there the product sells, and its quote says version and length`(_ engine: Engine)
        async throws
    {
        let fixture = try CatalogFixture(engine)
        try await fixture.withStore { store async throws in
            try await store.importFile(FileBuilder.hosted(length: 3))
            #expect(try reasons(store) == [.hostedContentMissing])
            #expect(try store.explain("guide").details[0].contains("`storebus product content put`"))
            #expect(try store.quote("guide").availability == .notForSale)
            #expect(try store.catalogVersion == 1)
            try await store.upload([1, 2, 3])
            // A cache of products compares this.
            #expect(try store.catalogVersion == 2)
            #expect(try store.query(["guide"]).catalogVersion == 2)
        }
        // By this process and by the next one.
        try await fixture.withStore { store async throws in
            #expect(try reasons(store) == [])
            #expect(try store.allProducts().map(\.productIdentifier) == ["guide"])
            #expect(try store.query(["guide"]).invalidProductIdentifiers == [])
            let quote = try store.quote("guide")
            #expect(quote.availability == .available)
            #expect(quote.product?.isDownloadable == true)
            #expect(quote.product?.downloadContentVersion == "1.0")
            #expect(quote.product?.downloadContentLengths == [3])
            _ = try await store.deactivateAgreements(false)
            #expect(try reasons(store) == [])
        }
    }

    @Test(arguments: Engine.allCases)
    func `M54 another version in the catalogue takes it from sale; what was sold stays readable`(_ engine: Engine)
        async throws
    {
        let fixture = try CatalogFixture(engine)
        let old = try await fixture.withStore { store in
            try await store.importFile(FileBuilder.hosted(length: 3))
            let old = try await store.upload([1, 2, 3]).content
            try await store.importFile(FileBuilder.hosted(version: "2.0", length: 2))
            #expect(try reasons(store) == [.hostedContentMissing])
            #expect(try await refusal { try await store.content() }?.code == .notFound)
            return old
        }
        try await fixture.withStore { store async throws in
            #expect(try reasons(store) == [.hostedContentMissing])
            #expect(try await store.content("1.0") == old)
            #expect(try await store.upload([4, 5], "2.0").isReplaced == false)
            #expect(try reasons(store) == [])
            #expect(try await store.read(old) == [1, 2, 3])
            try await store.sweeper.sweep()
            #expect(try await store.read(old) == [1, 2, 3])
            // Declared again, it need not be uploaded again.
            try await store.importFile(FileBuilder.hosted(length: 3))
            #expect(try reasons(store) == [])
            try await store.importFile(FileBuilder.hosted(length: 4))
            #expect(try reasons(store) == [.hostedContentMissing])
            try await store.importFile(FileBuilder.file(products: [FileBuilder.product("other")]))
            #expect(try await store.read(old) == [1, 2, 3])
        }
    }

    @Test(arguments: Engine.allCases)
    func `M47 content that is replaced is never mixed: a reader of the old one gets an error`(_ engine: Engine)
        async throws
    {
        try await withCatalog(on: engine) { store async throws in
            try await store.importFile(FileBuilder.hosted(length: 4))
            let old = try await store.upload([1, 2, 3, 4], partSize: 1).content
            let upload = try await store.beginUpload()
            try await store.addPart([5, 6, 7, 8], at: 0, to: upload)
            #expect(try await store.read(old, from: 2) == [3, 4])
            let replaced = try await store.commitUpload(upload, length: 4)
            #expect(replaced.isReplaced)
            #expect(replaced.content.sha256 != old.sha256)
            #expect(try await refusal { try await store.read(old, from: 2) }?.code == .notFound)
            #expect(try await store.read(replaced.content, from: 2) == [7, 8])
            try await store.sweeper.sweep()
            #expect(try await store.contentRows() == (chunks: 1, packages: 1))
            #expect(try reasons(store) == [])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a large package that was replaced goes a little at a time`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store async throws in
            try await store.importFile(FileBuilder.hosted(length: 40))
            try await store.upload(Array(1...40), partSize: 1)
            try await store.upload(Array(41...80))
            var steps = 0
            while try await store.library.contents.deleteSome() {
                steps += 1
                #expect(try await store.contentRows().chunks >= 41 - steps * ContentLimits.deletedMax)
            }
            #expect(steps == 4)
            #expect(try await store.contentRows() == (chunks: 1, packages: 1))
        }
    }

    @Test(arguments: Engine.allCases)
    func `any range is read as it was uploaded, however the parts were cut`(_ engine: Engine) async throws {
        var random = SplitMix64.seeded()
        try await withCatalog(on: engine) { store async throws in
            let bytes = (0..<5_000).map { _ in UInt8.random(in: 0...255, using: &random) }
            try await store.importFile(FileBuilder.hosted(length: bytes.count))
            let upload = try await store.beginUpload()
            var offset = 0
            while offset < bytes.count {
                let end = min(offset + Int.random(in: 1...400, using: &random), bytes.count)
                try await store.addPart(bytes[offset..<end], at: offset, to: upload)
                offset = end
            }
            let content = try await store.commitUpload(upload, length: bytes.count).content
            for _ in 0..<100 {
                let start = Int.random(in: 0..<bytes.count, using: &random)
                let length = Int.random(in: 1...2_000, using: &random)
                let expected = Array(bytes[start..<min(start + length, bytes.count)])
                #expect(try await store.read(content, from: start, length: length) == expected)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `what lies outside is refused, and other apps' content is not found`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store async throws in
            try await store.importFile(FileBuilder.hosted(length: 2))
            try await store.importFile(FileBuilder.hosted(length: 2), into: "com.example.other")
            let content = try await store.upload([1, 2]).content
            for (offset, length) in [(2, 1), (-1, 1), (0, 0), (0, ContentPartRequest.bytesMax + 1)] {
                let error = try await refusal { try await store.read(content, from: offset, length: length) }
                #expect(error?.code == .requestInvalid)
            }
            var other = content
            other.sha256 = String(repeating: "0", count: 64)
            #expect(try await refusal { try await store.read(other) }?.code == .notFound)
            #expect(try await refusal { try await store.content(of: "nobody") }?.code == .productNotFound)
            #expect(try await refusal { try await store.content("9.9") }?.code == .notFound)
            // P11
            let elsewhere = ContentRequest(bundleId: "com.example.other", productIdentifier: "guide")
            #expect(try await refusal { try await store.library.content(elsewhere) }?.code == .notFound)
            #expect(try store.explain("guide", of: "com.example.other").reasons == [.hostedContentMissing])
        }
    }

    @Test(arguments: Engine.allCases)
    func `the file in force is exported as it was, with any content uploaded since`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store async throws in
            let file = try StoreJSON.encode(FileBuilder.hosted(length: 1))
            try await store.importFile(file)
            let request = ExportPartRequest(bundleId: CatalogFixture.bundleId, index: 0)
            let before = try await store.export(request)
            try await store.upload([1])
            #expect(try await store.export(request) == before)
            #expect(try await store.exportFile() == file)
        }
    }
}
