import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

/// Goal: for any events of the store, in any pieces, an observer gets each revision once and in order.
@Suite struct UnfinishedTransactionsTests {
    private func states(_ changes: [UnfinishedTransactions.Change]) -> [[TransactionState]] {
        changes.map { change in
            if case .updated(let list) = change { return list.map(\.model.transactionState) }
            return []
        }
    }

    private func removed(_ changes: [UnfinishedTransactions.Change]) -> [String] {
        changes.flatMap { change -> [String] in
            if case .removed(let list) = change { return list.map(\.model.id) }
            return []
        }
    }

    @Test func `M21: a revision is reported once, and an older one never`() {
        var table = UnfinishedTransactions(deviceId: "alice-1")
        #expect(states(table.updated([.sample("t", .deferred, revision: 2)])) == [[.deferred]])
        #expect(table.updated([.sample("t", .deferred, revision: 2)]).isEmpty)
        #expect(states(table.updated([.sample("t", .purchased, revision: 3)])) == [[.purchased]])
        #expect(table.updated([.sample("t", .deferred, revision: 2)]).isEmpty)
        #expect(table.transactions.map(\.model.revision) == [3])
    }

    @Test
    func `M37: a payment is purchasing before the store has said anything, and the store's word is not told again`() {
        var table = UnfinishedTransactions(deviceId: "alice-1")
        let payment = Payment(requestIdentifier: "k", productIdentifier: "p")
        let added = table.add(payment)
        #expect(states(added) == [[.purchasing]])
        #expect(table.updated([.sample("t", .purchasing, revision: 1, key: "k")]).isEmpty)
        let bought = table.updated([.sample("t", .purchased, revision: 2, key: "k")])
        #expect(states(bought) == [[.purchased]])
        guard case .updated(let first) = added.first, case .updated(let second) = bought.first else {
            Issue.record("no updates")
            return
        }
        #expect(first.map(\.identity) == second.map(\.identity), "one transaction through all its states")
        #expect(table.transactions.count == 1)
    }

    @Test func `the answer names a payment, whether it comes before or after the stream`() {
        for answerFirst in [true, false] {
            var table = UnfinishedTransactions(deviceId: "alice-1")
            _ = table.add(Payment(requestIdentifier: "k", productIdentifier: "p"))
            if answerFirst { table.name(key: "k", id: "t") }
            #expect(states(table.updated([.sample("t", .deferred, revision: 2, key: "k")])) == [[.deferred]])
            if !answerFirst { table.name(key: "k", id: "t") }
            #expect(table.unnamedCount == 0)
            #expect(table.transactions.map(\.model.id) == ["t"])
        }
    }

    @Test func `a payment comes back in what replaces or restores it, and those are transactions of their own`() {
        var table = UnfinishedTransactions(deviceId: "alice-1")
        _ = table.add(Payment(requestIdentifier: "k", productIdentifier: "p"))
        var replacing = PaymentTransaction.sample("t2", .purchased, key: "k")
        replacing.supersedes = "t1"
        let restored = PaymentTransaction.sample("t3", .restored, key: "k")
        let elsewhere = PaymentTransaction.sample("t4", .purchased, key: "k", device: "bob-1")
        #expect(states(table.updated([restored, replacing, elsewhere])) == [[.restored, .purchased, .purchased]])
        #expect(table.unnamedCount == 1, "the payment itself has not been named")
        #expect(table.transactions.count == 4)
    }

    @Test func `a payment the store refuses fails, and is finished without asking`() throws {
        var table = UnfinishedTransactions(deviceId: "alice-1")
        _ = table.add(Payment(requestIdentifier: "k", productIdentifier: "p"))
        #expect(states(table.refuse(key: "k", SKError(.paymentNotAllowed))) == [[.failed]])
        let failed = try #require(table.transactions.first)
        #expect(failed.model.error?.code == 4)
        guard case .done(let changes) = table.finish(failed) else {
            Issue.record("the store was to be asked")
            return
        }
        #expect(removed(changes).count == 1)
        #expect(table.transactions.isEmpty)
    }

