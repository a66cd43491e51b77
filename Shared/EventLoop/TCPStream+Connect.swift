internal import CLibUV
import Glibc

extension TCPStream {
    /// Connects to `host`, trying its addresses in order. `host` is numeric, "localhost", or a name for the resolver.
    /// To be called by an actor pinned to `loop`. Cancelling the task abandons the attempt.
    /// - Throws: `ECONNREFUSED` and the like of the last address, `ETIMEDOUT` when `timeout` passes first, `EAI_…` when
    ///   the name does not resolve, `ECANCELED` when the task is cancelled or the loop closes.
    package static func connect(
        isolation: isolated (any Actor)? = #isolation, loop: UVLoop, host: String, port: Int, timeout: Duration
    ) async throws(UVError) -> TCPStream {
        loop.preconditionIsolated()
        let connecting = LoopConfined(value: ConnectorSlot())
        // An isolated parameter, and named in the closure: otherwise the handler's operation would leave the loop.
        let result = await withTaskCancellationHandler {
            _ = isolation
            return await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
                let connector = TCPConnector(loop: loop, host: host, port: port) {
                    continuation.resume(returning: LoopConfined(value: $0))
                }
                connecting.value.connector = connector
                connector.start(host: host, port: port, timeout: timeout)
                if Task.isCancelled { connector.cancel() }
            }
        } onCancel: {
            loop.execute { connecting.value.connector?.cancel() }
        }
        return try result.value.get()
    }

    /// Connects as the async form does. `completion` is called once on the loop, possibly before this returns.
    package static func connect(
        loop: UVLoop, host: String, port: Int, timeout: Duration,
        completion: @escaping (Result<TCPStream, UVError>) -> Void
    ) {
        TCPConnector(loop: loop, host: host, port: port, completion: completion)
            .start(host: host, port: port, timeout: timeout)
    }

    private typealias Outcome = LoopConfined<Result<TCPStream, UVError>>

    /// Starts the handshake. `completion` gets 0 or libuv's code.
    func connect(to address: sockaddr_storage, _ completion: @escaping (CInt) -> Void) {
        onConnected = completion
        let result = address.withSockaddr { address, _ in
            uv_tcp_connect(connectRequest, tcp, address) { request, status in
                TCPStream.of(request!.pointee.handle).handshakeEnded(status)
            }
        }
        if result < 0 { handshakeEnded(result) }
    }

    private func handshakeEnded(_ status: CInt) {
        let completion = onConnected
        onConnected = nil
        if status == 0 { connected() }
        completion?(status)
    }
}

/// The place where the cancellation handler finds the attempt. Touched on the loop only.
private final class ConnectorSlot {
    var connector: TCPConnector?
}

/// One attempt to connect: resolves, tries the addresses in order, gives up at the deadline.
final class TCPConnector {
    typealias Completion = (Result<TCPStream, UVError>) -> Void

    private let loop: UVLoop
    private let operation: String
    private let deadline: LoopTimer
    private var completion: Completion?
    private var addresses: ArraySlice<sockaddr_storage> = []
    private var current: TCPStream?

    init(loop: UVLoop, host: String, port: Int, completion: @escaping Completion) {
        self.loop = loop
        self.completion = completion
        operation = "connect \(SocketAddress.text(host, port))"
        deadline = LoopTimer(loop: loop)
    }

    func start(host: String, port: Int, timeout: Duration) {
        deadline.start(after: timeout) { self.fail(UVError.timedOut) }
        // The timer's body is dropped when the loop closes; a lookup answers by itself, a stream calls back cancelled.
        AddressLookup.start(loop: loop, host: host, port: port) { result in
            switch result {
            case .failure(let error): self.finish(.failure(error))
            case .success(let found):
                self.addresses = found[...]
                self.tryNext(after: UVError.unknownHost)
            }
        }
    }

    func cancel() { fail(UVError.cancelled) }

    private func tryNext(after code: CInt) {
        guard completion != nil else { return }
        guard let address = addresses.popFirst() else { return fail(code) }
        do throws(UVError) {
            let stream = try TCPStream(loop: loop)
            current = stream
            stream.connect(to: address) { status in self.attemptEnded(stream, status) }
        } catch {
            finish(.failure(UVError(code: error.code, operation: operation)))
        }
    }

    private func attemptEnded(_ stream: TCPStream, _ status: CInt) {
        guard current === stream else { return }
        current = nil
        if status == 0 { return finish(.success(stream)) }
        let loopCloses = stream.isClosed
        stream.beginClosing()
        if loopCloses { fail(UVError.cancelled) } else { tryNext(after: status) }
    }

    private func fail(_ code: CInt) {
        finish(.failure(UVError(code: code, operation: operation)))
    }

    private func finish(_ result: Result<TCPStream, UVError>) {
        guard let completion else { return }
        self.completion = nil
        deadline.beginClosing()
        let unfinished = current
        current = nil
        unfinished?.beginClosing()
        completion(result)
    }
}
