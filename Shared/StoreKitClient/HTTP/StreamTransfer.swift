import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Passes bytes to one reader as they arrive.
///
/// `URLSession` has no back-pressure, so the bytes that wait for the reader are limited. Beyond `bytesMax` the transfer
/// ends with `dataLengthExceedsMaximum`.
final class StreamTransfer: Transfer {
    /// A part of a response.
    enum Part: Sendable {
        case head(HTTPResponse)
        case data(Data)
    }

    let parts: AsyncThrowingStream<Part, any Error>
    private let continuation: AsyncThrowingStream<Part, any Error>.Continuation
    private let bytesMax: Int
    private let waiting = LockedValue(0)

    init(bytesMax: Int) {
        self.bytesMax = bytesMax
        (parts, continuation) = AsyncThrowingStream.makeStream()
    }

    func received(_ response: HTTPURLResponse) { continuation.yield(.head(HTTPResponse(response))) }

    func received(_ data: Data) -> Bool {
        let isWithinBound = waiting.withLock { waiting in
            waiting += data.count
            return waiting <= bytesMax
        }
        if isWithinBound {
            continuation.yield(.data(data))
        } else {
            continuation.finish(throwing: URLError(.dataLengthExceedsMaximum))
        }
        return isWithinBound
    }

    func ended(_ error: (any Error)?) { continuation.finish(throwing: error) }

    /// Records that the reader has processed `count` bytes.
    func consumed(_ count: Int) { waiting.withLock { $0 -= count } }
}
