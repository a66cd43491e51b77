import StoreModels

/// A `.storekit` file on its way to the store.
enum CatalogFile {
    /// `http-api.md`, limits.
    private static let byteCountMax = 128 * 1024 * 1024

    /// The file, checked as far as that needs no catalogue: it is there and it is JSON.
    static func read(_ file: String) throws(CLIError) -> [UInt8] {
        let bytes = try FileAccess.read(file, byteCountMax: byteCountMax)
        do {
            try StrictJSON.validate(bytes)
        } catch {
            let line = bytes.prefix(error.offset).count { $0 == UInt8(ascii: "\n") } + 1
            throw CLIError(
                CLIErrorCode(.catalogInvalid), "\(file):\(line): \(error.path): \(error.reason)",
                hints: ["nothing was imported"], details: ["path": .string(error.path), "line": .integer(line)])
        }
        return bytes
    }

    /// Puts it in force; an error names the file.
    static func send(
        _ bytes: [UInt8], file: String, bundleId: String, to api: StoreAPI, isTrial: Bool = false
    ) async throws(CLIError) -> ImportReport {
        do {
            return try await api.importCatalog(bytes, fileName: name(file), bundleId: bundleId, isTrial: isTrial)
        } catch  where error.code.name == StoreErrorCode.catalogInvalid.name {
            var named = error
            // With a list of places the sentence would only say the first of them again.
            let count = error.details["problems"]?.arrayValue?.count ?? 0
            named.message =
                count > 0 ? "\(file) is refused for \(Words.count(count, "problem"))" : "\(file): \(error.message)"
            named.hints = ["nothing was imported; the catalogue in force stays"]
            throw named
        }
    }

    /// Files with their apps: a single one may go without a name and is the default app's, every other needs its own,
    /// because a second catalogue of one app would take the place of the first.
    /// - Parameter flag: how the command line names a file, `--import`.
    static func pair(
        _ files: [String], _ bundleIds: [String], default bundleId: String = EffectiveSettings.defaultBundleId,
        flag: String = "--import"
    ) throws(CLIError) -> [(file: String, bundleId: String)] {
        guard bundleIds.count <= files.count else {
            throw CLIError(
                .usage, "\(Words.count(bundleIds.count, "--bundle-id")) for \(Words.count(files.count, flag))",
                hints: ["each --bundle-id belongs to one \(flag == "FILE" ? flag : "\(flag) FILE")"])
        }
        let names = bundleIds + (bundleIds.isEmpty && files.count == 1 ? [bundleId] : [])
        guard names.count == files.count, Set(names).count == names.count else {
            throw CLIError(
                .usage, "\(files.count) catalogues need \(files.count) different apps",
                hints: ["name one for each file: --bundle-id com.example.a --bundle-id com.example.b"])
        }
        return Array(zip(files, names)).map { (file: $0, bundleId: $1) }
    }

    private static func name(_ file: String) -> String { file.split(separator: "/").last.map(String.init) ?? file }

    /// `App.storekit: 3 products, 1 group, 1 introductory offer`
    static func summary(_ report: ImportReport, file: String) -> String {
        var parts = [Words.count(report.productCount, "product")]
        if report.subscriptionGroupCount > 0 { parts.append(Words.count(report.subscriptionGroupCount, "group")) }
        if report.introductoryOfferCount > 0 {
            parts.append(Words.count(report.introductoryOfferCount, "introductory offer"))
        }
        return "\(name(file)): \(parts.joined(separator: ", "))"
    }
}
