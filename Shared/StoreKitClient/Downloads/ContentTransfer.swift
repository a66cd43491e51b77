import Foundation
internal import StoreHTTP
internal import StoreModels

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Fetches one content into its file, part by part.
///
/// One range at a time, so that a fast store and a slow disk never meet in memory, and so that a broken connection
/// costs a part. `If-Range` keeps two versions of the bytes from being mixed.
struct ContentTransfer: Sendable {
    let gateway: GatewayClient
    let timing: ClientTiming
    let downloadId: String
    let length: Int64
    let file: ContentFile
    /// Called after each part, with the number of bytes received so far.
    let progressed: @Sendable (Int64) -> Void

    /// - Throws: ``StoreProblem`` when the store does not give it, `URLError` when it could not be reached often
    ///   enough, an error of the file system, `CancellationError`.
    func run() async throws {
        guard !file.isComplete else { return progressed(length) }
        var (count, etag) = try file.received()
        if count > length { (count, etag) = try restart() }
        progressed(count)
        var attempts = 0
        var backoff = Backoff(timing)
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
                // The store has other bytes by now.
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

    /// The size of a part, chosen so that the progress of small content shows too.
    static func partBytes(of length: Int64) -> Int64 {
        min(max(length / 20, ClientLimits.contentPartBytes.lowerBound), ClientLimits.contentPartBytes.upperBound)
    }

    private func restart() throws -> (Int64, String?) {
        try file.forget()
        return (0, nil)
    }

    /// - Returns: Nil when the content is not the one that was begun with.
    private func fetch(from start: Int64, etag: String?) async throws -> (bytes: [UInt8], etag: String)? {
        let end = min(start + Self.partBytes(of: length), length)
        var call = HTTPCall(DownloadRoutes.content, [.id: downloadId])
        call.headers["Range"] = "bytes=\(start)-\(end - 1)"
        call.headers["If-Range"] = etag
        call.limit = Int(Self.partBytes(of: length))
        let answer: HTTPAnswer
        do {
            answer = try await gateway.send(call)
        } catch let error as URLError where error.code == .dataLengthExceedsMaximum {
            // The whole of it instead of a part.
            return nil
        }
        switch answer.status {
        case 206:
            let begins = answer.headers["content-range"]?.hasPrefix("bytes \(start)-") ?? false
            guard begins, !answer.body.isEmpty, let tag = answer.headers["etag"], tag == etag ?? tag else { return nil }
            return (answer.body, tag)
        case 200 where start == 0 && answer.body.count == length: return (answer.body, answer.headers["etag"] ?? "")
        case 200, 416: return nil
        default: throw StoreProblem(status: answer.status, body: answer.body)
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
