import BusService
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import StoreModels

/// An uploaded package or image, split into parts that fit a bus message. At most one part and one chunk of the
/// connection are held, whether the length is announced or not.
package struct ContentUpload {
    private let call: Call
    private let limit: Int64

    /// - Parameter limit: Maximum size in bytes. A larger upload is `bodyTooLarge`.
    /// - Throws: `bodyTooLarge` for an announced length that is too large, `requestInvalid` for one that is not a
    ///   number.
    package init(_ call: Call, limit: Int64 = ContentPartRequest.contentMax) throws(StoreError) {
        self.call = call
        self.limit = limit
        guard let text = call.request.headers[.contentLength] else { return }
        guard let length = Int64(text), length >= 0 else { throw .invalid("Content-Length", "must be a number") }
        guard length <= limit else { throw RequestBodyReader.tooLarge(Int(limit)) }
    }

    /// Sends the parts of an upload that Catalog has begun.
    /// - Returns: The request that puts the upload into force.
    /// - Throws: `bodyTooLarge`, Catalog's error, or the connection's when it breaks.
    @concurrent package func send(
        _ begun: BeginContentReply, _ services: ServiceCaller, _ addPart: Endpoint<ContentPartRequest, Empty>,
        _ context: CallContext
    ) async throws -> CommitContentRequest {
        var parts = Parts(body: call.request.body.makeAsyncIterator(), limit: limit)
        while let part = try await parts.next() {
            let request = ContentPartRequest(
                uploadIdentifier: begun.uploadIdentifier, offset: parts.offset - Int64(part.count),
                data: Data(part).base64EncodedString())
            _ = try await services.call(addPart, request, context: context)
        }
        return CommitContentRequest(uploadIdentifier: begun.uploadIdentifier, length: parts.offset)
    }

    /// The parts in order, each of `ContentPartRequest.bytesMax` bytes but the last.
    struct Parts {
        private var body: RequestBody.AsyncIterator
        private let limit: Int64
        private var held: [UInt8] = []
        private var received: Int64 = 0
        /// Bytes of all parts so far.
        private(set) var offset: Int64 = 0

        init(body: RequestBody.AsyncIterator, limit: Int64 = ContentPartRequest.contentMax) {
            self.body = body
            self.limit = limit
        }

        /// - Returns: The next part, or nil after the last one.
        /// - Throws: `bodyTooLarge`, or the connection's error when it breaks or is closed because no bytes arrive.
        @concurrent mutating func next() async throws -> [UInt8]? {
            while held.count < ContentPartRequest.bytesMax {
                guard let chunk = try await body.next() else { break }
                received += Int64(chunk.readableBytes)
                guard received <= limit else { throw RequestBodyReader.tooLarge(Int(limit)) }
                held.append(contentsOf: chunk.readableBytesView)
            }
            guard !held.isEmpty else { return nil }
            let part = Array(held.prefix(ContentPartRequest.bytesMax))
            held.removeFirst(part.count)
            offset += Int64(part.count)
            return part
        }
    }
}
