import Foundation

/// A directory of a test's own, removed when the value goes.
public final class TemporaryDirectory: Sendable {
    /// Absolute, without a trailing slash.
    public let path: String

    /// - Throws: The file system's error when the directory cannot be made.
    public init(prefix: String = "storebus") throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("\(prefix)-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// A path inside the directory.
    public func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Permission bits of a file, as `chmod` takes them, or nil when there is no such file.
    public static func permissions(_ path: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
