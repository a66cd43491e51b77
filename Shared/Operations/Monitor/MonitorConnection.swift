import EventLoop

/// One connection of the monitoring port: a request, a response, the end. Confined to the loop.
final class MonitorConnection {
    /// Called once, after the connection has closed.
    var onEnd: (() -> Void)?
    private let stream: TCPStream
    private let timer: LoopTimer
    private let timeout: Duration
    private var parser = MonitorRequestParser()
    private var isAnswered = false

    init(_ stream: TCPStream, timeout: Duration) {
        self.stream = stream
        self.timeout = timeout
        timer = LoopTimer(loop: stream.loop)
    }

    /// Reads the request and hands it over.
    func start(_ handle: @escaping (MonitorRequest) -> Void) {
        stream.onRead = { [self] buffer in take(buffer, handle) }
        stream.onClose = { [self] _ in
            timer.close()
            onEnd?()
            onEnd = nil
        }
        timer.start(after: timeout) { [self] in
            if isAnswered { stream.close() } else { refuse(408, "no request within \(timeout)") }
        }
        stream.startReading()
    }

    /// Answers and closes once the answer is out.
    func send(_ response: MonitorResponse, to request: MonitorRequest) {
        finish(response.encoded(isHead: request.isHead))
    }

    func close() { stream.close() }

    private func take(_ buffer: UnsafeRawBufferPointer, _ handle: (MonitorRequest) -> Void) {
        // Bytes after the request are ignored.
        guard !isAnswered else { return }
        switch parser.take(buffer) {
        case .incomplete: break
        case .request(let request):
            isAnswered = true
            handle(request)
        case .refused(let status, let reason): refuse(status, reason)
        }
    }

    private func refuse(_ status: Int, _ reason: String) {
        isAnswered = true
        finish(MonitorResponse.text("\(reason)\n", status: status).encoded(isHead: false))
    }

    private func finish(_ bytes: [UInt8]) {
        stream.write(bytes)
        stream.closeAfterFlush()
    }
}
