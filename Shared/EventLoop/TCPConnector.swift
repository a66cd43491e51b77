internal import CLibUV
import Glibc

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