    @Test func `M54: finished once, asked once, told once, never again`() throws {
        var table = UnfinishedTransactions(deviceId: "alice-1")
        _ = table.updated([.sample("t")])
        let transaction = try #require(table.transactions.first)
        #expect(table.finish(transaction) == .ask("t"))
        #expect(table.finish(transaction) == .nothing)
        #expect(removed(table.finishAnswered("t")) == ["t"])
        #expect(table.removed([.sample("t")]).isEmpty)
        #expect(table.updated([.sample("t", revision: 9)]).isEmpty)
        #expect(table.finish(transaction) == .nothing)
    }

    @Test func `what the app has finished is not told again while the store is being asked`() throws {
        var table = UnfinishedTransactions(deviceId: "alice-1")
        _ = table.updated([.sample("t")])
        _ = table.finish(try #require(table.transactions.first))
        table.endRun()
        #expect(table.updated([.sample("t")]).isEmpty)
        table.finishRefused("t")
        #expect(states(table.updated([.sample("t")])) == [[.purchased]])
    }

    @Test func `M50: a new run gets everything unfinished again`() {
        var table = UnfinishedTransactions(deviceId: "alice-1")
        _ = table.updated([.sample("t")])
        table.endRun()
        #expect(table.transactions.isEmpty)
        #expect(states(table.updated([.sample("t")])) == [[.purchased]])
    }

    @Test func `what does not come again after a break has left the queue`() {
        var table = UnfinishedTransactions(deviceId: "alice-1")
        _ = table.updated([.sample("t1"), .sample("t2")])
        _ = table.add(Payment(requestIdentifier: "k", productIdentifier: "p"))
        table.streamOpening()
        #expect(table.updated([.sample("t2")]).isEmpty)
        // Made while the stream was being opened: the store may have read its list before.
        table.name(key: "k", id: "t3")
        #expect(removed(table.synchronized()) == ["t1"])
        #expect(table.transactions.map(\.model.id) == ["t2", "t3"])
        #expect(table.synchronized().isEmpty)
    }

    @Test func `a download's state is reported when it changes, also when only a new stream shows it`() {
        var table = UnfinishedTransactions(deviceId: "alice-1")
        let waiting = Download(
            id: "d", transactionId: "t", state: .waiting, contentIdentifier: "c", contentVersion: "1.0",
            contentLength: 9)
        var active = waiting
        active.state = .active
        _ = table.updated([.sample("t", downloads: [waiting])])
        #expect(table.updated([active]) == [.downloads([active])])
        #expect(table.updated([active]).isEmpty)
        #expect(table.updated([.sample("t", downloads: [waiting])]) == [.downloads([waiting])])
    }

    @Test func `M21, M22: any legal history, cut anywhere, is reported completely but for what a break has hidden`() {
        var random = SplitMix64.seeded()
        for _ in 0..<300 {
            var table = UnfinishedTransactions(deviceId: "alice-1")
            var history: [PaymentTransaction] = []
            for number in 0..<5 {
                var state = TransactionState.purchasing
                history.append(.sample("t\(number)", state, revision: 1))
                for revision in 2...3 {
                    let next = TransactionState.allCases.filter { state.canBecome($0) }
                    guard let chosen = next.randomElement(using: &random) else { break }
                    state = chosen
                    history.append(.sample("t\(number)", state, revision: revision))
                }
            }
            var told: [String: [Int]] = [:]
            func note(_ changes: [UnfinishedTransactions.Change]) {
                for case .updated(let list) in changes {
                    for entry in list { told[entry.model.id, default: []].append(entry.model.revision) }
                }
            }
            var sent: [String: PaymentTransaction] = [:]
            for model in history {
                sent[model.id] = model
                if Int.random(in: 0..<4, using: &random) == 0 {
                    // A break hides this revision; the next stream brings the latest of each.
                    table.streamOpening()
                    note(table.updated(sent.values.shuffled(using: &random)))
                    note(table.synchronized())
                } else {
                    note(table.updated([model]))
                    if Bool.random(using: &random) { note(table.updated([model])) }
                }
            }
            for (id, revisions) in told {
                #expect(revisions == Array(Set(revisions)).sorted(), "\(id): \(revisions)")
                #expect(revisions.last == sent[id]?.revision)
            }
            #expect(told.count == 5)
        }
    }

    @Test func `a full set forgets its oldest`() {
        var set = BoundedSet<Int>(count: 3)
        for number in 1...5 { set.insert(number) }
        #expect((1...5).filter { set.contains($0) } == [3, 4, 5])
        let isNew = set.insert(4)
        #expect(!isNew)
    }
}
