import Foundation

/// The receipt on this device: `<directory>/receipt`, binary; a server expects it in base64.
struct ReceiptFile: Sendable {
    let url: URL

    init(directory: URL) { url = directory.appendingPathComponent("receipt") }

    /// Writes atomically: a concurrent reader gets the old file.
    func write(_ data: Data) throws {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url, options: .atomic)
    }
}
