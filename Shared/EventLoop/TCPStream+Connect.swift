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
