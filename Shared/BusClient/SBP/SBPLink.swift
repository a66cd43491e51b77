import BusProtocol
import EventLoop

/// One TCP connection of a client and the frames on it. A client has one at a time. Confined to the loop.
final class SBPLink {
    let stream: TCPStream
    private let url: BusURL
    private var decoder = FrameDecoder(limits: .fromBroker)
    /// Whether the link has ended and hands out no frame any more.
    private var isOver = false
    /// Kept between frames, so that writing one allocates nothing.
    private var output: [UInt8] = []

    /// - Throws: `tlsFailed` when a file for TLS cannot be used.
    init(_ stream: TCPStream, url: BusURL) throws(BusError) {
        self.stream = stream
        self.url = url
        guard let files = url.tls else { return }
        do throws(TLSError) {
            // The files are read for each connection, so that a renewed certificate needs no restart.
            try stream.startTLS(try TLSContext(.client, files), peerName: url.host)
        } catch {
            throw Self.explain(error, url)
        }
    }

    private static func explain(_ failure: TLSError, _ url: BusURL) -> BusError {
        BusError(tls: failure, peer: "broker", address: "\(url)", authorities: url.tls?.authorities)
    }

    /// Starts reading.
    /// - Parameters:
    ///   - input: Called before each read, for measuring silence.
    ///   - handle: Gets each frame. Header and body are valid during the call.
    ///   - end: Called at most once: the connection ended or the broker broke the protocol.
    func start(
        input: @escaping () -> Void, handle: @escaping (Span<UInt8>, Span<UInt8>) -> Void,
        end: @escaping (BusError) -> Void
    ) {
        stream.onRead = { [self] buffer in
            input()
            read(buffer, handle, end)
        }
        stream.onClose = { [self] error in
            guard !isOver else { return }
            isOver = true
            if let failure = stream.tlsFailure { return end(Self.explain(failure, url)) }
            end(BusError(.disconnected, error.map { "\($0)" } ?? "the broker closed the connection"))
        }
        stream.startReading()
    }

    /// Encodes a frame and sends it with the loop turn's other writes.
    func write(_ encode: (inout [UInt8]) throws(BusViolation) -> Void) throws(BusViolation) {
        output.removeAll(keepingCapacity: true)
        try encode(&output)
        stream.write(output)
    }

    /// Sends frames that are encoded already.
    func write(_ frames: [UInt8]) { stream.write(frames) }

    /// Ends the connection. Nothing is handed out after this.
    func close(goodbye: Bool) {
        isOver = true
        guard goodbye else { return stream.close() }
        var frame: [UInt8] = []
        ControlFrame.bye(why: "closed by the client", into: &frame)
        stream.write(frame)
        stream.closeAfterFlush()
    }

    private func read(
        _ buffer: UnsafeRawBufferPointer, _ handle: (Span<UInt8>, Span<UInt8>) -> Void, _ end: (BusError) -> Void
    ) {
        guard !isOver else { return }
        do throws(BusViolation) {
            let bytes = Span<UInt8>(_bytes: buffer.bytes)
            try decoder.decode(bytes) { header, body in
                handle(header, body)
                return isOver ? .stop : .proceed
            }
        } catch {
            isOver = true
            end(BusError(.protocolViolation, "the broker sent an invalid frame: \(error)"))
        }
    }
}
