import Foundation
internal import StoreModels

/// Where one download's content lies: what has come so far, and the whole of it when it is complete.
///
/// ```
/// <directory>/<download>/content.part    as far as it has come
/// <directory>/<download>/content.etag    whose bytes these are
/// <directory>/<download>/<identifier>-<version>
/// ```
/// What an ended process has left is gone on with; another content under the same download begins anew.
struct ContentFile: Sendable {
    private let folder: URL
    private let part: URL
    private let tag: URL
    /// The complete content.
    let url: URL

    init(directory: URL, downloadId: String, contentIdentifier: String, contentVersion: String) {
        folder = directory.appendingPathComponent(PercentEncoding.encode(downloadId), isDirectory: true)
        part = folder.appendingPathComponent("content.part")
        tag = folder.appendingPathComponent("content.etag")
        url = folder.appendingPathComponent(PercentEncoding.encode("\(contentIdentifier)-\(contentVersion)"))
    }

    /// Whether all of it is there.
    var isComplete: Bool { FileManager.default.fileExists(atPath: url.path) }

    /// The bytes received so far.
    /// - Returns: Their number, and the entity tag of their content; no bytes without a known tag.
    func received() throws -> (count: Int64, etag: String?) {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard let etag = try? String(contentsOf: tag, encoding: .utf8),
            let size = try? FileManager.default.attributesOfItem(atPath: part.path)[.size] as? NSNumber
        else {
            try forget()
            return (0, nil)
        }
        return (size.int64Value, etag)
    }

    /// Appends the next bytes.
    func append(_ bytes: [UInt8], etag: String) throws {
        if !FileManager.default.fileExists(atPath: part.path) {
            try Data().write(to: part)
            try Data(etag.utf8).write(to: tag, options: .atomic)
        }
        let handle = try FileHandle(forWritingTo: part)
        defer { try? handle.close() }
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(bytes))
    }

    /// Discards the received bytes.
    func forget() throws {
        for url in [part, tag] where FileManager.default.fileExists(atPath: url.path) {
            try FileManager.default.removeItem(at: url)
        }
    }

    /// Marks the content as complete.
    func complete() throws {
        if !FileManager.default.fileExists(atPath: part.path) { try Data().write(to: part) }
        if isComplete { try FileManager.default.removeItem(at: url) }
        try FileManager.default.moveItem(at: part, to: url)
        try? FileManager.default.removeItem(at: tag)
    }

    /// Removes everything of it.
    func remove() { try? FileManager.default.removeItem(at: folder) }
}
