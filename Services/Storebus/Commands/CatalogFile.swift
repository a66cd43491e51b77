import StoreModels

/// A `.storekit` file on its way to the store.
package enum CatalogFile {
    /// `http-api.md`, limits.
    private static let byteCountMax = 128 * 1024 * 1024

    /// The file, checked as far as that needs no catalogue: it is there and it is JSON.
    package static func read(_ file: String) throws(CLIError) -> [UInt8] {
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
    package static func send(
        _ bytes: [UInt8], file: String, bundleId: String, to api: StoreAPI
    ) async throws(CLIError) -> ImportReport {
        do {
            return try await api.importCatalog(bytes, fileName: name(file), bundleId: bundleId)
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

    private static func name(_ file: String) -> String { file.split(separator: "/").last.map(String.init) ?? file }

    /// `App.storekit: 3 products, 1 group, 1 introductory offer`
    package static func summary(_ report: ImportReport, file: String) -> String {
        var parts = [Words.count(report.productCount, "product")]
        if report.subscriptionGroupCount > 0 { parts.append(Words.count(report.subscriptionGroupCount, "group")) }
        if report.introductoryOfferCount > 0 {
            parts.append(Words.count(report.introductoryOfferCount, "introductory offer"))
        }
        return "\(name(file)): \(parts.joined(separator: ", "))"
    }
}
