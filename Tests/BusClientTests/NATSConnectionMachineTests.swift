import BusClient
import StorebusTesting
import Testing

@testable import NATSClient

@Suite struct NATSConnectionMachineTests {
    private let lost = BusError(.disconnected, "gone")
    private let refused = BusError(.authenticationFailed, "no", origin: .broker)

    private func machine() -> NATSConnectionMachine { NATSConnectionMachine(random: SplitMix64(seed: 1)) }

    @Test func `a connection that had lived is made again at once, then with growing waits`() {
        var machine = machine()
        #expect(machine.handle(.start, now: .zero) == [.open])
        #expect(machine.handle(.opened, now: .zero) == [.becomeReady])
        #expect(machine.isReady)
        #expect(machine.handle(.lost(lost), now: .seconds(10)) == [.close, .fail(lost), .open])
        #expect(!machine.isReady)
        for _ in 0..<20 {
            let actions = machine.handle(.lost(lost), now: .seconds(10))
            guard case .wait(let wait) = actions.last else {
                Issue.record("\(actions)")
                return
            }
            #expect(wait <= BusClientLimits.backoffMax)
            #expect(actions.dropLast() == [.close, .fail(lost)])
            #expect(machine.handle(.tick, now: .seconds(10)) == [.open])
        }
    }

    @Test func `a server that takes clients in and drops them is not hammered`() {
        var machine = machine()
        _ = machine.handle(.start, now: .zero)
        var waits = 0
        for _ in 0..<5 {
            _ = machine.handle(.opened, now: .zero)
            if case .wait = machine.handle(.lost(lost), now: .milliseconds(10)).last {
                waits += 1
                _ = machine.handle(.tick, now: .milliseconds(10))
            }
        }
        #expect(waits == 4)
    }

    @Test func `wrong credentials are the end`() {
        var machine = machine()
        _ = machine.handle(.start, now: .zero)
        #expect(machine.handle(.lost(refused), now: .zero) == [.close, .fail(refused), .end(refused)])
        #expect(machine.handle(.start, now: .zero) == [])
        #expect(machine.handle(.tick, now: .zero) == [])
        #expect(machine.handle(.opened, now: .zero) == [])
    }

    @Test func `stopping closes, and what comes late changes nothing`() {
        var machine = machine()
        _ = machine.handle(.start, now: .zero)
        let closed = BusError(.closed, "the client was closed")
        #expect(machine.handle(.stop, now: .zero) == [.close, .end(closed)])
        #expect(machine.handle(.lost(lost), now: .zero) == [])
        #expect(machine.handle(.stop, now: .zero) == [])
    }
}
