import HTTPTypes
import Hummingbird
import NIOCore
import StoreModels

/// An uploaded package, cut into parts that fit the bus. At most one part and one chunk of the connection are held,
/// whether the length is announced or not.
struct ContentUpload {
    private let request: Request

    /// - Throws: `bodyTooLarge` for an announced length that is too large, `requestInvalid` for one that is no number.
    init(_ request: Request) throws(StoreError) {
        self.request = request
        guard let text = request.headers[.contentLength] else { return }
        guard let length = Int64(text), length >= 0 else { throw .invalid("Content-Length", "must be a number") }
        guard length <= ContentPartRequest.contentMax else { throw Self.tooLarge }
    }

    func parts() -> Parts { Parts(body: request.body.makeAsyncIterator()) }

    fileprivate static var tooLarge: StoreError { RequestBodyReader.tooLarge(Int(ContentPartRequest.contentMax)) }

    /// The parts in order, each of `ContentPartRequest.bytesMax` bytes but the last.
    struct Parts {
        private var body: RequestBody.AsyncIterator
        private var held: [UInt8] = []
        private var received: Int64 = 0
        /// Bytes of all parts so far.
        private(set) var offset: Int64 = 0

        init(body: RequestBody.AsyncIterator) { self.body = body }

        /// - Returns: nil behind the last part.
        /// - Throws: `bodyTooLarge`; what the connection throws when it breaks, or is cut because nothing comes.
        @concurrent mutating func next(_ call: Call) async throws -> [UInt8]? {
            while held.count < ContentPartRequest.bytesMax {
                guard let chunk = try await nextChunk(call) else { break }
                received += Int64(chunk.readableBytes)
                guard received <= ContentPartRequest.contentMax else { throw ContentUpload.tooLarge }
                held.append(contentsOf: chunk.readableBytesView)
            }
            guard !held.isEmpty else { return nil }
            let part = Array(held.prefix(ContentPartRequest.bytesMax))
            held.removeFirst(part.count)
            offset += Int64(part.count)
            return part
        }

        @concurrent private mutating func nextChunk(_ call: Call) async throws -> ByteBuffer? {
            let cut = call.cut(after: HTTPLimits.contentStallMax)
            defer { cut.cancel() }
            return try await body.next()
        }
    }
}
