import HTTPTypes
import Hummingbird
import NIOCore
import PlantedBugs
import StoreModels

/// Reads JSON bodies, strictly and within a size.
package enum RequestBodyReader {
    /// Decodes a JSON body, and rejects an unknown member.
    /// - Parameters:
    ///   - isOptional: Whether a missing body counts as `{}`.
    ///   - max: Maximum size in bytes. More is `bodyTooLarge`.
    /// - Throws: `bodyTooLarge`, `requestInvalid`.
    // Swift 6.3's optimizer crashes (coroutine splitting) on handlers that this is inlined into.
    @inline(never)
    static func json<Value: Decodable>(
        _ type: Value.Type, from request: Request, isOptional: Bool, max: Int
    ) async throws -> Value {
        let bytes = try await self.bytes(of: request, max: max)
        if bytes.isEmpty && isOptional { return try StoreJSON.decodeStrictly(type, from: Array("{}".utf8)) }
        try checkContentType(request.headers)
        return try StoreJSON.decodeStrictly(type, from: bytes)
    }

    /// Rejects bodies of another type than JSON. This also prevents cross-site posts of a form (S18). A body without a
    /// type is read as JSON, but not from a web page: browsers ask no permission before they send one.
    package static func checkContentType(_ headers: HTTPFields) throws(StoreError) {
        if let encoding = headers[.contentEncoding], encoding.lowercased() != "identity" {
            throw .invalid("Content-Encoding", "must be absent: compressed bodies are not read", status: 415)
        }
        guard let text = headers[.contentType] else {
            guard headers[.origin] == nil else {
                throw .invalid("Content-Type", "must be application/json in a web page's request", status: 415)
            }
            return
        }
        let type = text.split(separator: ";")[...].first.map { $0.filter { $0 != " " }.lowercased() } ?? ""
        guard type == "application/json" || type.hasPrefix("application/") && type.hasSuffix("+json") else {
            throw .invalid("Content-Type", "must be application/json", status: 415)
        }
    }

    /// Reads the raw body, for callers that parse it themselves. It waits for no client: a request begins when its body
    /// has arrived, or when it is too large.
    /// - Throws: `bodyTooLarge`.
    static func bytes(of request: Request, max limit: Int) async throws -> [UInt8] {
        var isWhole = Arrival.isWhole(request.headers)
        // The handler waits for the client, as it did while a request took its place with its head.
        if PlantedBug.isActive(.halvesHoldPermits) { isWhole = true }
        // A chunked body that is not whole has arrived until it was too large, or until its framing was wrong.
        guard isWhole || request.headers[.contentLength] == nil else { throw tooLarge(limit) }
        var bytes: [UInt8] = []
        for try await chunk in request.body {
            guard bytes.count + chunk.readableBytes <= limit else { throw tooLarge(limit) }
            bytes.append(contentsOf: chunk.readableBytesView)
        }
        guard isWhole else { throw tooLarge(limit) }
        return bytes
    }

    /// The error for a body of more than `limit` bytes.
    package static func tooLarge(_ limit: Int) -> StoreError {
        StoreError(.bodyTooLarge, "the body is larger than \(limit) bytes", details: ["limit": .integer(limit)])
    }
}

/// Runs an operation, and cancels it at a time limit.
///
/// The operation must respond to cancellation. Every wait here (the bus, a body, a sleep) does.
/// - Throws: `error` at the limit, otherwise the operation's error.
package func withTimeLimit<Value: Sendable>(
    _ limit: Duration, else error: any Error, _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await operation() }
        group.addTask {
            try? await Task.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        // The first result decides: a value, the operation's error, or nil for the limit.
        guard let first = try await group.next(), let value = first else { throw error }
        return value
    }
}
