import Foundation
import Persistence
import StoreModels
import StorebusTesting
import Testing

@testable import Catalog

/// Goal: hosted content comes in whole or not at all, and is what the catalogue declares (M25, M47: what is downloaded
/// is a usable file).
@Suite struct ContentUploadTests {
    private let million = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)

    @Test(arguments: Engine.allCases)
    func `a package comes in by parts, is described by its hash and read again`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store async throws in
            try await store.importFile(FileBuilder.hosted(length: million.count))
            let reply = try await store.upload(million)
            // FIPS 180-2, appendix B.3: a million times the letter a.
            let sha256 = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
            let expected = HostedContent(
                contentIdentifier: "guide", contentVersion: "1.0", contentLength: 1_000_000, sha256: sha256)
            #expect(reply == CommitContentReply(content: expected, isReplaced: false))
            #expect(try await store.content() == expected)
            #expect(try await store.content("1.0") == expected)
            #expect(try await store.read(expected, from: 900_000) == Array(million[900_000...]))
        }
    }

    @Test(arguments: Engine.allCases)
    func `nothing is in force before the commit, and the next process goes on with an upload`(_ engine: Engine)
        async throws
    {
        let fixture = try CatalogFixture(engine)
        let upload = try await fixture.withStore { store in
            try await store.importFile(FileBuilder.hosted(length: 6))
            let upload = try await store.beginUpload()
            try await store.addPart([1, 2, 3], at: 0, to: upload)
            #expect(try await refusal { try await store.content() }?.code == .notFound)
            return upload
        }
        try await fixture.withStore { store async throws in
            try await store.addPart([4, 5, 6], at: 3, to: upload)
            #expect(try store.product("guide") == nil)
            let reply = try await store.commitUpload(upload, length: 6)
            #expect(try await store.read(reply.content) == [1, 2, 3, 4, 5, 6])
        }
    }

    @Test(arguments: Engine.allCases)
    func `parts come in order, and the same one again is fine`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store async throws in
            try await store.importFile(FileBuilder.hosted(length: 4))
            let upload = try await store.beginUpload()
            let early = try await refusal { try await store.addPart([3, 4], at: 2, to: upload) }
            #expect(early?.code == .requestInvalid)
            #expect(early?.message.contains("the part from 0 on comes next") == true)
            for _ in 0..<2 { try await store.addPart([1, 2], at: 0, to: upload) }
            for (bytes, offset) in [([9, 2], 0), ([1, 2, 3], 0), ([2], 1), ([1], 0)] as [([UInt8], Int)] {
                #expect(
                    try await refusal { try await store.addPart(bytes, at: offset, to: upload) }?.code
                        == .requestInvalid)
            }
            let missing = try await refusal { try await store.commitUpload(upload, length: 4) }
            #expect(missing?.code == .requestInvalid)
            #expect(missing?.message.contains("send the parts from 2 on and commit again") == true)
            try await store.addPart([3, 4], at: 2, to: upload)
            try await store.addPart([1, 2], at: 0, to: upload)
            #expect(try await store.read(store.commitUpload(upload, length: 4).content) == [1, 2, 3, 4])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a commit again, also at the same time, gives the same answer`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store async throws in
            try await store.importFile(FileBuilder.hosted(length: 1))
            let upload = try await store.beginUpload()
            try await store.addPart([7], at: 0, to: upload)
            let replies = try await withThrowingTaskGroup { group in
                for _ in 0..<8 { group.addTask { try await store.commitUpload(upload, length: 1) } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(replies.count == 1)
            #expect(replies.first?.isReplaced == false)
            #expect(try await store.commitUpload(upload, length: 1) == replies.first)
            #expect(try store.catalogVersion == 2)
            #expect(try await refusal { try await store.addPart([8], at: 1, to: upload) }?.code == .notFound)
        }
    }

    @Test(arguments: Engine.allCases)
    func `of two packages of one version at the same time one replaces the other`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store async throws in
            try await store.importFile(FileBuilder.hosted(length: 1))
            let replies = try await withThrowingTaskGroup { group in
                for byte in 1...2 as ClosedRange<UInt8> { group.addTask { try await store.upload([byte]) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(replies.map(\.isReplaced).sorted { !$0 && $1 } == [false, true])
            let winner = try #require(replies.first { $0.isReplaced })
            #expect(try await store.content() == winner.content)
        }
    }

    @Test(arguments: Engine.allCases)
    func `another version or length than the catalogue declares is refused, and both are named`(_ engine: Engine)
        async throws
    {
        try await withCatalog(on: engine) { store async throws in
            try await store.importFile(FileBuilder.hosted(length: 3, [FileBuilder.product("plain")]))
            let version = try await refusal { try await store.beginUpload("1.1") }
            #expect(version?.code == .catalogInvalid)
            #expect(version?.message.contains("declares version 1.0") == true)
            #expect(version?.message.contains("not 1.1") == true)
            #expect(try await refusal { try await store.beginUpload(of: "plain") }?.code == .catalogInvalid)
            #expect(try await refusal { try await store.beginUpload(of: "nobody") }?.code == .productNotFound)
            let short = try await refusal { try await store.upload([1, 2]) }
            #expect(short?.code == .catalogInvalid)
            #expect(short?.message.contains("declares content of 3 bytes, and the upload has 2;") == true)
            let long = try await refusal { try await store.upload([1, 2, 3, 4], partSize: 2) }
            #expect(long?.code == .catalogInvalid)
            #expect(long?.message.contains("has 4 or more") == true)
            #expect(try store.product("guide") == nil)
            try await store.sweeper.sweep()
            #expect(try await store.contentRows() == (chunks: 0, packages: 0))
        }
    }

    @Test(arguments: Engine.allCases)
    func `a catalogue that declares another version during an upload refuses its commit`(_ engine: Engine) async throws
    {
        try await withCatalog(on: engine) { store async throws in
            try await store.importFile(FileBuilder.hosted(length: 1))
            let upload = try await store.beginUpload()
            try await store.addPart([1], at: 0, to: upload)
            try await store.importFile(FileBuilder.hosted(version: "2.0", length: 1))
            #expect(try await refusal { try await store.commitUpload(upload, length: 1) }?.code == .catalogInvalid)
            #expect(try await refusal { try await store.commitUpload(upload, length: 1) }?.code == .notFound)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an upload that is left alone for an hour is forgotten, and its bytes go`(_ engine: Engine) async throws {
        let fixture = try CatalogFixture(engine)
        try await fixture.withStore { store async throws in
            try await store.importFile(FileBuilder.hosted(length: 2))
            let upload = try await store.beginUpload()
            fixture.advance(by: .seconds(3_600))
            try await store.addPart([1], at: 0, to: upload)
            fixture.advance(by: .seconds(3_600))
            try await store.sweeper.sweep()
            #expect(try await store.contentRows() == (chunks: 1, packages: 1))
            fixture.advance(by: .milliseconds(1))
            #expect(try await refusal { try await store.addPart([2], at: 1, to: upload) }?.code == .notFound)
            #expect(try await refusal { try await store.commitUpload(upload, length: 1) }?.code == .notFound)
            try await store.sweeper.sweep()
            #expect(try await store.contentRows() == (chunks: 0, packages: 0))
        }
    }

    @Test(arguments: Engine.allCases)
    func `what is uploaded has bounds, each with its answer`(_ engine: Engine) async throws {
        let fixture = try CatalogFixture(engine)
        try await fixture.withStore { store async throws in
            let largest = Int(ContentPartRequest.contentMax)
            try await store.importFile(FileBuilder.hosted(length: largest))
            let upload = try await store.beginUpload()
            let part = [UInt8](repeating: 0, count: ContentPartRequest.bytesMax + 1)
            #expect(try await refusal { try await store.addPart(part, at: 0, to: upload) }?.code == .bodyTooLarge)
            #expect(try await refusal { try await store.addPart([], at: 0, to: upload) }?.code == .requestInvalid)
            let text = ContentPartRequest(uploadIdentifier: upload, offset: 0, data: "no base64")
            #expect(try await refusal { try await store.uploader.add(text) }?.code == .requestInvalid)
            #expect(try await refusal { try await store.addPart([1], at: -1, to: upload) }?.code == .requestInvalid)
            #expect(try await refusal { try await store.addPart([1], at: 0, to: "nobody") }?.code == .notFound)
            for _ in 1..<4 { _ = try await store.beginUpload() }
            #expect(try await refusal { try await store.beginUpload() }?.code == .rateLimited)
            fixture.advance(by: .seconds(3_601))
            _ = try await store.beginUpload()
            try await store.importFile(FileBuilder.hosted(length: 1))
            fixture.advance(by: .seconds(3_601))
            for _ in 0..<ContentLimits.openMax { _ = try await store.beginUpload() }
            #expect(try await refusal { try await store.beginUpload() }?.code == .rateLimited)
        }
    }

    @Test(arguments: Engine.allCases)
    func `only so many versions and parts are kept of one product`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store async throws in
            try await store.importFile(FileBuilder.hosted(length: 9))
            let upload = try await store.beginUpload()
            try await store.library.contents.database.write { transaction in
                try await transaction.execute("UPDATE content_package SET part_count = ?", ContentLimits.partsMax)
                for number in 0..<ContentLimits.versionsMax {
                    try await transaction.execute(
                        """
                        INSERT INTO content_package (id, bundle_id, product_identifier, version, state, declared_length,
                            length, part_count, sha256, is_replacement, touched_at)
                        VALUES (?, ?, 'guide', ?, 'inForce', 1, 1, 1, 'x', 0, 0)
                        """, "p\(number)", CatalogFixture.bundleId, "0.\(number)")
                }
            }
            #expect(try await refusal { try await store.addPart([1], at: 0, to: upload) }?.code == .bodyTooLarge)
            let versions = try await refusal { try await store.beginUpload() }
            #expect(versions?.code == .requestInvalid)
            #expect(versions?.message.contains("100 versions") == true)
        }
    }
}
