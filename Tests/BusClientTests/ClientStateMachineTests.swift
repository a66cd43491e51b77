import BusProtocol
import StorebusTesting
import Testing

@testable import BusClient

/// Goal: the connection's life without sockets. Method: events in, actions out, time as a number.
@Suite struct ClientStateMachineTests {
    private let hello = HelloMessage(id: "b", name: "broker", ver: "1", cid: 1, auth: ["none"], time: 0)
    private let signedIn = OkMessage(re: .connect, user: "default", inbox: "_INBOX.x", pingMilliseconds: 2000)
    private let reason = BusError(.disconnected, "cut")
    private let closed = BusError(.closed, "the client was closed")

    private func machine(token: String? = nil) -> ClientStateMachine {
        ClientStateMachine(
            .init(url: BusURL(token: token), name: "test", instance: "i", random: SplitMix64(seed: 7)))
    }

    /// A machine that signed in at second 1.
    private func ready() -> ClientStateMachine {
        var machine = machine()
        _ = machine.handle(.start, now: .seconds(1))
        _ = machine.handle(.opened, now: .seconds(1))
        _ = machine.handle(.hello(hello), now: .seconds(1))
        _ = machine.handle(.signedIn(signedIn), now: .seconds(1))
        return machine
    }

    @Test func `it connects, greets, signs in and is ready`() {
        var machine = machine()
        #expect(machine.handle(.start, now: .zero) == [.open])
        #expect(machine.handle(.opened, now: .zero) == [.wait(.seconds(5))])
        #expect(
            machine.handle(.hello(hello), now: .zero) == [
                .send(
                    ConnectMessage(
                        name: "test", ver: "0.1.0", inst: "i", auth: .none, lost: true, pingMilliseconds: 2000))
            ])
        #expect(!machine.isReady)
        #expect(
            machine.handle(.signedIn(signedIn), now: .zero) == [.becomeReady(inbox: "_INBOX.x"), .wait(.seconds(2))])
        #expect(machine.isReady)
    }

    @Test(
        arguments: [
            ("secret", ["token"], ConnectMessage.Authentication.token("secret")),
            ("secret", ["none", "token"], .token("secret")),
            ("secret", ["none"], .none),
            (nil, ["none", "token"], .none),
        ] as [(String?, [String], ConnectMessage.Authentication)])
    func `it signs in by what it has and the broker takes`(
        token: String?, methods: [String], expected: ConnectMessage.Authentication
    ) {
        var machine = machine(token: token)
        _ = machine.handle(.start, now: .zero)
        _ = machine.handle(.opened, now: .zero)
        var hello = hello
        hello.auth = methods
        guard case .send(let connect)? = machine.handle(.hello(hello), now: .zero).first else {
            Issue.record("nothing was sent")
            return
        }
        #expect(connect.auth == expected)
    }

    @Test(arguments: [(nil, ["token"]), ("secret", ["other"])] as [(String?, [String])])
    func `it ends when the broker takes nothing it has`(token: String?, methods: [String]) {
        var machine = machine(token: token)
        _ = machine.handle(.start, now: .zero)
        _ = machine.handle(.opened, now: .zero)
        var hello = hello
        hello.auth = methods
        let actions = machine.handle(.hello(hello), now: .zero)
        guard actions.count == 3, case .fail(let error) = actions[1] else {
            Issue.record("\(actions)")
            return
        }
        #expect(actions[0] == .close(goodbye: false))
        #expect(error.code == .authenticationFailed)
        #expect(actions[2] == .end(error))
        #expect(machine.handle(.tick, now: .seconds(60)) == [])
        #expect(machine.handle(.start, now: .seconds(60)) == [])
    }

    @Test(arguments: [BusErrorCode.authFailed, .authRequired, .version, .replaced])
    func `some refusals are final`(_ code: BusErrorCode) {
        var machine = ready()
        guard case .end(let error)? = machine.handle(.refused(ErrMessage(code, "no")), now: .seconds(2)).last else {
            Issue.record("it goes on")
            return
        }
        #expect(error.isFinal)
        #expect(machine.handle(.lost(reason), now: .seconds(2)) == [])
    }

    @Test(arguments: [BusErrorCode.shuttingDown, .stale, .slowConsumer, .tooManyConns, .authTimeout, .internalError])
    func `other refusals are followed by the next attempt`(_ code: BusErrorCode) {
        var machine = ready()
        #expect(machine.handle(.refused(ErrMessage(code, "no")), now: .seconds(10)).last == .open)
    }

    @Test func `a connection that had lived is followed by an attempt at once`() {
        var machine = ready()
        #expect(
            machine.handle(.lost(reason), now: .seconds(2)) == [.close(goodbye: false), .fail(reason), .open])
        #expect(!machine.isReady)
    }

    @Test func `a broker that accepts and drops is not hammered`() {
        var machine = ready()
        // It lived for half a second: no attempt is for free.
        _ = machine.handle(.lost(reason), now: .milliseconds(1500))
        var waits = 0
        for _ in 0..<20 {
            _ = machine.handle(.opened, now: .milliseconds(1600))
            _ = machine.handle(.hello(hello), now: .milliseconds(1600))
            _ = machine.handle(.signedIn(signedIn), now: .milliseconds(1600))
            if case .wait? = machine.handle(.lost(reason), now: .milliseconds(1700)).last { waits += 1 }
            _ = machine.handle(.tick, now: .milliseconds(1700))
        }
        #expect(waits == 20)
    }

    @Test func `it never stops trying, and never waits longer than five seconds`() {
        var machine = machine()
        var actions = machine.handle(.start, now: .zero)
        for _ in 0..<1000 {
            #expect(actions == [.open])
            guard case .wait(let wait)? = machine.handle(.lost(reason), now: .zero).last else {
                Issue.record("no wait")
                return
            }
            #expect(wait <= .seconds(5))
            actions = machine.handle(.tick, now: .zero)
        }
    }

    @Test func `a handshake that does not end is given up after five seconds`() {
        var machine = machine()
        _ = machine.handle(.start, now: .zero)
        _ = machine.handle(.opened, now: .zero)
        let actions = machine.handle(.tick, now: .seconds(5))
        #expect(actions.first == .close(goodbye: false))
    }

    @Test func `silence is pinged after two seconds, and is the end after five`() {
        var machine = ready()
        #expect(machine.handle(.tick, now: .seconds(2)) == [.wait(.seconds(1))])
        #expect(machine.handle(.tick, now: .seconds(3)) == [.sendPing, .wait(.seconds(2))])
        #expect(machine.handle(.tick, now: .seconds(5)) == [.wait(.seconds(1))])
        #expect(machine.handle(.tick, now: .milliseconds(5999)) == [.wait(.milliseconds(1))])
        let actions = machine.handle(.tick, now: .seconds(6))
        #expect(actions.first == .close(goodbye: false))
        #expect(!machine.isReady)
    }

    @Test func `any byte is a sign of life`() {
        var machine = ready()
        for second in 2...60 {
            if second % 4 == 0 { machine.noteInput(now: .seconds(second)) }
            _ = machine.handle(.tick, now: .seconds(second))
            #expect(machine.isReady, "second \(second)")
        }
    }

    @Test func `stopping says goodbye to a broker that is there, and nothing else happens after it`() {
        var connected = ready()
        #expect(connected.handle(.stop, now: .zero) == [.close(goodbye: true), .end(closed)])
        #expect(connected.handle(.stop, now: .zero) == [])
        var waiting = machine()
        _ = waiting.handle(.start, now: .zero)
        _ = waiting.handle(.lost(reason), now: .zero)
        #expect(waiting.handle(.stop, now: .zero) == [.close(goodbye: false), .end(closed)])
        #expect(waiting.handle(.tick, now: .zero) == [])
    }

    @Test func `greetings out of turn break the connection`() {
        var machine = ready()
        guard machine.handle(.hello(hello), now: .seconds(2)).count == 3 else {
            Issue.record("the connection stands")
            return
        }
        #expect(!machine.isReady)
    }
}
