import Foundation
internal import StoreHTTP
internal import StoreModels

/// Fetches the receipt into its file: `GET /v1/receipt` → `{"receiptData":"MII…"}`.
struct ReceiptQuery: Sendable {
    let gateway: GatewayClient
    let file: ReceiptFile

    /// - Returns: The error if the file is unchanged, or nil if it was written.
    func run() async -> (any Error)? {
        do {
            try file.write(try await ask())
            return nil
        } catch let error as URLError {
            return error
        } catch {
            return SKError(cause: error)
        }
    }

    private func ask() async throws -> Data {
        let response = try await gateway.send(HTTPCall(ReceiptRoutes.get))
        guard response.isSuccess else { throw StoreProblem(status: response.status, body: response.body) }
        let reply = try response.body(of: ReceiptRoutes.get)
        guard let data = Data(base64Encoded: reply.receiptData) else { throw CocoaError(.coderReadCorrupt) }
        return data
    }
}

/// The receipt's file, `<directory>/receipt`, in binary. A server expects it in Base64.
struct ReceiptFile: Sendable {
    let url: URL

    init(directory: URL) { url = directory.appendingPathComponent("receipt") }

    /// Writes the file atomically: a concurrent reader gets the old or the new one.
    func write(_ data: Data) throws {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url, options: .atomic)
    }
}
