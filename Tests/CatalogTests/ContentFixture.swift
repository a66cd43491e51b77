import Foundation
import Persistence
import StoreModels
import Testing

@testable import Catalog

extension FileBuilder {
    /// A file with one product, `guide`, whose content is hosted.
    static func hosted(version: String = "1.0", length: Int, _ more: [JSONValue] = []) -> JSONValue {
        let content: JSONValue = ["version": .string(version), "lengths": [.integer(length)]]
        return file(products: [product("guide", type: "NonConsumable", ["hostedContent": content])] + more)
    }
}

extension CatalogStore {
    func beginUpload(_ version: String = "1.0", of product: String = "guide") async throws -> String {
        try await uploader.begin(
            BeginContentRequest(bundleId: CatalogFixture.bundleId, productIdentifier: product, version: version)
        ).uploadIdentifier
    }

    func addPart(_ bytes: some Sequence<UInt8>, at offset: Int, to upload: String) async throws {
        let data = Data(bytes).base64EncodedString()
        _ = try await uploader.add(
            ContentPartRequest(uploadIdentifier: upload, offset: Int64(offset), data: data))
    }

    func commitUpload(_ upload: String, length: Int) async throws -> CommitContentReply {
        try await uploader.commit(CommitContentRequest(uploadIdentifier: upload, length: Int64(length))).reply
    }

    /// A whole package in parts of `partSize`.
    @discardableResult
    func upload(
        _ bytes: [UInt8], _ version: String = "1.0", partSize: Int = ContentPartRequest.bytesMax
    ) async throws -> CommitContentReply {
        let upload = try await beginUpload(version)
        for start in stride(from: 0, to: bytes.count, by: partSize) {
            try await addPart(bytes[start..<min(start + partSize, bytes.count)], at: start, to: upload)
        }
        return try await commitUpload(upload, length: bytes.count)
    }

    func content(_ version: String? = nil, of product: String = "guide") async throws -> HostedContent {
        try await library.content(
            ContentRequest(bundleId: CatalogFixture.bundleId, productIdentifier: product, version: version))
    }

    func read(_ content: HostedContent, from offset: Int = 0, length: Int = ContentPartRequest.bytesMax) async throws
        -> [UInt8]
    {
        let part = try await library.read(
            ReadContentRequest(
                bundleId: CatalogFixture.bundleId, productIdentifier: content.contentIdentifier,
                version: content.contentVersion, sha256: content.sha256, offset: Int64(offset), length: length))
        return Array(try #require(Data(base64Encoded: part.data)))
    }

    var catalogVersion: Int64 {
        get throws { try app(AppRequest(bundleId: CatalogFixture.bundleId)).catalogVersion }
    }

    /// Chunks and packages there are, in force or not.
    func contentRows() async throws -> (chunks: Int, packages: Int) {
        try await library.contents.database.read { reader in
            let chunks = try await reader.queryOne("SELECT count(*) AS n FROM content_chunk")
            let packages = try await reader.queryOne("SELECT count(*) AS n FROM content_package")
            return (try found(chunks)["n"], try found(packages)["n"])
        }
    }
}
