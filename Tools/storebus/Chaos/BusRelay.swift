import BusProtocol
import Chaos
import Dispatch
import EventLoop
import Glibc

/// Relays the connections of one service to the broker frame by frame, and cuts or tears them.
///
/// A cut holds the bytes of one direction back, as a broken path under TCP does. No byte is lost, and the waiting bytes
/// arrive when the cut ends, unless either side has given up the connection. A torn connection ends in the middle of a
/// frame.
final class BusRelay: Sendable {
    /// The fault on the connections. Several faults may be in force.
    struct Mode: Hashable, Sendable {
        var holdsToService = false
        var holdsFromService = false
        /// Seed of the moments at which connections are torn, or nil to tear none.
        var tearSeed: UInt64?
    }

    /// The port on loopback that the service connects to.
    let port: Int
    private let state = Locked((mode: Mode(), isStopped: false))
    private let waking: WakingPipe

    /// Listens on a free port and relays from now on.
    /// - Parameter brokerPort: Looks up the broker's port for each new connection. Nil while the broker has no port.
    /// - Throws: `serviceFailed` with the system's reason.
    init(brokerPort: @escaping @Sendable () -> Int?) throws(CLIError) {
        waking = try WakingPipe()
        let listener: Int32
        (listener, port) = try LoopbackSocket.listen(for: "relay to the bus")
        // A thread of its own, because poll blocks it.
        DispatchQueue(label: "storebus.relay.\(port)").async { [state, waking] in
            var loop = RelayLoop(listener: listener, waking: waking.read, brokerPort: brokerPort)
            while true {
                let (mode, isStopped) = state.withLock { $0 }
                if isStopped { break }
                loop.turn(mode)
            }
            loop.close()
        }
    }

    func set(_ mode: Mode) {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.mode = mode
            waking.wake()
        }
    }

    /// Ends every connection and stops listening.
    func stop() {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            waking.wake()
        }
    }
}

/// One direction of a relayed connection: whole frames, and at a tear the first half of one.
struct FrameFlow {
    /// Bytes to be sent on.
    private(set) var output: [UInt8] = []
    /// Whether the last frame was cut in half. No byte follows it.
    private(set) var isTorn = false
    private var decoder = FrameDecoder(limits: .fromBroker)

    /// Takes bytes as they arrive and passes on the frames they complete.
    /// - Parameter left: Frames until one is torn, counted down. Nil tears none.
    /// - Throws: The violation, if the bytes are not frames.
    mutating func take(_ bytes: ArraySlice<UInt8>, tearAfter left: inout Int?) throws(BusViolation) {
        guard !isTorn else { return }
        var passed: [UInt8] = []
        var tears = false
        var remaining = left
        try decoder.decode(bytes.span) { header, body in
            var frame: [UInt8] = [0]
            frame += [16, 8, 0].map { UInt8(truncatingIfNeeded: header.count >> $0) }
            frame += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: body.count >> $0) }
            frame.append(header)
            frame.append(body)
            if let count = remaining {
                remaining = count - 1
                if count <= 0 {
                    passed += frame.prefix(frame.count / 2)
                    tears = true
                    return .stop
                }
            }
            passed += frame
            return .proceed
        }
        left = remaining
        isTorn = tears
        output += passed
    }

    mutating func sent(_ count: Int) { output.removeFirst(count) }
}

/// The sockets of a relay, and their handling when they are ready.
private struct RelayLoop {
    /// A connection of the service with that to the broker.
    struct Link {
        var service: Int32
        var broker: Int32
        var toService = FrameFlow()
        var toBroker = FrameFlow()
        /// Frames of both directions until one is torn.
        var tearAfter: Int?
        var isDone = false
    }

    let listener: Int32
    let waking: Int32
    let brokerPort: @Sendable () -> Int?
    private var links: [Link] = []
    private var random = SeededGenerator(seed: 0)
    private var tearSeed: UInt64?
    private var chunk = [UInt8](repeating: 0, count: 64 * 1024)

    /// Bytes that wait in one direction at most.
    private static let waitingMax = 4 * 1024 * 1024
    /// Frames until a connection is torn: from its sign-in on.
    private static let tears = 1...40

    init(listener: Int32, waking: Int32, brokerPort: @escaping @Sendable () -> Int?) {
        self.listener = listener
        self.waking = waking
        self.brokerPort = brokerPort
    }

