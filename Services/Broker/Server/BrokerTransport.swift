import BusProtocol
import EventLoop

/// The sockets of the core, used on the loop's thread only.
///
/// The core gets input as it arrives. Its output is sent at the end of the turn, with one write per connection.
final class BrokerTransport {
    /// The shortest wait before the core checks its time limits again, and the longest. No limit is shorter than the
    /// longest, so one that begins meanwhile is seen in time.
    private static let tickMin: Duration = .milliseconds(100), tickMax: Duration = .seconds(1)
    /// The lateness of a tick that indicates a pause of this process. A debugger or a suspended machine causes it.
    private static let pause: Duration = .milliseconds(500)

    let core: BrokerCore
    let listener: TCPListener
    /// Called when there are events for the log.
    var onEvents: ([BrokerEvent]) -> Void = { _ in }
    /// Called when the last connection has ended.
    var onIdle: () -> Void = {}

    private let loop: UVLoop
    private let tls: TLSContext?
    private let ticks: LoopTimer
    private var streams: [Int: TCPStream] = [:]
    private var isFlushScheduled = false
    private var lag = LoopLag()
    /// The time of the next tick. It is nil until `start`.
    private var nextTick: Duration?

    /// Binds the address.
    /// - Throws: The error of `TCPListener.bind`, such as `EADDRINUSE`.
    init(core: BrokerCore, loop: UVLoop, host: String, port: Int, tls: TLSContext? = nil) throws(UVError) {
        self.core = core
        self.loop = loop
        self.tls = tls
        listener = try TCPListener.bind(loop: loop, host: host, port: port)
        ticks = LoopTimer(loop: loop)
    }

    /// Starts accepting.
    func start() throws(UVError) {
        try listener.listen { [self] stream in accept(stream) }
        tick(after: Self.tickMax)
    }

    private func tick(after wait: Duration) {
        nextTick = loop.uptime() + wait
        ticks.start(after: wait) { [self] in tick() }
    }

    /// Ticks often while a fault holds something back.
    private func hurryIfHeld() {
        guard core.chaos?.isHolding == true, let nextTick else { return }
        if nextTick - loop.uptime() > Self.chaosTickInterval { tick(after: Self.chaosTickInterval) }
    }

    /// Stops accepting and ends all connections cleanly. `onIdle` is called after the last one.
    func drain(why: String) {
        listener.close()
        core.drain(why: why, now: loop.uptime())
        tick(after: Self.tickMin)
        scheduleFlush()
        if streams.isEmpty { onIdle() }
    }

    /// Closes the listener, the timer and all connections immediately.
    func close() {
        listener.close()
        ticks.close()
        for stream in streams.values { stream.close() }
    }

    /// Whether no connection is left.
    var isIdle: Bool { streams.isEmpty }

    private func accept(_ stream: TCPStream) {
        guard let tls else { return serve(stream) }
        do throws(TLSError) {
            try stream.startTLS(tls, plainAnswer: Self.tlsRequired)
        } catch {
            // Without memory for a session the client sees a closed connection.
            return stream.close()
        }
        serve(stream)
    }

    /// The response to a client without TLS. No `hello` precedes it, because a client answers `hello` with its token.
    private static let tlsRequired: [UInt8] = {
        var frame: [UInt8] = []
        ErrMessage(.tlsRequired, "this port speaks TLS; write tls:// in the bus's address").encode(into: &frame)
        return frame
    }()

    /// Tells the core of a connection. Its time limits hold for the handshake of TLS as well.
    private func serve(_ stream: TCPStream) {
        let cid = core.accepted(peer: stream.remoteAddress.description, now: loop.uptime())
        streams[cid] = stream
        stream.onRead = { [self] bytes in
            core.received(bytes.bindMemory(to: UInt8.self).span, on: cid, now: loop.uptime())
            scheduleFlush()
        }
        stream.onDrain = { [self, unowned stream] in
            core.progressed(cid, pendingBytes: 0, at: stream.lastWriteProgress)
            scheduleFlush()
        }
        stream.onClose = { [self, unowned stream] _ in
            streams[cid] = nil
            if let failure = stream.tlsFailure { core.failedTLS(cid, failure) }
            core.disconnected(cid)
            scheduleFlush()
            if streams.isEmpty { onIdle() }
        }
        stream.startReading()
        scheduleFlush()
    }

