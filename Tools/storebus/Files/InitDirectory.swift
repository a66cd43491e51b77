import Glibc
import StoreHTTP
import StoreModels

/// The catalogues of `up --init`: `*.storekit` and `*.json` of a directory, in the order of their names.
struct InitDirectory: Hashable, Sendable {
    /// A catalogue and its app.
    struct File: Hashable, Sendable {
        /// Its name in the directory.
        let name: String
        /// Whether it is JSON that is no catalogue, such as `package.json`.
        let isSkipped: Bool

        /// Its name without the number that orders it: `App.storekit` of `10-App.storekit`.
        var nameWithoutNumber: String {
            guard let dash = name.firstIndex(of: "-"), dash > name.startIndex,
                name[..<dash].utf8.allSatisfy({ (0x30...0x39).contains($0) })
            else { return name }
            return String(name[name.index(after: dash)...])
        }

        /// The app of its name. A name without a dot, such as `App.storekit`, is the default app's.
        var bundleId: String {
            let stem = InitDirectory.stem(nameWithoutNumber) ?? ""
            return stem.utf8.contains(UInt8(ascii: ".")) ? String(stem) : EffectiveSettings.defaultBundleId
        }
    }

    let path: String
    let files: [File]

    /// - Throws: `fileNotFound` for a path that is no directory.
    init(_ path: String) throws(CLIError) {
        guard FileAccess.isDirectory(path) else {
            throw CLIError(
                .fileNotFound, "\(path) is no directory", hints: ["--init takes a directory of catalogues"])
        }
        self.path = path
        files = FileAccess.names(in: path).filter { Self.stem($0) != nil }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            .map { File(name: $0, isSkipped: Self.isSkipped($0, at: "\(path)/\($0)")) }
    }

    /// Whether the store gets a catalogue of the directory.
    var hasCatalogue: Bool { files.contains { !$0.isSkipped } }

    /// The name of a catalogue without its ending. Nil for other files.
    private static func stem(_ name: String) -> Substring? {
        [".storekit", ".json"].lazy
            .compactMap { name.hasSuffix($0) && !name.hasPrefix(".") ? name.dropLast($0.utf8.count) : nil }.first
    }

    /// The list of the files before the first import.
    var waiting: [ReadinessResponse.ImportedFile] {
        files.map {
            ReadinessResponse.ImportedFile(
                file: $0.name, bundleId: $0.bundleId, status: $0.isSkipped ? .skipped : .waiting)
        }
    }

    /// Reads a file. A refusal of one does not keep the others away.
    /// - Parameter taken: Apps that have a catalogue of this start.
    /// - Throws: Errors of the file, and `usage` for the second one of an app.
    func read(_ file: File, taken: [ExactText: String]) throws(CLIError) -> [UInt8] {
        let place = "\(path)/\(file.name)"
        let bytes = try CatalogFile.read(place)
        if let other = taken[file.bundleId] {
            throw CLIError(
                .usage, "\(place) and \(other) are both catalogues of \(file.bundleId)",
                hints: ["name each file after its app: com.example.app.storekit"])
        }
        return bytes
    }

    /// A file that cannot be read or parsed is not skipped. Its import has the error.
    private static func isSkipped(_ name: String, at path: String) -> Bool {
        guard !name.hasSuffix(".storekit"), let bytes = try? CatalogFile.read(path),
            let value = try? StrictJSON.parse(bytes)
        else { return false }
        return ["products", "subscriptionGroups"].allSatisfy { value[$0]?.arrayValue == nil }
    }
}