    /// Waits until a socket is ready or the mode has changed, and relays the available bytes.
    mutating func turn(_ mode: BusRelay.Mode) {
        if mode.tearSeed != tearSeed {
            tearSeed = mode.tearSeed
            if let seed = mode.tearSeed { random = SeededGenerator(seed: seed) }
            for index in links.indices { links[index].tearAfter = nextTear() }
        }
        var polled = [Self.polled(listener, POLLIN), Self.polled(waking, POLLIN)]
        for link in links {
            polled.append(
                Self.polled(
                    link.service,
                    (mode.holdsFromService || link.toBroker.output.count > Self.waitingMax ? 0 : POLLIN)
                        | (mode.holdsToService || link.toService.output.isEmpty ? 0 : POLLOUT)))
            polled.append(
                Self.polled(
                    link.broker,
                    (mode.holdsToService || link.toService.output.count > Self.waitingMax ? 0 : POLLIN)
                        | (mode.holdsFromService || link.toBroker.output.isEmpty ? 0 : POLLOUT)))
        }
        guard poll(&polled, nfds_t(polled.count), -1) > 0 else { return }
        if polled[1].revents != 0 { _ = read(waking, &chunk, chunk.count) }
        for index in links.indices {
            let (service, broker) = (polled[2 + 2 * index], polled[3 + 2 * index])
            if service.events & Int16(POLLIN) != 0, service.revents != 0 {
                receive(links[index].service, index, into: \.toBroker)
            }
            if broker.events & Int16(POLLIN) != 0, broker.revents != 0 {
                receive(links[index].broker, index, into: \.toService)
            }
            if !mode.holdsFromService { send(\.toBroker, index, to: links[index].broker) }
            if !mode.holdsToService { send(\.toService, index, to: links[index].service) }
            // The half of a frame is sent before the end.
            if links[index].toService.isTorn || links[index].toBroker.isTorn { links[index].isDone = true }
        }
        for link in links where link.isDone { Self.close(link) }
        links.removeAll(where: \.isDone)
        if polled[0].revents != 0 { accept() }
    }

    mutating func close() {
        for link in links { Self.close(link) }
        links = []
        Glibc.close(listener)
    }

    private mutating func nextTear() -> Int? {
        tearSeed == nil ? nil : Int.random(in: Self.tears, using: &random)
    }

    /// A socket with nothing to wait for is left out, because poll reports its end without being asked.
    private static func polled(_ descriptor: Int32, _ events: Int32) -> pollfd {
        pollfd(fd: events == 0 ? -1 : descriptor, events: Int16(events), revents: 0)
    }

    private mutating func receive(_ descriptor: Int32, _ index: Int, into flow: WritableKeyPath<Link, FrameFlow>) {
        let count = read(descriptor, &chunk, chunk.count)
        if count > 0 {
            var left = links[index].tearAfter
            defer { links[index].tearAfter = left }
            do throws(BusViolation) {
                try links[index][keyPath: flow].take(chunk[..<count], tearAfter: &left)
            } catch {
                links[index].isDone = true
            }
        } else if count == 0 || errno != EAGAIN && errno != EINTR {
            links[index].isDone = true
        }
    }

    private mutating func send(_ flow: WritableKeyPath<Link, FrameFlow>, _ index: Int, to descriptor: Int32) {
        let output = links[index][keyPath: flow].output
        guard !output.isEmpty else { return }
        let count = Glibc.send(descriptor, output, output.count, Int32(MSG_NOSIGNAL))
        if count > 0 {
            links[index][keyPath: flow].sent(count)
        } else if errno != EAGAIN && errno != EINTR && errno != ENOTCONN && errno != EINPROGRESS {
            links[index].isDone = true
        }
    }

    private mutating func accept() {
        guard let service = LoopbackSocket.accept(listener) else { return }
        let broker = brokerPort().flatMap { LoopbackSocket.connect(to: $0) }
        guard let broker else {
            Glibc.close(service)
            return
        }
        for descriptor in [service, broker] {
            var on: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        }
        links.append(Link(service: service, broker: broker, tearAfter: nextTear()))
    }

    private static func close(_ link: Link) {
        Glibc.close(link.service)
        Glibc.close(link.broker)
    }
}
