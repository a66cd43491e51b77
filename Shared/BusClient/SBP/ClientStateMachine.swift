import BusProtocol
import EventLoop

/// The states of a client's connection: connecting, signing in, ready, waiting, closed. Pure: events and the time go
/// in, actions come out. Sockets and timers are the caller's.
///
/// `now` is the loop's monotonic time. There is one timer: each `.wait` replaces the one before.
struct ClientStateMachine {
    enum Event {
        case start
        /// The TCP connection is established.
        case opened
        case hello(HelloMessage)
        /// The `ok` of `connect`.
        case signedIn(OkMessage)
        /// A fatal `err`.
        case refused(ErrMessage)
        /// The connection could not be made or has ended, for any reason.
        case lost(BusError)
        /// The timer.
        case tick
        /// The caller closes the client.
        case stop
    }

    enum Action: Equatable {
        /// Start a TCP connection, and answer with `opened` or `lost`.
        case open
        case send(ConnectMessage)
        /// Subscribe again and send the waiting messages.
        case becomeReady(inbox: String)
        case sendPing
        /// Drop the connection, after sending `bye` when it is still open.
        case close(goodbye: Bool)
        /// Fail the requests in flight and broadcast the state.
        case fail(BusError)
        case wait(Duration)
        /// Close for good, with the reason.
        case end(BusError)
    }

    private enum Phase {
        case idle
        case waiting
        case opening
        case awaitingHello
        case awaitingOk
        case ready(since: Duration, pinged: Bool)
        case closed
    }

    private let configuration: SBPClient.Configuration
    private var phase = Phase.idle
    private var backoff: ReconnectBackoff
    private var lastInput = Duration.zero

    init(_ configuration: SBPClient.Configuration) {
        self.configuration = configuration
        backoff = ReconnectBackoff(random: configuration.random)
    }

    var isReady: Bool {
        if case .ready = phase { true } else { false }
    }

    /// Bytes have arrived: the broker lives.
    mutating func noteInput(now: Duration) {
        lastInput = now
        if case .ready(let since, true) = phase { phase = .ready(since: since, pinged: false) }
    }

    mutating func handle(_ event: Event, now: Duration) -> [Action] {
        switch (phase, event) {
        case (.closed, _): []
        case (_, .stop): stop()
        case (.idle, .start): open()
        case (.opening, .opened): opened(now)
        case (.awaitingHello, .hello(let hello)): greet(hello)
        case (.awaitingOk, .signedIn(let reply)): signedIn(reply, now)
        case (.waiting, .lost), (.idle, .lost), (.waiting, .refused), (.idle, .refused): []
        case (_, .lost(let error)): lose(error, now)
        case (_, .refused(let reply)): refused(reply, now)
        case (_, .tick): tick(now)
        case (.idle, .opened), (.idle, .hello), (.idle, .signedIn), (.waiting, .start), (.waiting, .opened),
            (.waiting, .hello), (.waiting, .signedIn), (_, .start), (.ready, .opened), (.awaitingHello, .opened),
            (.awaitingOk, .opened):
            // Late events of an abandoned connection.
            []
        case (.opening, .hello), (.opening, .signedIn), (.awaitingHello, .signedIn), (.awaitingOk, .hello),
            (.ready, .hello), (.ready, .signedIn):
            lose(BusError(.protocolViolation, "the broker greeted out of turn"), now)
        }
    }

    private mutating func open() -> [Action] {
        phase = .opening
        // The attempt has its own timeout, which ends in `lost`.
        return [.open]
    }

    private mutating func opened(_ now: Duration) -> [Action] {
        phase = .awaitingHello
        lastInput = now
        return [.wait(BusClientLimits.handshakeTimeout)]
    }

    private mutating func greet(_ hello: HelloMessage) -> [Action] {
        guard hello.v == "1" else {
            return finish(BusError(.authenticationFailed, "the broker speaks version \(hello.v), this client only 1"))
        }
        let authentication: ConnectMessage.Authentication
        switch configuration.url.token {
        case let token? where hello.auth.contains("token"): authentication = .token(token)
        case _ where hello.auth.contains("none"): authentication = .none
        case nil:
            return finish(BusError(.authenticationFailed, "the broker at \(configuration.url) wants a token"))
        case _?:
            let methods = hello.auth.joined(separator: ", ")
            return finish(BusError(.authenticationFailed, "the broker takes no token, only: \(methods)"))
        }
        phase = .awaitingOk
        let interval = configuration.pingInterval.wholeMilliseconds
        let range = BusLimits.pingMillisecondsRange
        return [
            .send(
                ConnectMessage(
                    name: configuration.name, ver: configuration.version, inst: configuration.instance,
                    auth: authentication, echo: configuration.echo, lost: true,
                    pingMilliseconds: min(max(interval, range.lowerBound), range.upperBound)))
        ]
    }

    private mutating func signedIn(_ reply: OkMessage, _ now: Duration) -> [Action] {
        guard let inbox = reply.inbox else {
            return lose(BusError(.protocolViolation, "the broker gave no inbox"), now)
        }
        phase = .ready(since: now, pinged: false)
        return [.becomeReady(inbox: inbox), .wait(configuration.pingInterval)]
    }

    private mutating func tick(_ now: Duration) -> [Action] {
        switch phase {
        case .waiting: return open()
        case .awaitingHello, .awaitingOk:
            return lose(BusError(.disconnected, "the broker did not finish signing in"), now)
        case .ready(let since, let pinged): return checkLiveness(since, pinged, now)
        case .idle, .opening, .closed: return []
        }
    }

    private mutating func checkLiveness(_ since: Duration, _ pinged: Bool, _ now: Duration) -> [Action] {
        let silence = now - lastInput
        if silence >= configuration.silenceMax {
            return lose(BusError(.disconnected, "the broker has been silent for \(silence)"), now)
        }
        if !pinged, silence < configuration.pingInterval { return [.wait(configuration.pingInterval - silence)] }
        phase = .ready(since: since, pinged: true)
        let wait = Action.wait(min(configuration.pingInterval, configuration.silenceMax - silence))
        return pinged ? [wait] : [.sendPing, wait]
    }

    private mutating func refused(_ reply: ErrMessage, _ now: Duration) -> [Action] {
        let error = BusError(reply)
        return error.isFinal ? finish(error) : lose(error, now)
    }

    private mutating func lose(_ error: BusError, _ now: Duration) -> [Action] {
        if case .ready(let since, _) = phase, now - since >= BusClientLimits.stableAfter { backoff.reset() }
        // The very first attempt was the one without a wait.
        if case .opening = phase, backoff.attempts == 0 { _ = backoff.next() }
        let wait = backoff.next()
        phase = .waiting
        return [.close(goodbye: false), .fail(error)] + (wait == .zero ? open() : [.wait(wait)])
    }

    private mutating func finish(_ error: BusError) -> [Action] {
        phase = .closed
        return [.close(goodbye: false), .fail(error), .end(error)]
    }

    private mutating func stop() -> [Action] {
        let goodbye = isReady
        phase = .closed
        return [.close(goodbye: goodbye), .end(BusError(.closed, "the client was closed"))]
    }
}
