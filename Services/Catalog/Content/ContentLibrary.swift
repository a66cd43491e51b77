import FoundationEssentials
import StoreModels

/// Describes and reads the hosted content in force. Older versions are included, which older transactions may download.
struct ContentLibrary: Sendable {
    let contents: ContentRepository
    let directory: AppSnapshots

    /// Describes a product's content, by default of the version that the catalogue declares.
    /// - Throws: `notFound` when the content does not exist, or `productNotFound` when no version is given and the app
    ///   does not have the product.
    func content(_ request: ContentRequest) async throws -> HostedContent {
        let version = try request.version ?? declaredVersion(of: request.productIdentifier, in: request.bundleId)
        guard
            let content = try await contents.content(
                of: request.productIdentifier, in: request.bundleId, version: version)
        else { throw Self.missing(version, of: request.productIdentifier) }
        return content
    }

    /// Reads a range of a package.
    /// - Throws: `notFound` when the package does not exist, or another one has replaced it, or `requestInvalid` beyond
    ///   its end.
    func read(_ request: ReadContentRequest) async throws -> ContentPart {
        guard (1...ContentPartRequest.bytesMax).contains(request.length) else {
            throw Self.invalid("length", "must be from 1 to \(ContentPartRequest.bytesMax)")
        }
        guard let content = try await contents.read(request) else {
            throw Self.missing(request.version, of: request.productIdentifier)
        }
        guard let bytes = content.bytes else {
            throw Self.invalid("offset", "must be from 0 to \(content.length - 1)")
        }
        return ContentPart(data: Data(bytes).base64EncodedString())
    }

    private func declaredVersion(of productIdentifier: String, in bundleId: String) throws(StoreError) -> String {
        let product = try directory.product(productIdentifier, of: bundleId)
        guard let declared = product.conditions.hostedContent else {
            throw StoreError(.notFound, "the catalogue declares no hosted content of \(productIdentifier)")
        }
        return declared.version
    }

    private static func missing(_ version: String, of productIdentifier: String) -> StoreError {
        StoreError(
            .notFound,
            "version \(version.prefix(64)) of the content of \(productIdentifier.prefix(100)) is not in the store, "
                + "or was replaced")
    }

    private static func invalid(_ member: String, _ reason: String) -> StoreError {
        StoreError(.requestInvalid, "$.\(member): \(reason)", details: ["path": .string("$.\(member)")])
    }
}
