import BusService
import Crypto
import StoreModels

/// Takes hosted content in parts: begin, parts, commit. The content in force changes with the commit and not before.
struct ContentUploader: Sendable {
    let contents: ContentRepository
    let loader: AppLoader
    /// The wall clock: uploads are forgotten by it, because they outlive the process.
    let now: @Sendable () -> Timestamp

    /// - Throws: `notFound`, `productNotFound`; `catalogInvalid` when the catalogue declares another version or none;
    ///   `rateLimited` while too many uploads are under way.
    func begin(_ request: BeginContentRequest) async throws -> BeginContentReply {
        let product = try loader.directory.product(request.productIdentifier, of: request.bundleId)
        let rules = try ContentRules(product)
        try rules.check(version: request.version)
        let identifier = RandomIdentifier.hex(digits: 24)
        try await contents.begin(identifier, .content, request, declaredLength: rules.declared.length, now: now())
        return BeginContentReply(uploadIdentifier: identifier)
    }

    /// Stores the part that comes next. The same part again changes nothing.
    /// - Throws: `notFound`, `requestInvalid`, `bodyTooLarge`; `catalogInvalid` beyond the declared length, and then
    ///   the upload is forgotten.
    func add(_ request: ContentPartRequest) async throws -> Empty {
        let part = try ContentRepository.Part(request)
        if let refusal = try await contents.add(part, to: request.uploadIdentifier, now: now()) { throw refusal }
        return Empty()
    }

    /// Puts the package in force. Again it gives the same answer.
    /// - Throws: `notFound`; `requestInvalid` while parts are missing; `catalogInvalid` when it is not what the
    ///   catalogue declares by now, and then the upload is forgotten.
    func commit(_ request: CommitContentRequest) async throws -> CommitContentReply {
        let package = try await contents.package(request.uploadIdentifier, now: now())
        try package.check(sent: request.length)
        if let reply = package.reply {
            // The first commit may have been lost on its way here.
            try await loader.load(package.bundleId)
            return reply
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
        return reply
    }

    private func checkDeclared(_ package: ContentRepository.Package) throws(StoreError) {
        let rules = try ContentRules(loader.directory.product(package.productIdentifier, of: package.bundleId))
        try rules.check(version: package.version)
        try rules.check(length: package.length)
    }

    /// SHA-256 over the whole package, a few chunks at a time, and not on the bus's loop.
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
        return hash.finalize().hexadecimal
    }
}

extension ContentRepository.Package {
    /// - Parameter length: what the uploader has counted.
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
