import StoreModels
import Testing

@testable import PaymentQueue

/// Goal: a transaction takes StoreKit's edges and no others (M27, M53; P7).
/// Method: every state meets every event; the expected results are one table.
@Suite struct TransactionStateMachineTests {
    private typealias Machine = TransactionStateMachine

    private static let purchase = Machine.Event.purchase(
        .init(
            transactionIdentifier: "2000000000000001", transactionDate: Timestamp(milliseconds: 5),
            price: .usd("1.99")))
    private static let failure = Machine.Event.fail(TransactionError(.paymentCancelled, "Cancelled."))
    private static let events: [(String, Machine.Event)] = [
        ("purchase", purchase), ("fail", failure), ("defer", .defer), ("redeliver", .redeliver), ("finish", .finish),
    ]

    private static func transaction(_ state: TransactionState) -> PaymentTransaction {
        PaymentTransaction(
            id: "t_1", transactionState: state, payment: Payment(requestIdentifier: "k", productIdentifier: "coins"),
            revision: 3, originDeviceId: "phone", price: .usd("1.99"))
    }

    @Test func `M27, M28, M53: five states times five events`() {
        let accepted: [String: Set<TransactionState>] = [
            "purchase": [.purchasing, .deferred], "fail": [.purchasing, .deferred], "defer": [.purchasing],
            "redeliver": [.purchased, .failed, .restored, .deferred], "finish": [.purchased, .failed, .restored],
        ]
        for (name, event) in Self.events {
            for state in TransactionState.allCases {
                var machine = Machine(Self.transaction(state), isFinished: false)
                let outcome = machine.handle(event)
                if accepted[name]?.contains(state) == true {
                    guard case .changed = outcome else {
                        Issue.record("\(name) in \(state): \(outcome)")
                        continue
                    }
                } else {
                    #expect(outcome == .refused(name == "finish" ? .notFinishable : .illegal(from: state)))
                    #expect(machine.transaction == Self.transaction(state))
                }
            }
        }
    }

    @Test func `a change of state is one revision more, and finishing is none`() {
        var machine = Machine(Self.transaction(.purchasing), isFinished: false)
        _ = machine.handle(Self.purchase)
        #expect(machine.transaction.revision == 4)
        _ = machine.handle(.finish)
        #expect(machine.transaction.revision == 4)
        #expect(machine.isFinished)
    }

    @Test func `P7: a redelivery is one revision more and nothing else`() {
        var machine = Machine(Self.transaction(.purchased), isFinished: false)
        #expect(machine.handle(.redeliver) == .changed([.journal(.updated)]))
        #expect(machine.transaction == with(Self.transaction(.purchased)) { $0.revision = 4 })
        #expect(!machine.isFinished)
    }

    @Test func `M30: purchased has identifier, date and price`() {
        var machine = Machine(Self.transaction(.purchasing), isFinished: false)
        #expect(
            machine.handle(Self.purchase)
                == .changed([.journal(.updated), .consumeOffer, .releaseSlot, .grant]))
        #expect(machine.transaction.transactionState == .purchased)
        #expect(machine.transaction.transactionIdentifier == "2000000000000001")
        #expect(machine.transaction.transactionDate == Timestamp(milliseconds: 5))
        #expect(machine.transaction.price == .usd("1.99"))
        #expect(machine.transaction.error == nil)
    }

    @Test func `M31: failed has an error and neither identifier nor price`() {
        var machine = Machine(Self.transaction(.purchasing), isFinished: false)
        #expect(
            machine.handle(Self.failure)
                == .changed([.journal(.updated), .releaseOffer, .releaseSlot]))
        #expect(machine.transaction.error?.code == 2)
        #expect(machine.transaction.transactionIdentifier == nil)
        #expect(machine.transaction.price == nil)
    }

    @Test func `M29: a deferred transaction keeps its id when it is purchased`() {
        var machine = Machine(Self.transaction(.purchasing), isFinished: false)
        #expect(machine.handle(.defer) == .changed([.journal(.updated)]))
        _ = machine.handle(Self.purchase)
        #expect(machine.transaction.id == "t_1")
        #expect(machine.transaction.revision == 5)
    }

    @Test func `M54: finishing again changes nothing`() {
        var machine = Machine(Self.transaction(.purchased), isFinished: true)
        #expect(machine.handle(.finish) == .unchanged)
    }

    @Test(arguments: TransactionState.allCases) func `nothing happens any more to a finished transaction`(
        _ state: TransactionState
    ) {
        var machine = Machine(Self.transaction(state), isFinished: true)
        for event in [Self.purchase, Self.failure, .defer, .redeliver] {
            #expect(machine.handle(event) == .refused(.illegal(from: state)))
        }
    }
}
