import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a download takes the edges of the contract and no others, and a repetition is no error (M47, M54, M55).
/// Method: every state meets every action; the expected results are one table.
@Suite struct DownloadStateMachineTests {
    private typealias Machine = DownloadStateMachine

    private static func stored(_ state: Download.State) -> DownloadStateMachine {
        DownloadStateMachine(state, error: state == .failed ? TransactionError(.unknown, "No disk.") : nil)
    }

    /// action, from, to; every other edge is refused, and a state that is reached already is left alone.
    private static let edges: [(DownloadAction, Download.State, Download.State)] = [
        (.start, .waiting, .active), (.start, .failed, .active),
        (.pause, .active, .paused), (.resume, .paused, .active),
        (.cancel, .waiting, .cancelled), (.cancel, .active, .cancelled), (.cancel, .paused, .cancelled),
        (.finish, .active, .finished),
        (.fail, .waiting, .failed), (.fail, .active, .failed), (.fail, .paused, .failed),
    ]

    @Test(arguments: DownloadAction.allCases, Download.State.allCases)
    func `M47: six states times six actions`(_ action: DownloadAction, _ state: Download.State) {
        var machine = Self.stored(state)
        let outcome = machine.handle(action)
        if let edge = Self.edges.first(where: { $0.0 == action && $0.1 == state }) {
            #expect(outcome == .changed)
            #expect(machine.state == edge.2)
        } else if state == Machine.target(of: action) {
            #expect(outcome == .unchanged)
            #expect(machine == Self.stored(state))
        } else {
            #expect(outcome == .refused(from: state))
            #expect(machine == Self.stored(state))
        }
    }

    @Test(arguments: SKErrorCode.allCases) func `a failure keeps its code, and a new start forgets it`(
        _ code: SKErrorCode
    ) {
        var machine = Self.stored(.active)
        _ = machine.handle(.fail, code: code)
        #expect(machine.error?.code == code.rawValue)
        _ = machine.handle(.start)
        #expect(machine.state == .active)
        #expect(machine.error == nil)
    }

    @Test func `without a code the failure is unknown`() {
        var machine = Self.stored(.paused)
        _ = machine.handle(.fail)
        #expect(machine.error?.code == 0)
    }

    @Test func `a start that is set to fail ends in failed with the tester's error, again and again`() {
        let error = SimulatedError.failure("cloudServiceNetworkConnectionFailed", "Set.")
        var machine = Machine()
        for _ in 0..<2 {
            #expect(machine.handle(.start, simulated: error) == .changed)
            #expect(machine.state == .failed)
            #expect(machine.error?.code == 7)
        }
        // Only the start is failed: what is under way goes on.
        var active = Self.stored(.active)
        #expect(active.handle(.pause, simulated: error) == .changed)
        #expect(active.state == .paused)
    }

    @Test(arguments: Download.State.allCases) func `M55: waiting, active and paused are pending`(
        _ state: Download.State
    ) {
        #expect(Machine.isPending(state) == [.waiting, .active, .paused].contains(state))
        // What can be cancelled by hand is what a finish cancels.
        #expect(Machine.isPending(state) == Machine.sources(of: .cancel).contains(state))
    }

    @Test func `any order of actions ends in a state with an error exactly when it failed`() {
        var random = SplitMix64.seeded()
        for _ in 0..<500 {
            var machine = Machine()
            for _ in 0..<20 {
                guard let action = DownloadAction.allCases.randomElement(using: &random) else { continue }
                let before = machine
                let outcome = machine.handle(action)
                #expect((machine.state == .failed) == (machine.error != nil))
                #expect((machine != before) == (outcome == .changed))
                // Cancelled and finished are the end.
                if [.cancelled, .finished].contains(before.state) { #expect(machine == before) }
            }
        }
    }
}
