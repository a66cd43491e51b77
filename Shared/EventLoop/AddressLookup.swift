internal import CLibUV
import Glibc

/// One query of the system's resolver, on libuv's thread pool.
final class AddressLookup {
    private let loop: UVLoop
    private let request = UnsafeMutablePointer<uv_getaddrinfo_t>.allocate(capacity: 1)
    private let operation: String
    private let port: Int
    private let completion: (Result<[sockaddr_storage], UVError>) -> Void

    /// Calls `completion` on the loop with `host`'s TCP addresses, at least one, or the failure. Numeric hosts and
    /// "localhost" need no resolver and are answered before this returns.
    static func start(
        loop: UVLoop, host: String, port: Int,
        _ completion: @escaping (Result<[sockaddr_storage], UVError>) -> Void
    ) {
        loop.preconditionIsolated()
        let operation = "resolve \(host)"
        guard (0...65535).contains(port) else {
            return completion(.failure(UVError(code: UVError.invalidArgument, operation: "port \(port)")))
        }
        let immediate = SocketAddress.immediate(host, port)
        if !immediate.isEmpty { return completion(.success(immediate)) }
        guard loop.isRunning, !loop.isClosing else {
            return completion(.failure(UVError(code: UVError.cancelled, operation: operation)))
        }
        let lookup = AddressLookup(loop, operation, port, completion)
        if let failure = lookup.ask(host) { completion(.failure(failure)) }
    }

    private init(
        _ loop: UVLoop, _ operation: String, _ port: Int,
        _ completion: @escaping (Result<[sockaddr_storage], UVError>) -> Void
    ) {
        self.loop = loop
        self.operation = operation
        self.port = port
        self.completion = completion
    }

    deinit { request.deallocate() }

    /// Cancels the query, because the loop is closing. A query that the resolver has begun runs to its end, and the
    /// loop waits.
    func cancel() {
        uv_cancel(UnsafeMutableRawPointer(request).assumingMemoryBound(to: uv_req_t.self))
    }

    private func ask(_ host: String) -> UVError? {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        request.pointee.data = Unmanaged.passRetained(self).toOpaque()
        let result = uv_getaddrinfo(
            loop.uv, request,
            { request, status, found in
                let lookup = Unmanaged<AddressLookup>.fromOpaque(request!.pointee.data).takeRetainedValue()
                lookup.answered(status, found)
            }, host, nil, &hints)
        if result < 0 {
            Unmanaged.passUnretained(self).release()
            return UVError(code: result, operation: operation)
        }
        loop.lookups[ObjectIdentifier(self)] = self
        return nil
    }

    private func answered(_ status: CInt, _ found: UnsafeMutablePointer<addrinfo>?) {
        loop.enterTurn()
        loop.lookups[ObjectIdentifier(self)] = nil
        let addresses = addresses(in: found)
        uv_freeaddrinfo(found)
        if status < 0 || addresses.isEmpty {
            let code = status < 0 ? status : UVError.unknownHost
            completion(.failure(UVError(code: code, operation: operation)))
        } else {
            completion(.success(addresses))
        }
    }

    private func addresses(in list: UnsafeMutablePointer<addrinfo>?) -> [sockaddr_storage] {
        sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap { entry in
            guard let entry, let address = entry.pointee.ai_addr else { return nil }
            var storage = sockaddr_storage()
            withUnsafeMutableBytes(of: &storage) { target in
                let length = min(Int(entry.pointee.ai_addrlen), target.count)
                target.copyMemory(from: UnsafeRawBufferPointer(start: address, count: length))
            }
            // Both families keep the port at the same place.
            withUnsafeMutablePointer(to: &storage) {
                $0.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    $0.pointee.sin_port = in_port_t(port).bigEndian
                }
            }
            return storage
        }
    }
}
