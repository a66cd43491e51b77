import Foundation
import Testing

/// Paths are spelled in StoreHTTP alone.
@Suite struct PathLiteralTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Swift files of a folder, with their paths in the repository.
    private static func sources(of folder: String) throws -> [(path: String, text: String)] {
        let files = FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil)
        return try (files?.allObjects ?? []).compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.map {
            (String($0.path().dropFirst(root.path().count)), try String(contentsOf: $0, encoding: .utf8))
        }
    }

    @Test func `no path literal is outside StoreHTTP`() throws {
        var count = 0
        for folder in ["Services/Gateway", "Tools/storebus", "Shared", "Client"] {
            for (path, text) in try Self.sources(of: folder) where !path.hasPrefix("Shared/StoreHTTP/") {
                count += 1
                for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                    guard !line.drop(while: { $0 == " " }).hasPrefix("//") else { continue }
                    #expect(
                        !line.contains("\"/v1") && !line.contains("\"/admin/v1") && !line.contains("\"/inApps")
                            && !line.contains("\"/console/"),
                        "\(path):\(number + 1): \(line)")
                }
            }
        }
        #expect(count > 500, "the sources were found")
    }
}
