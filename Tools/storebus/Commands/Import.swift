import ArgumentParser
import Glibc
import StoreHTTP
import StoreModels

/// `storebus import App.storekit`
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "import", "Import a catalogue and make it the current one.",
        """
        storebus import App.storekit
        storebus import A.storekit B.json --bundle-id com.example.a --bundle-id com.example.b
        storebus import App.storekit --watch

        Takes a StoreKit configuration file, or Storebus's own JSON, which adds states, prices and availability \
        per storefront. The store takes the whole file or refuses it and keeps the catalogue it has. Each file is \
        a whole catalogue, so each needs an app of its own.
        """)

    @Argument("The catalogue files.", "file", .file(extensions: ["storekit", "json"])) var files: [String]
    @Option("The app of the file with the same place in the line.", "id") var bundleId: [String] = []
    @Flag(help: "Only print the changes, without making them.") var dryRun = false
    @Flag(help: "Keep running, and import a file again whenever it changes.") var watch = false
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if dryRun, watch { throw ValidationError("--dry-run and --watch exclude each other") }
    }

    func run() async throws {
        var context = try CommandContext.find(global)
        var pairs = try CatalogFile.pair(files, bundleId, default: context.bundleId, flag: "FILE")
        // Every file is read before the first is sent: a misspelt name must not leave half of them imported.
        for one in pairs { _ = try CatalogFile.read(one.file) }
        if bundleId.isEmpty {
            context = try await context.withOnlyApp()
            pairs = try CatalogFile.pair(files, bundleId, default: context.bundleId, flag: "FILE")
        }
        let imports = pairs.map { CatalogImport(file: $0.file, bundleId: $0.bundleId, isTrial: dryRun) }
        var reports: [(CatalogImport, ImportReport)] = []
        for one in imports {
            reports.append((one, try await one.run(context)))
        }
        context.print(CatalogImport.result(reports, apps: dryRun ? [] : await Self.apps(imports, context)))
        if watch { try await CatalogWatch(imports: imports, context: context).run() }
    }

    /// Loads the apps. Without them only the notes about renewals are missing.
    private static func apps(_ imports: [CatalogImport], _ context: CommandContext) async -> [App] {
        var apps: [App] = []
        for one in imports {
            if let app = try? await context.api.call(AppRoutes.get, [.bundleId: one.bundleId]) { apps.append(app) }
        }
        return apps
    }
}

/// Imports files again when they change, until Ctrl-C. A rejected file leaves the catalogue in force.
struct CatalogWatch: Sendable {
    let imports: [CatalogImport]
    let context: CommandContext

    /// Delay after the last change, because editors save in several steps.
    private static let pause = Duration.milliseconds(300)

    /// Identifies a version of a file: modification time, size and inode.
    private struct Stamp: Hashable {
        var seconds: Int
        var nanoseconds: Int
        var size: Int64
        var node: UInt64
    }

    func run() async throws(CLIError) {
        var seen = imports.map { stamp($0.file) }
        context.narrate("watching \(imports.map(\.file).joined(separator: ", ")); Ctrl-C ends\n")
        while !Task.isCancelled {
            try? await ContinuousClock().sleep(for: Self.pause)
            for index in imports.indices {
                let now = stamp(imports[index].file)
                guard let now, now != seen[index] else { continue }
                seen[index] = now
                await again(imports[index])
            }
        }
    }

    private func again(_ one: CatalogImport) async {
        do throws(CLIError) {
            context.print(CatalogImport.result([(one, try await one.run(context))]))
        } catch {
            let error = error.completed(context.environment.printed)
            context.console.narrate(context.format.isJSON ? error.json + "\n" : error.text)
        }
    }

    private func stamp(_ file: String) -> Stamp? {
        guard let status = FileAccess.status(file) else { return nil }
        return Stamp(
            seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec, size: Int64(status.st_size),
            node: UInt64(status.st_ino))
    }
}

/// One file to import.
struct CatalogImport: Hashable, Sendable {
    var file: String
    var bundleId: String
    /// Whether the file is only checked.
    var isTrial = false

