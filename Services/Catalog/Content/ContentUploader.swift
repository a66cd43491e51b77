import BusService
import Cryptography
import StoreModels

/// Stores uploads of hosted content in parts: begin, parts, commit. The content in force changes only with the commit.
struct ContentUploader: Sendable {
    let contents: ContentRepository
    let loader: AppLoader
    /// The wall clock, by which uploads expire, because they outlive the process.
    let now: @Sendable () -> Timestamp

    /// Begins an upload.
    /// - Throws: `notFound`, `productNotFound`, `catalogInvalid` unless the catalogue declares this version, or
    ///   `rateLimited` while too many uploads are open.
    func begin(_ request: BeginContentRequest) async throws -> BeginContentReply {
        let product = try loader.directory.product(request.productIdentifier, of: request.bundleId)
        let rules = try ContentRules(product)
        try rules.check(version: request.version)
        let identifier = RandomIdentifier.hex(digits: 24)
        try await contents.begin(identifier, .content, request, declaredLength: rules.declared.length, now: now())
        return BeginContentReply(uploadIdentifier: identifier)
    }

    /// Stores the next part. Repeating a part changes nothing.
    /// - Throws: `notFound`, `requestInvalid`, `bodyTooLarge`, or `catalogInvalid` beyond the declared length. Then the
    ///   upload is dropped.
    func add(_ request: ContentPartRequest) async throws -> Empty {
        let part = try ContentRepository.Part(request)
        if let refusal = try await contents.add(part, to: request.uploadIdentifier, now: now()) { throw refusal }
        return Empty()
    }

    /// Activates the package, and returns its app with the reply. A repeated commit gets the same reply.
    /// - Throws: `notFound`, `requestInvalid` while parts are missing, or `catalogInvalid` when the catalogue now
    ///   declares other content. Then the upload is dropped.
    func commit(_ request: CommitContentRequest) async throws -> (reply: CommitContentReply, apps: [String]) {
        let package = try await contents.package(request.uploadIdentifier, now: now())
        try package.check(sent: request.length)
        if let reply = package.reply {
            // This process may have missed the first commit.
            try await loader.load(package.bundleId)
            return (reply, [package.bundleId])
        }
        do {
            try checkDeclared(package)
        } catch {
            try await contents.drop(package.id)
            throw error
        }
        let sha256 = try await digest(of: package)
        let reply = try await contents.commit(package, sha256: sha256, now: now())
        try await loader.load(package.bundleId)
        return (reply, [package.bundleId])
    }

    private func checkDeclared(_ package: ContentRepository.Package) throws(StoreError) {
        let rules = try ContentRules(loader.directory.product(package.productIdentifier, of: package.bundleId))
        try rules.check(version: package.version)
        try rules.check(length: package.length)
    }

    /// Computes the SHA-256 of the whole package. It reads a few chunks at a time, off the bus's loop.
    @concurrent
    private func digest(of package: ContentRepository.Package) async throws -> String {
        var hash = SHA256()
        var offset: Int64 = 0
        while offset < package.length {
            try Task.checkCancellation()
            let bytes = try await contents.bytes(of: package.id, from: offset)
            guard !bytes.isEmpty else { throw StoreError(.internal, "a part of an upload is missing") }
            hash.update(data: bytes)
            offset += Int64(bytes.count)
        }
        return Hex.text(hash.finalize())
    }
}

extension ContentRepository.Package {
    /// Checks that all bytes have arrived.
    /// - Parameter length: The number of bytes that the uploader has sent.
    /// - Throws: `requestInvalid` while parts are missing.
    func check(sent length: Int64) throws(StoreError) {
        guard self.length == length else {
            throw StoreError(
                .requestInvalid,
                "$.length: \(length) bytes were sent and \(self.length) came; "
                    + "send the parts from \(self.length) on and commit again", details: ["path": "$.length"])
        }
    }
}