    /// Records the length of the previous turn, and a tick's lateness. The loop keeps the last turn only, so this is
    /// called in every turn with traffic, with every tick, and before the lag is reported.
    private func measureLag(lateness: Duration = .zero) {
        lag.record(
            turnMicroseconds: Int(loop.lastTurnMicroseconds), timerLateness: lateness, now: loop.uptime())
    }

    /// Returns the longest wait for the loop in the last ten seconds.
    func loopLagMicroseconds() -> Int {
        measureLag()
        return lag.longest(now: loop.uptime())
    }

    private func tick() {
        let now = loop.uptime()
        let lateness = nextTick.map { now - $0 } ?? .zero
        measureLag(lateness: lateness)
        // After a pause, input received meanwhile is read first, so that no client counts as silent.
        if lateness > Self.pause { return tick(after: Self.tickMin) }
        for (cid, stream) in streams where stream.pendingBytes > 0 {
            core.progressed(cid, pendingBytes: stream.pendingBytes, at: stream.lastWriteProgress)
        }
        let next = core.tick(now: now)
        tick(after: next.map { min(max(Self.tickMin, $0 - now), Self.tickMax) } ?? Self.tickMax)
        if let chaos = core.chaos { sendSlices(chaos) }
        scheduleFlush()
    }

    func stream(of cid: Int) -> TCPStream? { streams[cid] }

    /// Closes a socket as the core has decided. Nil keeps it open.
    func end(_ stream: TCPStream, _ ending: Ending?) {
        switch ending {
        case .afterFlush?: stream.closeAfterFlush(within: core.limits.byeTimeout)
        case .now?: stream.close()
        case nil: break
        }
    }

    private func scheduleFlush() {
        if isFlushScheduled { return }
        isFlushScheduled = true
        loop.atEndOfTurn { [self] in flush() }
    }

    private func flush() {
        isFlushScheduled = false
        measureLag()
        core.shedLargest()
        core.flush { cid, bytes, ending in
            guard let stream = streams[cid] else { return 0 }
            if let chaos = core.chaos, let held = disturb(chaos, cid, stream, bytes, ending) { return held }
            bytes.withUnsafeBytes { stream.writeNow(contentsOf: $0) }
            end(stream, ending)
            return stream.pendingBytes
        }
        hurryIfHeld()
        let events = core.takeEvents()
        if !events.isEmpty { onEvents(events) }
    }
}

/// The longest wait for the loop in the last ten seconds. It is the longest turn, or the lateness of a timer when the
/// process itself was not scheduled.
struct LoopLag {
    static let window: Duration = .seconds(10)

    /// The maximum of each second, the oldest first.
    private var seconds: [(second: Int64, microseconds: Int)] = []

    /// Records the maximum since the last call.
    mutating func record(turnMicroseconds: Int, timerLateness: Duration, now: Duration) {
        let second = now.components.seconds
        let lateness = max(0, Int(timerLateness / .microseconds(1)))
        let found = max(turnMicroseconds, lateness)
        if let last = seconds.indices.last, seconds[last].second == second {
            seconds[last].microseconds = max(seconds[last].microseconds, found)
        } else {
            seconds.removeAll { $0.second <= second - Self.window.components.seconds }
            seconds.append((second, found))
        }
    }

    /// Returns the longest wait in microseconds, including the current turn.
    func longest(now: Duration) -> Int {
        let first = now.components.seconds - Self.window.components.seconds
        return seconds.lazy.filter { $0.second > first }.map(\.microseconds).max() ?? 0
    }
}
