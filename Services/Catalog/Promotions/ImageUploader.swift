import BusService
import Cryptography
import StoreModels

/// Stores uploads of promotional images, as ``ContentUploader`` does of hosted content. The image in force changes only
/// with the commit.
struct ImageUploader: Sendable {
    let contents: ContentRepository
    let promotions: PromotionRepository
    let loader: AppLoader
    /// The wall clock, by which uploads expire, because they outlive the process.
    let now: @Sendable () -> Timestamp

    /// Begins an upload.
    /// - Throws: `notFound`, `productNotFound`, or `rateLimited` while too many uploads are open.
    func begin(_ request: BeginImageRequest) async throws -> BeginContentReply {
        try await loader.refresh(request.bundleId)
        _ = try loader.directory.product(request.productIdentifier, of: request.bundleId)
        let identifier = RandomIdentifier.hex(digits: 24)
        try await contents.begin(
            identifier, .image,
            BeginContentRequest(
                bundleId: request.bundleId, productIdentifier: request.productIdentifier,
                version: ContentRepository.imageVersion), declaredLength: PromotionImage.lengthMax, now: now())
        return BeginContentReply(uploadIdentifier: identifier)
    }

    /// Stores the next part. Repeating a part changes nothing.
    /// - Throws: `notFound`, `requestInvalid`, or `bodyTooLarge` beyond 4 MiB. Then the upload is dropped.
    func add(_ request: ContentPartRequest) async throws -> Empty {
        let part = try ContentRepository.Part(request)
        if let refusal = try await contents.add(part, to: request.uploadIdentifier, .image, now: now()) {
            throw refusal
        }
        return Empty()
    }

    /// Replaces the product's image, which then waits for review, and returns its app, too. A repeated commit returns
    /// the image's current state.
    /// - Throws: `notFound`, also when another image has replaced it, or `requestInvalid` while parts are missing. It
    ///   is `requestInvalid` with 422 when it is not a PNG or JPEG of 1024×1024. Then the upload is dropped.
    func commit(_ request: CommitContentRequest) async throws -> (reply: PromotionImage, apps: [String]) {
        let package = try await contents.package(request.uploadIdentifier, .image, now: now())
        try package.check(sent: request.length)
        var written: PromotionImage?
        if package.reply == nil {
            let (header, sha256) = try await examine(package)
            do {
                try check(header)
            } catch {
                try await contents.drop(package.id)
                throw error
            }
            _ = try await contents.commit(package, sha256: sha256, now: now()) { transaction in
                if let header { try await PromotionRepository.put(header, of: package, in: transaction) }
            }
            written = header.map { PromotionImage($0, of: package, sha256: sha256) }
        }
        // This process may have missed the first commit.
        try await loader.load(package.bundleId)
        // Another image may have replaced it meanwhile; it was in force nevertheless.
        guard let image = try await promotions.image(ofUpload: package.id) ?? written else {
            throw ContentRules.unknownUpload
        }
        return (image, [package.bundleId])
    }

    /// Reads the whole image, at most 4 MiB, off the bus's loop.
    @concurrent
    private func examine(
        _ package: ContentRepository.Package
    ) async throws -> (header: ImageHeader?, sha256: String) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(package.length))
        while bytes.count < package.length {
            try Task.checkCancellation()
            let more = try await contents.bytes(of: package.id, from: Int64(bytes.count))
            guard !more.isEmpty else { throw StoreError(.internal, "a part of an upload is missing") }
            bytes += more
        }
        return (ImageHeader(bytes), Hex.text(SHA256.hash(data: bytes)))
    }

    private func check(_ header: ImageHeader?) throws(StoreError) {
        let wanted = "a promotional image is a PNG or JPEG of \(PromotionSentences.size) pixels"
        guard let header else {
            throw Self.refusal("\(wanted); this is neither, by its first bytes", found: nil)
        }
        guard header.width == PromotionImage.side, header.height == PromotionImage.side else {
            throw Self.refusal("\(wanted); this one is \(header.description)", found: header.description)
        }
    }

    private static func refusal(_ message: String, found: String?) -> StoreError {
        var error = StoreError(.requestInvalid, message)
        error.status = 422
        if let found { error.details["found"] = .string(found) }
        return error
    }
}

extension PromotionImage {
    /// Creates the image that a commit stores.
    fileprivate init(_ header: ImageHeader, of package: ContentRepository.Package, sha256: String) {
        self.init(
            productIdentifier: package.productIdentifier, state: .waiting, format: header.format, width: header.width,
            height: header.height, length: package.length, sha256: sha256)
    }
}
