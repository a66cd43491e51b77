import HTTPTypes
import Hummingbird
import NIOCore
import StoreModels

/// An uploaded file, split into parts that fit a bus message.
///
/// With a `Content-Length` at most one part is held in memory. Without one the size must be known before the first part
/// is sent, so up to 8 MiB are held and larger files are rejected.
struct CatalogUpload {
    private let request: Request
    private let announced: Int?

    /// - Throws: `bodyTooLarge`, `requestInvalid`.
    init(_ request: Request) throws(StoreError) {
        self.request = request
        if let text = request.headers[.contentLength] {
            guard let length = Int(text), length >= 0 else { throw .invalid("Content-Length", "must be a number") }
            guard length <= HTTPLimits.catalogBytesMax else {
                throw RequestBodyReader.tooLarge(HTTPLimits.catalogBytesMax)
            }
            announced = length
        } else {
            announced = nil
        }
    }

    /// Begins reading the parts. Without a `Content-Length` it reads the whole file first.
    /// - Throws: `requestInvalid` (411) for a file that is too large to be held.
    @concurrent func start() async throws -> Parts {
        if let announced { return Parts(byteCount: announced, body: request.body.makeAsyncIterator()) }
        var held: [UInt8] = []
        for try await chunk in request.body {
            held.append(contentsOf: chunk.readableBytesView)
            guard held.count <= HTTPLimits.unannouncedCatalogBytesMax else {
                throw StoreError.invalid(
                    "Content-Length", "is missing; a catalogue this large must announce it", status: 411)
            }
        }
        return Parts(byteCount: held.count, body: RequestBody(buffer: ByteBuffer(bytes: held)).makeAsyncIterator())
    }

    /// The parts in order, each of `ImportPartRequest.byteCountMax` bytes but the last.
    struct Parts {
        /// The size of the whole file.
        let byteCount: Int
        private var body: RequestBody.AsyncIterator
        private var held: [UInt8] = []
        private var taken = 0
        private var isAtEnd = false

        init(byteCount: Int, body: RequestBody.AsyncIterator) {
            self.byteCount = byteCount
            self.body = body
        }

        /// - Returns: The next part, or nil after the last one. An empty file has one empty part, so that Catalog
        ///   reports the fault.
        @concurrent mutating func next() async throws -> [UInt8]? {
            while held.count < ImportPartRequest.byteCountMax, !isAtEnd {
                guard let chunk = try await body.next() else {
                    isAtEnd = true
                    break
                }
                held.append(contentsOf: chunk.readableBytesView)
            }
            guard !held.isEmpty || taken == 0 else { return nil }
            let part = Array(held.prefix(ImportPartRequest.byteCountMax))
            held.removeFirst(part.count)
            taken += 1
            return part
        }
    }
}