    func run(_ context: CommandContext) async throws(CLIError) -> ImportReport {
        let bytes = try CatalogFile.read(file)
        return try await context.progress.during("importing \(file)") { () throws(CLIError) in
            do throws(CLIError) {
                return try await CatalogFile.send(
                    bytes, file: file, bundleId: bundleId, to: context.api, isTrial: isTrial)
            } catch
                where isTrial && error.is(.requestInvalid)
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

    /// - Parameter apps: The apps after the import. Empty for a trial.
    static func result(_ reports: [(CatalogImport, ImportReport)], apps: [App] = []) -> CommandResult {
        let lines = reports.map { one, report in
            "\(one.isTrial ? "would import" : "imported")  \(CatalogFile.summary(report, file: one.file))"
                + "  version \(report.catalogVersion) of \(one.bundleId)\n"
        }
        let notes = reports.flatMap { one, report -> [Advice] in
            (report.notes.map { Advice($0) } + settings(report))
                .map { reports.count > 1 ? "\(one.bundleId): \($0)" : $0 }
        }
        let renewals = apps.compactMap { app -> Advice? in
            RenewalFormat.note(app).map { reports.count > 1 ? "\(app.bundleId): \($0)" : $0 }
        }
        let first = reports.first?.0.bundleId ?? EffectiveSettings.defaultBundleId
        let data = reports.map { one, report -> JSONValue in
            JSONText.value(report).with(["file": .string(one.file)])
        }
        return CommandResult(
            lines.joined(), data: data.count == 1 ? data[0] : .array(data), names: reports.map(\.0.bundleId),
            next: "storebus product list\(AppOptions.flag(first))", notes: notes + renewals)
    }

    static func settings(_ report: ImportReport) -> [Advice] {
        var notes: [Advice] = []
        if !report.settingsApplied.isEmpty {
            notes.append("settings applied: \(report.settingsApplied.joined(separator: ", "))")
        }
        if !report.settingsIgnored.isEmpty {
            notes.append("settings kept without effect: \(report.settingsIgnored.joined(separator: ", "))")
        }
        return notes
    }
}

/// A `.storekit` file on its way to the store.
enum CatalogFile {
    /// Maximum size of a catalogue, in bytes, as the gateway accepts it.
    private static let byteCountMax = 128 * 1024 * 1024

    /// Reads a file and checks that it is JSON.
    static func read(_ file: String) throws(CLIError) -> [UInt8] {
        let bytes = try FileAccess.read(file, byteCountMax: byteCountMax)
        do {
            try StrictJSON.validate(bytes)
        } catch {
            let line = bytes.prefix(error.offset).count { $0 == UInt8(ascii: "\n") } + 1
            throw CLIError(
                CLIErrorCode(.catalogInvalid), "\(file):\(line): \(error.path): \(error.reason)",
                hints: [
                    "nothing was imported",
                    "a .storekit file is JSON, as Xcode saves it; an example: storebus export > Example.storekit",
                ], details: ["path": .string(error.path), "line": .integer(line)])
        }
        return bytes
    }

    /// Imports a file. An error names it.
    /// - Parameter fileName: The name for the store, from which a new app gets its own. Nil for the file's.
    static func send(
        _ bytes: [UInt8], file: String, fileName: String? = nil, bundleId: String, to api: StoreAPI,
        isTrial: Bool = false
    ) async throws(CLIError) -> ImportReport {
        try await naming(file) { () throws(CLIError) in
            try await api.importCatalog(
                bytes, fileName: fileName ?? name(file), bundleId: bundleId, isTrial: isTrial)
        }
    }

    /// Makes an isolated store with a file. An error names it.
    static func makeStore(
        _ bytes: [UInt8], file: String, _ new: NewStoreOptions, _ context: CommandContext
    ) async throws(CLIError) -> Received<IsolatedStoreResponse> {
        try await naming(file) { () throws(CLIError) in
            try await context.api.makeStore(
                bytes,
                query: [
                    "bundleId": context.bundleId, "fileName": name(file), "clock": new.clock, "ttl": new.ttl,
                    "seed": new.seed.map { "\($0)" },
                ])
        }
    }

    private static func naming<Output: Sendable>(
        _ file: String, _ body: () async throws(CLIError) -> Output
    ) async throws(CLIError) -> Output {
        do {
            return try await body()
        } catch  where error.is(.catalogInvalid) {
            var named = error
            // The sentence repeats the first place of the list.
            let count = error.details["problems"]?.arrayValue?.count ?? 0
            named.message =
                count > 0 ? "\(file) is refused for \(Format.count(count, "problem"))" : "\(file): \(error.message)"
            named.hints = ["nothing was imported; the catalogue in force stays"]
            throw named
        }
    }

    /// Pairs files with apps. A single file without a name is the default app's. Several files need a name each,
    /// because a second catalogue of one app would replace the first.
    /// - Parameter flag: The option for a file, `--import`.
    static func pair(
        _ files: [String], _ bundleIds: [String], default bundleId: String = EffectiveSettings.defaultBundleId,
        flag: String = "--import"
    ) throws(CLIError) -> [(file: String, bundleId: String)] {
        guard bundleIds.count <= files.count else {
            throw CLIError(
                .usage, "\(Format.count(bundleIds.count, "--bundle-id")) for \(Format.count(files.count, flag))",
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
        let others = [
            (report.subscriptionGroupCount, "group"), (report.introductoryOfferCount, "introductory offer"),
            (report.promotionalOfferCount ?? 0, "promotional offer"), (report.offerCodeCount ?? 0, "offer code"),
            (report.winBackOfferCount ?? 0, "win-back offer"),
        ]
        let parts =
            [Format.count(report.productCount, "product")]
            + others.filter { $0.0 > 0 }.map { Format.count($0.0, $0.1) }
        return "\(name(file)): \(parts.joined(separator: ", "))"
    }
}

/// `storebus export`
struct ExportCommand: OneAppCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        "export", "Print the catalogue in force, as it was imported.",
        """
        storebus export > App.storekit
        storebus export --format json --bundle-id com.example.a

        'storekit' is the imported file byte for byte, with its unknown members. 'json' is the same content on \
        one line with sorted members, for comparing. Storebus's own JSON is a .storekit file with more members, \
        so you can import both forms again.
        """)

    enum Form: String, CaseIterable, ExpressibleByArgument { case storekit, json }

    @Option("storekit or json.", "form") var format = Form.storekit
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let bytes = try await context.progress.during("exporting \(context.bundleId)") { () throws(CLIError) in
            try await context.api.exportCatalog(context.bundleId)
        }
        guard let catalogue = try? StrictJSON.parse(bytes) else {
            throw CLIError(.answerInvalid, "the export of \(context.api.url) is not JSON")
        }
        let text = format == .json ? JSONText.line(catalogue) + "\n" : String(decoding: bytes, as: UTF8.self)
        context.print(text, data: catalogue, names: [context.bundleId])
    }
}
