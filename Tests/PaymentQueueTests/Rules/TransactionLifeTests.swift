import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: after any events in any order a transaction's revisions form a path of StoreKit's graph, and what each
/// state demands holds at every step (M27 to M31, M53; P7).
@Suite struct TransactionLifeTests {
    private typealias Machine = TransactionStateMachine

    private static func born(_ state: TransactionState) -> Machine {
        var value = PaymentTransaction(
            id: "t_1", transactionState: state, payment: Payment(requestIdentifier: "k", productIdentifier: "guide"),
            revision: 1, originDeviceId: "phone", price: .usd("1.99"))
        if state == .restored {
            (value.transactionIdentifier, value.transactionDate) = ("1", Timestamp(milliseconds: 1))
        }
        return Machine(value, isFinished: false)
    }

    private static func event(_ random: inout SplitMix64) -> Machine.Event {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            .purchase(
                .init(
                    transactionIdentifier: "2", transactionDate: Timestamp(milliseconds: 5), price: .usd("1.99"),
                    content: .init(version: "1.0", length: 9)))
        case 1: .fail(TransactionError(.paymentCancelled, "Cancelled."))
        case 2: .defer
        default: .finish
        }
    }

    @Test(arguments: [TransactionState.purchasing, .restored])
    func `P7: random events in random order stay on the graph`(_ birth: TransactionState) {
        var random = SplitMix64.seeded("life of a \(birth) transaction")
        for _ in 0..<2_000 {
            var machine = Self.born(birth)
            for _ in 0..<12 {
                let before = machine
                let outcome = machine.handle(Self.event(&random))
                check(outcome, from: before, to: machine)
                checkDemands(machine.transaction)
            }
        }
    }

    private func check(_ outcome: Machine.Outcome, from before: Machine, to after: Machine) {
        let (old, new) = (before.transaction, after.transaction)
        guard case .changed(let actions) = outcome else {
            #expect(after == before)
            return
        }
        if old.transactionState == new.transactionState {
            // The one change without a new state is the finish, once, and it is no revision.
            #expect(!before.isFinished && after.isFinished && new == old && old.transactionState.isFinishable)
            #expect(actions == [.journal(.removed)])
        } else {
            #expect(old.transactionState.canBecome(new.transactionState))
            #expect(new.revision == old.revision + 1)
            #expect(!before.isFinished && !after.isFinished)
            #expect(actions.first == .journal(.updated))
        }
    }

    /// Checks M24, M25, M30, M31, and that only a purchased transaction has downloads (M46).
    private func checkDemands(_ value: PaymentTransaction) {
        let isGiven = value.transactionState == .purchased || value.transactionState == .restored
        #expect((value.transactionIdentifier != nil) == isGiven)
        #expect((value.transactionDate != nil) == isGiven)
        #expect((value.error != nil) == (value.transactionState == .failed))
        #expect(value.downloads.isEmpty == (value.transactionState != .purchased))
        for download in value.downloads {
            #expect(download.id == "d_1" && download.transactionId == value.id)
            #expect(download.contentIdentifier == value.payment.productIdentifier)
        }
    }

    @Test(arguments: TransactionState.allCases, [false, true])
    func `M28, M29, M53, M54: finish times state, in the queue and out of it`(
        _ state: TransactionState, _ isFinished: Bool
    ) {
        let expected: [TransactionState: Machine.Outcome] = [
            .purchasing: .refused(.notFinishable), .deferred: .refused(.notFinishable),
            .purchased: .changed([.journal(.removed)]), .failed: .changed([.journal(.removed)]),
            .restored: .changed([.journal(.removed)]),
        ]
        var machine = Machine(Self.born(state).transaction, isFinished: isFinished)
        let outcome = machine.handle(.finish)
        #expect(outcome == (isFinished && state.isFinishable ? .unchanged : expected[state]))
        #expect(machine.isFinished == (isFinished || state.isFinishable))
        #expect(machine.transaction == Self.born(state).transaction)
    }

    @Test(arguments: TransactionState.allCases) func `P7: no event leads to restored`(_ state: TransactionState) {
        #expect(!state.canBecome(.restored))
    }
}
