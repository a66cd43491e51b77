import Foundation
internal import StoreModels

/// The files of one download's content, partial and complete.
///
/// ```
/// <directory>/<download>/content.part    the bytes received so far
/// <directory>/<download>/content.etag    the entity tag of these bytes
/// <directory>/<download>/<identifier>-<version>    the complete content
/// ```
/// A download continues after a restart of the process. Different content under the same download begins anew.
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

    /// Whether the complete content exists.
    var isComplete: Bool { FileManager.default.fileExists(atPath: url.path) }

    /// Reads how much of the content has arrived, and creates the folder.
    /// - Returns: The number of bytes and the entity tag of their content. The number is zero without a tag.
    /// - Throws: An error of the file system.
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

    /// Appends the next bytes, and writes the entity tag with the first ones.
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

    /// Moves the received bytes to `url`.
    func complete() throws {
        if !FileManager.default.fileExists(atPath: part.path) { try Data().write(to: part) }
        if isComplete { try FileManager.default.removeItem(at: url) }
        try FileManager.default.moveItem(at: part, to: url)
        try? FileManager.default.removeItem(at: tag)
    }

    /// Removes the folder with all its files.
    func remove() { try? FileManager.default.removeItem(at: folder) }
}
