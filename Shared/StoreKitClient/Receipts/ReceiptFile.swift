import Foundation

/// The receipt on this device: `<directory>/receipt`, binary, as a server wants it in base64.
struct ReceiptFile: Sendable {
    let url: URL

    init(directory: URL) { url = directory.appendingPathComponent("receipt") }

    /// Whole or not at all: whoever reads meanwhile has the old one.
    func write(_ data: Data) throws {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url, options: .atomic)
    }
}
