import BusService
import EventLoop
import HTTPTypes
import Hummingbird
import NIOCore
import StoreHTTP
import StoreModels

extension ServiceCaller {
    /// Creates the route of an endpoint that AppStoreServer answers with status, header fields and bytes.
    /// - Parameters:
    ///   - isRead: Whether a request changes nothing although it is no GET.
    ///   - app: Finds the app that the request is about, and checks it. Nil for requests that name none.
    ///   - changed: Called with this app after the request, also after one whose outcome is not known.
    package func passThrough<Body, Output>(
        _ endpoint: HTTPEndpoint<Body, Output>, isRead: Bool = false,
        app: (@Sendable (Call) async throws -> String)? = nil, changed: (@Sendable (String) -> Void)? = nil
    ) -> Route {
        Route(passing: endpoint) { call in
            var bytes: [UInt8] = []
            if endpoint.route.method != .get { bytes = try await call.bodyBytes() }
            // As for the gateway's own handlers of JSON. Apple's paths take any type.
            if Body.self is any Decodable.Type, Body.self != Empty.self, endpoint.route.access == .admin {
                try RequestBodyReader.checkContentType(call.request.headers)
            }
            let bundleId = try await app?(call)
            defer { if let bundleId { changed?(bundleId) } }
            return try await passOn(bytes, of: endpoint, isRead: isRead, about: bundleId, call)
        }
    }

    /// Has AppStoreServer answer a request, with its body.
    /// - Parameters:
    ///   - isRead: As ``passThrough(_:isRead:app:)``.
    ///   - bundleId: The app that the request is about. Nil for none.
    ///   - unknown: For a change: the error when no reply says whether it took effect.
    package func passOn(
        _ bytes: [UInt8], of endpoint: some HTTPOperation, isRead: Bool = false, about bundleId: String?, _ call: Call,
        else unknown: UnknownOutcome? = nil
    ) async throws -> Response {
        let head = call.request
        var request = HTTPExchangeRequest(
            operation: endpoint.notes.id, path: try StoreTarget(path: head.uri.path, headers: head.headers).path,
            parameters: Dictionary(
                uniqueKeysWithValues: call.parameters.map { ($0.key.rawValue, HTTPBytes(Array($0.value.utf8))) }),
            query: head.uri.query, host: head.head.authority, accept: head.headers[.accept])
        if endpoint.route.access == .serverAPI { request.authorization = head.headers[.authorization] }
        request.store = call.store?.bundleId
        request.bundleId = bundleId
        if case .session(let session) = call.principal {
            request.customer = ExchangeCustomer(
                bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, deviceId: session.deviceId,
                deviceVerificationId: session.installation.verificationIdentifier)
        }
        request.data = bytes.isEmpty ? nil : HTTPBytes(bytes)
        let reply = try await self.call(
            isRead || call.route.method == .get ? AppStoreEndpoints.read : AppStoreEndpoints.change, request, for: call,
            else: unknown)
        call.serverCaller.withLock { $0 = ServerCaller(bundleId: reply.bundleId, reason: reply.reason) }
        if let ending = reply.ending { return try await end(call, ending) }
        var headers = HTTPFields()
        for (name, value) in reply.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        return Response(
            status: .init(code: reply.status), headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: try await whole(reply, call))))
    }

    /// Reads the whole body of a reply, whose rest its instance has.
    /// - Throws: `serviceUnavailable` for a rest that the instance has given up.
    private func whole(_ reply: HTTPExchangeReply, _ call: Call) async throws(StoreError) -> [UInt8] {
        var bytes = reply.data?.bytes ?? []
        guard let rest = reply.rest else { return bytes }
        var offset = 0
        while offset < rest.count {
            let part = try await part(of: rest, at: offset, call)
            offset += part.count
            bytes += part
        }
        return bytes
    }

    private func part(
        of rest: HTTPExchangeReply.Rest, at offset: Int, _ call: Call
    ) async throws(StoreError) -> [UInt8] {
        let request = HTTPRestRequest(identifier: rest.identifier, offset: offset)
        let part: HTTPRestReply
        do {
            part = try await self.call(AppStoreEndpoints.rest(of: rest.instance), request, for: call)
        } catch {
            guard error.code == .notFound else { throw error }
            throw StoreError(.serviceUnavailable, "the rest of the response is gone; repeat the request")
        }
        let bytes = part.data.bytes
        guard !bytes.isEmpty else { throw StoreError(.internal, "a part of a response came without bytes") }
        return bytes
    }

    /// The longest time that a request without a response is held.
    private static let holdMax = TimeAmount.seconds(60)

    /// Treats a connection as an operator's fault says.
    /// - Throws: Always, for a connection that is closed meanwhile.
    private func end(_ call: Call, _ ending: HTTPExchangeReply.Ending) async throws -> Response {
        switch ending {
        case .close: call.channel.close(promise: nil)
        case .hold:
            // The client leaves, or the connection is cut.
            let cut = call.channel.eventLoop.scheduleTask(in: Self.holdMax) { call.channel.close(promise: nil) }
            defer { cut.cancel() }
            try await call.channel.closeFuture.get()
        }
        throw StoreError(.serviceUnavailable, "an operator's fault has ended the connection")
    }
}
