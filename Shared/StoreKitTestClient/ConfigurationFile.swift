/// Finds a `.storekit` file by its name, where a test's package or its bundle may have it.
struct ConfigurationFile {
    private static let fileExtension = ".storekit"
    /// The entries of `Tests` that are looked at.
    private static let entriesMax = 10_000

    /// The file's name with its extension.
    let name: String
    /// The module of the caller.
    let module: String
    /// The folder of the caller's source.
    let source: URL

    /// - Parameters:
    ///   - name: With or without the extension.
    ///   - fileID: The caller's `#fileID`, whose first part is the module.
    init(_ name: String, filePath: String, fileID: String) {
        self.name = name.hasSuffix(Self.fileExtension) ? name : name + Self.fileExtension
        module = fileID.split(separator: "/").first.map(String.init) ?? ""
        source = URL(fileURLWithPath: filePath).deletingLastPathComponent()
    }

    /// Returns the nearest file.
    /// - Throws: ``SKTestError/fileNotFound`` with the places that were searched.
    func find(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws -> URL {
        var places: [URL] = []
        if let folder = environment["STOREBUS_STOREKIT_DIRECTORY"] { places.append(URL(fileURLWithPath: folder)) }
        places += resourceBundles.flatMap { [$0] + folders(in: $0) } + packageFolders
        for place in places {
            let file = place.appendingPathComponent(name)
            if FileManager.default.fileExists(atPath: file.path) { return file }
        }
        let tests = packageFolders.last?.appendingPathComponent("Tests")
        if let tests, let file = search(tests) { return file }
        let searched = (places + [tests].compactMap(\.self)).map(\.path).joined(separator: ", ")
        throw SKTestError(.fileNotFound, "there is no \(name) in \(searched); set STOREBUS_STOREKIT_DIRECTORY")
    }

    /// The resource bundles beside the tests, `<package>_<target>.resources`. Those of the caller's module come first.
    private var resourceBundles: [URL] {
        let all = folders(in: Bundle.main.bundleURL).filter { $0.pathExtension == "resources" }
        let isOwn = { (bundle: URL) in bundle.deletingPathExtension().lastPathComponent.hasSuffix("_\(module)") }
        return all.filter(isOwn) + all.filter { !isOwn($0) }
    }

    /// The folders from the source upwards to the package's, each with its `Resources`.
    private var packageFolders: [URL] {
        var (places, folder): ([URL], URL) = ([], source)
        while true {
            places += [folder.appendingPathComponent("Resources"), folder]
            let manifest = folder.appendingPathComponent("Package.swift").path
            guard !FileManager.default.fileExists(atPath: manifest), folder.path != "/" else { return places }
            folder = folder.deletingLastPathComponent()
        }
    }

    private func folders(in folder: URL) -> [URL] {
        let found = try? FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: [.isDirectoryKey])
        return (found ?? []).filter(\.hasDirectoryPath).sorted { $0.path < $1.path }
    }

    private func search(_ folder: URL) -> URL? {
        guard let entries = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else {
            return nil
        }
        for (count, entry) in entries.enumerated() {
            guard count < Self.entriesMax else { return nil }
            if let file = entry as? URL, file.lastPathComponent == name { return file }
        }
        return nil
    }
}
