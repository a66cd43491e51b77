import StoreModels
import StorebusTesting
import Testing

@testable import Catalog

/// Goal: a promotional image comes in whole or not at all, is what its header says, and waits for its review (M66).
@Suite struct ImageUploadTests {
    @Test(arguments: Engine.allCases)
    func `M66 an image comes in by parts, is described by what it says of itself, and is read again`(
        _ engine: Engine
    ) async throws {
        try await withCatalog(on: engine) { store async throws in
            try await store.importProducts(["a"])
            let bytes = ImageBuilder.png(more: 600_000)
            let image = try await store.upload(image: bytes, of: "a", partSize: 100_000)
            #expect(image.productIdentifier == "a")
            #expect(image.state == .waiting)
            #expect((image.format, image.width, image.height) == (.png, 1024, 1024))
            #expect(image.length == Int64(bytes.count))
            #expect(image.sha256.count == 64)
            #expect(try await store.image(of: "a") == image)
            var read: [UInt8] = []
            while read.count < bytes.count { read += try await store.read(image, from: Int64(read.count)) }
            #expect(read == bytes)
            let beyond = try await refusal { try await store.read(image, from: Int64(bytes.count)) }
            #expect(beyond?.code == .requestInvalid)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M66 nothing is in force before the commit, and the next process goes on`(_ engine: Engine) async throws {
        let fixture = try CatalogFixture(engine)
        let bytes = ImageBuilder.jpeg()
        let upload = try await fixture.withStore { store in
            try await store.importProducts(["a"])
            let upload = try await store.beginImage(of: "a")
            try await store.addImagePart(bytes[..<10], to: upload)
            #expect(try await refusal { try await store.image(of: "a") }?.code == .notFound)
            #expect(try await store.setup().isPreview)
            return upload
        }
        try await fixture.withStore { store async throws in
            let early = try await refusal { try await store.commitImage(upload, length: bytes.count) }
            #expect(early?.message.contains("send the parts from 10 on") == true)
            try await store.addImagePart(bytes[10...], at: 10, to: upload)
            let image = try await store.commitImage(upload, length: bytes.count)
            #expect(image.format == .jpeg)
            #expect(try await store.setup().isPreview == false)
        }
        try await fixture.withStore { store async throws in
            #expect(try await store.image(of: "a").format == .jpeg)
            #expect(try store.explain("a").promotion?.reasons == [.imageWaitingForReview])
        }
    }

    @Test(arguments: Engine.allCases)
    func `M66 anything but 1024 by 1024 of PNG or JPEG is 422, says what was found, and is forgotten`(
        _ engine: Engine
    ) async throws {
        try await withCatalog(on: engine) { store async throws in
            try await store.importProducts(["a"])
            let cases: [(bytes: [UInt8], found: String)] = [
                (ImageBuilder.png(width: 800, height: 600), "800×600, PNG"),
                (ImageBuilder.jpeg(width: 1024, height: 1023), "1024×1023, JPEG"),
                (Array("GIF89a, named image.png".utf8), "this is neither"),
            ]
            for item in cases {
                let upload = try await store.beginImage(of: "a")
                try await store.addImagePart(item.bytes, to: upload)
                let error = try await refusal { try await store.commitImage(upload, length: item.bytes.count) }
                #expect(error?.code == .requestInvalid)
                #expect(error?.status == 422)
                #expect(error?.message.contains(item.found) == true)
                let again = try await refusal { try await store.commitImage(upload, length: item.bytes.count) }
                #expect(again?.code == .notFound)
            }
            #expect(try await refusal { try await store.image(of: "a") }?.code == .notFound)
            try await store.sweeper.sweep()
            #expect(try await store.contentRows() == (chunks: 0, packages: 0))
        }
    }

    @Test func `M66 more than four megabytes are refused as they come, and the upload is gone`() async throws {
        try await withCatalog { store async throws in
            try await store.importProducts(["a"])
            let upload = try await store.beginImage(of: "a")
            let part = [UInt8](repeating: 1, count: ContentPartRequest.bytesMax)
            for index in 0..<16 { try await store.addImagePart(part, at: index * part.count, to: upload) }
            let error = try await refusal { try await store.addImagePart([1], at: 16 * part.count, to: upload) }
            #expect(error?.code == .bodyTooLarge)
            #expect(error?.status == 413)
            #expect(try await refusal { try await store.addImagePart([1], to: upload) }?.code == .notFound)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M66 a new image takes the place of the one before, and waits for its review again`(
        _ engine: Engine
    ) async throws {
        try await withCatalog(on: engine) { store async throws in
            try await store.importProducts(["a"])
            let first = try await store.upload(image: ImageBuilder.png(), of: "a")
            try await store.review("a", approved: true)
            #expect(try store.page() == ["a"])
            let second = try await store.upload(image: ImageBuilder.jpeg(), of: "a")
            #expect(second.state == .waiting)
            #expect(try store.page() == [])
            #expect(try await store.image(of: "a") == second)
            #expect(try await refusal { try await store.read(first) }?.code == .notFound)
            try await store.sweeper.sweep()
            #expect(try await store.contentRows().packages == 1)
            #expect(try await store.read(second) == ImageBuilder.jpeg())
        }
    }

    @Test(arguments: Engine.allCases)
    func `M66 a commit again, also at the same time and after the review, gives the image as it is`(
        _ engine: Engine
    ) async throws {
        try await withCatalog(on: engine) { store async throws in
            try await store.importProducts(["a"])
            let bytes = ImageBuilder.png()
            let upload = try await store.beginImage(of: "a")
            try await store.addImagePart(bytes, to: upload)
            let replies = try await withThrowingTaskGroup { group in
                for _ in 0..<8 { group.addTask { try await store.commitImage(upload, length: bytes.count) } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(replies.count == 1)
            #expect(try store.catalogVersion == 2)
            let approved = try await store.review("a", approved: true)
            #expect(try await store.commitImage(upload, length: bytes.count) == approved)
            #expect(try store.catalogVersion == 3)
            // Another one has taken its place.
            try await store.upload(image: ImageBuilder.jpeg(), of: "a")
            #expect(try await refusal { try await store.commitImage(upload, length: bytes.count) }?.code == .notFound)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M66 of two images of one product at the same time one replaces the other`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store async throws in
            try await store.importProducts(["a"])
            try await withThrowingTaskGroup { group in
                for count in 1...6 {
                    group.addTask { _ = try await store.upload(image: ImageBuilder.png(more: count), of: "a") }
                }
                try await group.waitForAll()
            }
            let winner = try await store.image(of: "a")
            #expect(try await store.read(winner).count == Int(winner.length))
            #expect(try store.explain("a").promotion?.reasons == [.imageWaitingForReview])
            try await store.sweeper.sweep()
            #expect(try await store.contentRows().packages == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M66 the review says yes or no, either after the other, and again is the same`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store async throws in
            try await store.importProducts(["a"])
            for approved in [true, false] {
                let error = try await refusal { try await store.review("a", approved: approved) }
                #expect(error?.code == .notFound)
                #expect(error?.message.contains("has no promotional image") == true)
            }
            #expect(try await refusal { try await store.review("x", approved: true) }?.code == .productNotFound)
            try await store.upload(image: ImageBuilder.png(), of: "a")
            let rejected = try await store.review("a", approved: false, reason: "too dark")
            #expect((rejected.state, rejected.reason) == (.rejected, "too dark"))
            let explanation = try store.explain("a").promotion
            #expect(explanation?.reasons == [.imageRejected])
            #expect(explanation?.details.first?.contains("(too dark)") == true)
            let version = try store.catalogVersion
            #expect(try await store.review("a", approved: false, reason: "too dark") == rejected)
            #expect(try store.catalogVersion == version)
            let approved = try await store.review("a", approved: true, reason: "what is said of a yes is not kept")
            #expect((approved.state, approved.reason) == (.approved, nil))
            #expect(try store.page() == ["a"])
            let long = String(repeating: "r", count: 501)
            #expect(
                try await refusal { try await store.review("a", approved: false, reason: long) }?.code
                    == .requestInvalid)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an upload of content is no image, and the other way round`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store async throws in
            let bytes = ImageBuilder.png()
            try await store.importFile(FileBuilder.hosted(length: bytes.count))
            let content = try await store.beginUpload()
            try await store.addPart(bytes, at: 0, to: content)
            let image = try await store.beginImage(of: "guide")
            try await store.addImagePart(bytes, to: image)
            #expect(try await refusal { try await store.commitImage(content, length: bytes.count) }?.code == .notFound)
            #expect(try await refusal { try await store.commitUpload(image, length: bytes.count) }?.code == .notFound)
            #expect(try await refusal { try await store.addPart([1], at: bytes.count, to: image) }?.code == .notFound)
            _ = try await store.commitImage(image, length: bytes.count)
            // An image is no hosted content of any version.
            #expect(try store.product("guide") == nil)
            #expect(try await refusal { try await store.content("") }?.code == .notFound)
            _ = try await store.commitUpload(content, length: bytes.count)
            #expect(try store.product("guide") != nil)
        }
    }

    @Test func `only products of the app have images`() async throws {
        try await withCatalog { store async throws in
            #expect(try await refusal { try await store.beginImage(of: "a") }?.code == .notFound)
            try await store.importProducts(["a"])
            #expect(try await refusal { try await store.beginImage(of: "b") }?.code == .productNotFound)
        }
    }
}
