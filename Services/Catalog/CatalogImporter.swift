import BusService
import FoundationEssentials
import StoreModels

/// Imports files in parts: begin, parts, commit. The catalogue in force changes only with the commit.
struct CatalogImporter: Sendable {
    let imports: ImportRepository
    let loader: AppLoader
    /// The wall clock, by which imports expire, because they outlive the process.
    let now: @Sendable () -> Timestamp

    /// Begins an import.
    /// - Throws: `requestInvalid`, `bodyTooLarge`, `rateLimited`.
    func begin(_ request: BeginImportRequest) async throws -> BeginImportReply {
        try AppRules.check(bundleId: request.bundleId)
        guard request.byteCount > 0 else { throw StoreError(.requestInvalid, "$.byteCount: must be more than 0") }
        guard request.byteCount <= ImportLimits.fileBytesMax else {
            throw StoreError(
                .bodyTooLarge, "a catalogue has at most \(ImportLimits.fileBytesMax) bytes, not \(request.byteCount)")
        }
        if let data = request.data { try Self.check(data) }
        let fileName = request.fileName.map { String($0.prefix(255)) } ?? "catalog.storekit"
        let identifier = RandomIdentifier.hex(digits: 24)
        try await imports.begin(identifier, request, fileName: fileName, now: now())
        return BeginImportReply(importIdentifier: identifier)
    }

    /// Stores a part of the file, or replaces it.
    /// - Throws: `notFound`, `requestInvalid`, `bodyTooLarge`.
    func add(_ request: ImportPartRequest) async throws -> Empty {
        guard (0..<ImportLimits.partsMax).contains(request.index) else {
            throw StoreError(.requestInvalid, "$.index: must be from 0 to \(ImportLimits.partsMax - 1)")
        }
        try Self.check(request.data)
        try await imports.put(request, now: now())
        return Empty()
    }

    private static func check(_ part: Data) throws(StoreError) {
        guard !part.isEmpty else { throw StoreError(.requestInvalid, "$.data: must not be empty") }
        guard part.count <= ImportPartRequest.byteCountMax else {
            throw StoreError(.bodyTooLarge, "a part has at most \(ImportPartRequest.byteCountMax) bytes")
        }
    }

    /// Reads, validates and activates the file. A repeated commit gets the same reply.
    /// - Throws: `notFound`, `requestInvalid` while parts are missing, or `catalogInvalid` with all problems.
    func commit(_ request: CommitImportRequest) async throws -> ImportReport {
        while true {
            try Task.checkCancellation()
            let upload = try await imports.upload(request.importIdentifier, now: now())
            if let outcome = upload.outcome { return try outcome.report() }
            try checkComplete(upload)
            switch try await commit(request.importIdentifier, upload) {
            case .done(_, let report): return report
            case .repeated(let outcome): return try outcome.report()
            case .stale: continue
            }
        }
    }

    /// Reads and validates the file without activating it. The report has the version in force, which stays. The import
    /// is deleted afterwards in every case.
    /// - Throws: As ``commit(_:)``.
    func judge(_ request: CommitImportRequest) async throws -> ImportReport {
        let upload = try await imports.upload(request.importIdentifier, now: now())
        if let outcome = upload.outcome { return try outcome.report() }
        try checkComplete(upload)
        let verdict: Result<ImportReport, any Error>
        do {
            let version = loader.directory.snapshot(of: upload.bundleId)?.app.catalogVersion ?? 0
            verdict = .success(
                ImportReport(try await Self.read(upload), bundleId: upload.bundleId, catalogVersion: version))
        } catch {
            verdict = .failure(error)
        }
        try await imports.discard(request.importIdentifier)
        return try verdict.get()
    }

    private func commit(_ identifier: String, _ upload: ImportRepository.Upload) async throws -> ImportRepository.Commit
    {
        let file: StoreKitFileReader.Result
        do {
            file = try await Self.read(upload)
        } catch {
            return try await imports.refuse(identifier, upload, error)
        }
        let defaults = AppSettings(name: AppRules.name(fileName: upload.fileName, bundleId: upload.bundleId))
        let gracePeriod = file.settings.billingGracePeriod
        let commit = try await imports.commit(
            identifier, upload, defaults: defaults, billingGracePeriod: gracePeriod
        ) { version in
            ImportReport(file, bundleId: upload.bundleId, catalogVersion: version)
        }
        if case .done(let row, _) = commit, !loader.directory.advance(row, to: file.catalog) {
            try await loader.load(upload.bundleId)
        }
        return commit
    }

    /// Parses a file off the bus's loop, because a large one takes a while.
    @concurrent
    private static func read(
        _ upload: ImportRepository.Upload
    ) async throws(StoreError) -> StoreKitFileReader.Result {
        try StoreKitFileReader.read(upload.bytes, fileName: upload.fileName)
    }

    private func checkComplete(_ upload: ImportRepository.Upload) throws(StoreError) {
        for (expected, index) in upload.partIndexes.enumerated() where expected != index {
            throw StoreError(.requestInvalid, "part \(expected) is missing; send it and commit again")
        }
        guard upload.bytes.count == upload.byteCount else {
            throw StoreError(
                .requestInvalid,
                """
                the import announced \(upload.byteCount) bytes and has \(upload.bytes.count); \
                send part \(upload.partIndexes.count) and commit again
                """)
        }
    }
}

extension ImportReport {
    init(_ file: StoreKitFileReader.Result, bundleId: String, catalogVersion: Int64) {
        self.init(
            bundleId: bundleId, catalogVersion: catalogVersion, fileVersion: file.fileVersion,
            productCount: file.catalog.products.count, subscriptionGroupCount: file.catalog.subscriptionGroupCount,
            introductoryOfferCount: file.catalog.introductoryOfferCount, settingsApplied: file.settings.applied,
            settingsIgnored: file.settings.ignored, notes: file.notes)
        promotionalOfferCount = file.catalog.promotionalOfferCount
        winBackOfferCount = file.catalog.redeemableOfferCount(.winBack)
        offerCodeCount = file.catalog.redeemableOfferCount(.code)
    }
}
