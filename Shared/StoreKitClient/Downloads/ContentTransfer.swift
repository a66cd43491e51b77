import Foundation
internal import StoreHTTP
internal import StoreModels

/// Fetches one content into its file, one range at a time.
///
/// A part bounds the memory used, and a broken connection costs only one part. `If-Range` prevents mixing the bytes of
/// two versions.
struct ContentTransfer: Sendable {
    let gateway: GatewayClient
    let timing: ClientTiming
    let downloadId: String
    /// The size of the whole content in bytes.
    let length: Int64
    let file: ContentFile
    /// Called after each part, with the number of bytes received so far.
    let progressed: @Sendable (Int64) -> Void

    /// Fetches the rest of the content.
    /// - Throws: ``StoreProblem`` when the gateway refuses the content, `URLError` when too many attempts failed, an
    ///   error of the file system, `CancellationError`.
    func run() async throws {
        guard !file.isComplete else { return progressed(length) }
        var (count, etag) = try file.received()
        if count > length { (count, etag) = try restart() }
        progressed(count)
        var attempts = 0
        var backoff = RetryBackoff(timing)
        while count < length {
            try Task.checkCancellation()
            do {
                let part = try await fetch(from: count, etag: etag)
                if let part {
                    try file.append(part.bytes, etag: part.etag)
                    (count, etag) = (count + Int64(part.bytes.count), part.etag)
                    progressed(count)
                    attempts = 0
                    backoff.reset()
                    continue
                }
                // The content was replaced.
                (count, etag) = try restart()
                progressed(0)
            } catch let error where Self.mayPass(error) {
                guard attempts < ClientLimits.contentAttemptsMax else { throw error }
                try await Task.sleep(for: backoff.next(atLeast: (error as? StoreProblem)?.retryAfter))
            }
            attempts += 1
            guard attempts <= ClientLimits.contentAttemptsMax else { throw URLError(.badServerResponse) }
        }
        try file.complete()
    }

    /// The size of a part, small enough that small content reports progress too.
    static func partBytes(of length: Int64) -> Int64 {
        min(max(length / 20, ClientLimits.contentPartBytes.lowerBound), ClientLimits.contentPartBytes.upperBound)
    }

    private func restart() throws -> (Int64, String?) {
        try file.forget()
        return (0, nil)
    }

    /// - Returns: The part, or nil if the content was replaced.
    private func fetch(from start: Int64, etag: String?) async throws -> (bytes: [UInt8], etag: String)? {
        let end = min(start + Self.partBytes(of: length), length)
        var call = HTTPCall(DownloadRoutes.content, [.id: downloadId])
        call.headers["Range"] = "bytes=\(start)-\(end - 1)"
        call.headers["If-Range"] = etag
        call.limit = Int(Self.partBytes(of: length))
        let response: HTTPResponse
        do {
            response = try await gateway.send(call)
        } catch let error as URLError where error.code == .dataLengthExceedsMaximum {
            // The gateway sent the whole content, because it was replaced.
            return nil
        }
        switch response.status {
        case 206:
            let begins = response.headers["content-range"]?.hasPrefix("bytes \(start)-") ?? false
            guard begins, !response.body.isEmpty, let tag = response.headers["etag"], tag == etag ?? tag else {
                return nil
            }
            return (response.body, tag)
        case 200 where start == 0 && response.body.count == length:
            return (response.body, response.headers["etag"] ?? "")
        case 200, 416: return nil
        default: throw StoreProblem(status: response.status, body: response.body)
        }
    }

    private static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case let problem as StoreProblem: problem.status >= 500 || problem.status == 429
        case let error as URLError: error.code != .cancelled && error.code != .dataLengthExceedsMaximum
        default: false
        }
    }
}
