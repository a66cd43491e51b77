import StoreModels

/// One file that is imported.
struct CatalogImport: Hashable, Sendable {
    var file: String
    var bundleId: String
    /// Only to be judged.
    var isTrial = false

    func run(_ context: CommandContext) async throws(CLIError) -> ImportReport {
        let bytes = try CatalogFile.read(file)
        return try await context.progress.during("importing \(file)") { () throws(CLIError) in
            do throws(CLIError) {
                return try await CatalogFile.send(
                    bytes, file: file, bundleId: bundleId, to: context.api, isTrial: isTrial)
            } catch
                where isTrial && error.code.name == StoreErrorCode.requestInvalid.name
                && error.message.contains("dryRun")
            {
                throw CLIError(
                    CLIErrorCode(.notImplemented), "the store cannot judge a catalogue without putting it in force",
                    hints: [
                        "\(file) is well-formed JSON; nothing was imported",
                        "try it on a store of its own: storebus up --data DIR --port auto --bus-port auto --import FILE",
                    ])
            }
        }
    }

    /// - Parameter apps: as they are behind the import; of a trial none.
    static func answer(_ reports: [(CatalogImport, ImportReport)], apps: [App] = []) -> Answer {
        let lines = reports.map { one, report in
            "\(one.isTrial ? "would import" : "imported")  \(CatalogFile.summary(report, file: one.file))"
                + "  version \(report.catalogVersion) of \(one.bundleId)\n"
        }
        let notes = reports.flatMap { one, report in
            (report.notes + settings(report)).map { reports.count > 1 ? "\(one.bundleId): \($0)" : $0 }
        }
        let renewals = apps.compactMap { app in
            RenewalWords.note(app).map { reports.count > 1 ? "\(app.bundleId): \($0)" : $0 }
        }
        let first = reports.first?.0.bundleId ?? EffectiveSettings.defaultBundleId
        let data = reports.map { one, report -> JSONValue in
            var members = JSONText.value(report).objectValue ?? [:]
            members["file"] = .string(one.file)
            return .object(members)
        }
        return Answer(
            lines.joined(), data: data.count == 1 ? data[0] : .array(data), names: reports.map(\.0.bundleId),
            next: "storebus product list\(Known.option(first))", notes: notes + renewals)
    }

    static func settings(_ report: ImportReport) -> [String] {
        var notes: [String] = []
        if !report.settingsApplied.isEmpty {
            notes.append("settings applied: \(report.settingsApplied.joined(separator: ", "))")
        }
        if !report.settingsIgnored.isEmpty {
            notes.append("settings kept without effect: \(report.settingsIgnored.joined(separator: ", "))")
        }
        return notes
    }
}
