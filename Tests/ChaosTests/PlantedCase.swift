import Testing

@testable import Chaos

/// A small history that keeps an invariant, and the same one with a planted violation.
struct PlantedCase: Sendable, CustomTestStringConvertible {
    let invariant: Invariant
    let name: String
    /// Numbers of the lines that show the violation.
    let lines: [Int]
    let write: @Sendable (_ isPlanted: Bool, _ script: inout Script) -> Void

    init(
        _ invariant: Invariant, _ name: String, lines: [Int],
        _ write: @escaping @Sendable (_ isPlanted: Bool, _ script: inout Script) -> Void
    ) {
        self.invariant = invariant
        self.name = name
        self.lines = lines
        self.write = write
    }

    var testDescription: String { "\(invariant.rawValue) \(name)" }

    func entries(isPlanted: Bool) -> [HistoryEntry] {
        var script = Script()
        write(isPlanted, &script)
        return script.entries
    }

    static let products: [String: RunOptions.Product] = [
        "coins": .init(type: "consumable"), "pro": .init(type: "nonConsumable"),
        "monthly": .init(type: "autoRenewable", group: "g"), "yearly": .init(type: "autoRenewable", group: "g"),
    ]

    static let all =
        purchases + money + queue + restores + decisions + overrides + offers + notifications + besides + families

    private static let purchases: [PlantedCase] = [
        PlantedCase(.p1, "lost from the final history", lines: [1, 2, 5]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.run(.purchase, key: "k2", [.of("u")])
            script.line(.ok, .finalHistory, isPlanted ? [.of("u")] : [.of("t"), .of("u")])
        },
        PlantedCase(.p1, "another price in the final history", lines: [1, 2, 3]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.line(.ok, .finalHistory, [.of("t", price: isPlanted ? 198 : 199)])
        },
        PlantedCase(.p3, "two transactions for one key", lines: [1, 2, 5, 6]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.run(.purchase, key: "other", [.of("u")])
            script.run(.purchase, key: "k", [.of(isPlanted ? "x" : "t")])
        },
        PlantedCase(.p3, "another body under the key succeeds", lines: [1, 2, 3, 4]) { isPlanted, script in
            script.run(.purchase, key: "k", body: "a", [.of("t")])
            if isPlanted {
                script.run(.purchase, key: "k", body: "b", [.of("t")])
            } else {
                script.run(.purchase, .fail, key: "k", body: "b", code: "keyReused")
            }
        },
        PlantedCase(.p3, "two charges for one purchase", lines: [1, 2, 3]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.ledger([.of("purchase:t")] + (isPlanted ? [.of("purchase:t:2")] : []))
        },
        PlantedCase(.p3, "the same request is refused as another", lines: [1, 2, 3, 4]) { isPlanted, script in
            script.run(.purchase, .info, key: "k")
            if isPlanted {
                script.run(.purchase, .fail, key: "k", code: "keyReused")
            } else {
                script.run(.purchase, key: "k", [.of("t")])
            }
        },
        PlantedCase(.p4, "unknown after everything was healed", lines: [1, 2, 4, 5]) { isPlanted, script in
            script.run(.purchase, .info, key: "k")
            script.phase("healed")
            script.run(.purchase, isPlanted ? .info : .ok, key: "k", isPlanted ? nil : [.of("t")])
        },
        PlantedCase(.p4, "the outcome changes", lines: [3, 4, 5, 6]) { isPlanted, script in
            script.run(.purchase, .info, key: "k")
            script.run(.purchase, key: "k", [.of("t")])
            script.run(.purchase, key: "k", [.of("t", isPlanted ? "failed" : "purchased", revision: 3)])
            script.phase("healed")
            script.run(.purchase, key: "k", [.of("t")])
        },
        PlantedCase(.p7, "purchased becomes failed", lines: [2, 4, 5]) { isPlanted, script in
            script.stream("opened")
            script.stream("transactions", [.of("t", "purchased")])
            script.stream("synchronized")
            script.run(.listUnfinished, [.of("t", isPlanted ? "failed" : "purchased", revision: 3)])
        },
        PlantedCase(.p7, "a worker's reads go back", lines: [1, 2, 3, 4]) { isPlanted, script in
            script.run(.readHistory, [.of("t", revision: 3)])
            script.run(.readHistory, [.of("t", revision: isPlanted ? 2 : 3)])
        },
        PlantedCase(.p9, "missing from the next read", lines: [1, 2, 3, 4]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.run(.readHistory, isPlanted ? [] : [.of("t")])
        },
        PlantedCase(.p11, "shown to another account", lines: [1, 2, 3, 4]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            if isPlanted { script.account = "bob" }
            script.run(.readHistory, [.of("t")])
        },
    ]

    private static let money: [PlantedCase] = [
        PlantedCase(.p2, "given, and not charged", lines: [1, 2, 3]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.ledger(isPlanted ? [] : [.of("purchase:t")])
        },
        PlantedCase(.p2, "charged, and nothing given", lines: [3]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.ledger([.of("purchase:t")] + (isPlanted ? [.of("purchase:x")] : []))
        },
        PlantedCase(.p2, "a renewal that was not charged", lines: [2, 3, 4]) { isPlanted, script in
            script.stream("opened")
            script.stream("transactions", [.of("r1", product: "monthly", original: "o")])
            script.stream("transactions", [.of("r2", product: "monthly", original: "o")])
            script.ledger([.of("renew:o:1")] + (isPlanted ? [] : [.of("renew:o:2")]))
        },
        PlantedCase(.p2, "a refund that was acknowledged and not made", lines: [1, 2, 3, 4, 5]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.run(.refund, [.of("t", revision: 3, revoked: true)], detail: ["transaction": "t"])
            script.ledger([.of("purchase:t", refunded: isPlanted ? 0 : 199)])
        },
        PlantedCase(.p4, "a charge is pending in the end", lines: [1]) { isPlanted, script in
            script.ledger([.of("purchase:t", isPlanted ? "pending" : "declined")])
            script.phase("healed")
            script.run(.purchase, .info, key: "k")
            script.run(.purchase, .fail, key: "k", [.of("t", "failed")])
        },
        PlantedCase(.p5, "a failed purchase is charged", lines: [1, 2, 3]) { isPlanted, script in
            script.run(.purchase, .fail, key: "k", [.of("t", "failed")])
            script.ledger([.of("purchase:t", isPlanted ? "approved" : "declined")])
        },
        PlantedCase(.p6, "another amount", lines: [1, 2, 3]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.ledger([.of("purchase:t", amount: isPlanted ? 299 : 199)])
        },
        PlantedCase(.p8, "charged twice", lines: [1, 2, 3, 4, 5]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t", product: "pro")])
            script.run(.purchase, key: "k2", [.of("u", product: "pro", price: isPlanted ? 199 : 0, original: "n-t")])
            script.ledger([.of("purchase:t")] + (isPlanted ? [.of("purchase:u")] : []))
        },
        PlantedCase(.p10, "more refunded than charged", lines: [3]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.ledger([.of("purchase:t", refunded: isPlanted ? 200 : 199)])
        },
        PlantedCase(.r2, "a restore is charged", lines: [1, 2, 3]) { isPlanted, script in
            script.run(.restore, [.of("t", "restored", product: "pro", original: "n-o")])
            script.ledger(isPlanted ? [.of("purchase:t")] : [])
        },
        PlantedCase(.d1, "charged while deferred", lines: [1, 2, 3]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t", "deferred")])
            script.ledger(isPlanted ? [.of("purchase:t")] : [])
        },
        PlantedCase(.d3, "approved twice, charged twice", lines: [1, 2, 3, 4, 5]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t", "deferred")])
            script.run(.approve, [.of("t", revision: 3)], detail: ["transaction": "t"])
            script.ledger([.of("purchase:t")] + (isPlanted ? [.of("purchase:t:2")] : []))
        },
        PlantedCase(.s1, "one period charged twice", lines: [3]) { isPlanted, script in
            script.stream("opened")
            script.stream("transactions", [.of("r", product: "monthly", original: "o")])
            script.ledger([.of("renew:o:1")] + (isPlanted ? [.of("renew:o:1:2")] : []))
        },
    ]

    private static let families: [PlantedCase] = [
        PlantedCase(.f1, "shared twice", lines: [1, 2]) { isPlanted, script in
            script.held("alice", own: "t1:pro:1:active")
            script.held("bob", shared: "t2:pro:1:active" + (isPlanted ? " t3:pro:1:revoked" : ""))
        },
        PlantedCase(.f1, "shared twice, and another purchase of the product", lines: [1, 2]) { isPlanted, script in
            script.held("alice", own: "t1:pro:1:revoked t2:pro:2:active")
            script.held("bob", shared: "t3:pro:\(isPlanted ? 2 : 1):revoked t4:pro:2:active")
        },
        PlantedCase(.f1, "what was shared is charged", lines: [3]) { isPlanted, script in
            script.held("alice", own: "t1:pro:1:active")
            script.held("bob", shared: "t2:pro:1:active")
            script.line(
                .ok, .family, charges: [.of(isPlanted ? "purchase:t2" : "purchase:t1")], detail: ["what": "charged"])
        },
        PlantedCase(.f2, "nothing was shared", lines: [1, 2]) { isPlanted, script in
            script.held("alice", own: "t1:pro:1:active")
            script.held("bob", shared: isPlanted ? "" : "t2:pro:1:active")
        },
        PlantedCase(.f2, "access after the buyer's refund, who bought it again", lines: [1, 2]) { isPlanted, script in
            script.held("alice", own: "t1:pro:1:revoked t2:pro:2:active")
            script.held("bob", shared: "t3:pro:1:\(isPlanted ? "active" : "revoked") t4:pro:2:active")
        },
        PlantedCase(.f2, "access behind the own leaving", lines: [1, 2]) { isPlanted, script in
            script.held("alice", own: "t1:pro:1:active")
            script.held("bob", isMember: !isPlanted, shared: "t2:pro:1:active")
        },
        PlantedCase(.f2, "access behind the buyer's leaving", lines: [1, 2]) { isPlanted, script in
            script.held("alice", isMember: !isPlanted, own: "t1:pro:1:active")
            script.held("bob", shared: "t2:pro:1:active")
        },
        PlantedCase(.f2, "one of two purchases was shared", lines: [1, 2, 3]) { isPlanted, script in
            script.held("alice", own: "t1:pro:1:active", shared: "t4:pro:2:active")
            script.held("bob", own: "t2:pro:2:active", shared: "t3:pro:1:active")
            script.held("cara", shared: "t5:pro:1:active" + (isPlanted ? "" : " t6:pro:2:active"))
        },
    ]

    private static let queue: [PlantedCase] = [
        PlantedCase(.q1, "not redelivered", lines: [1, 2, 4, 6]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.line(.invoke, .observe, process: 1000)
            script.stream("opened")
            script.stream("transactions", isPlanted ? [] : [.of("t")])
            script.stream("synchronized")
        },
        PlantedCase(.q6, "not redelivered to another device", lines: [1, 2, 4, 6]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.device = "alice-2"
            script.line(.invoke, .observe, process: 1000)
            script.stream("opened")
            script.stream("transactions", isPlanted ? [] : [.of("t")])
            script.stream("synchronized")
        },
        PlantedCase(.q2, "not delivered to a connected observer", lines: [1, 2, 3, 4]) { isPlanted, script in
            script.stream("opened")
            script.stream("synchronized")
            script.run(.purchase, key: "k", [.of("t")])
            if !isPlanted { script.stream("transactions", [.of("t")]) }
            script.wait(20)
            script.run(.readHistory, [.of("t")])
        },
        PlantedCase(.q1, "never synchronized", lines: [1]) { isPlanted, script in
            script.stream("opened")
            if !isPlanted { script.stream("synchronized") }
            script.wait(20)
            script.line(.invoke, .purchase, key: "k")
        },
        PlantedCase(.q3, "listed after its finish", lines: [3, 4, 5, 6]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.run(.finish, detail: ["transaction": "t"])
            script.run(.listUnfinished, isPlanted ? [.of("t")] : [])
        },
        PlantedCase(.q3, "delivered to a stream requested after its finish", lines: [3, 4, 6, 7]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.run(.finish, detail: ["transaction": "t"])
            script.line(.invoke, .observe, process: 1000)
            script.stream("opened")
            script.stream("transactions", isPlanted ? [.of("t")] : [])
        },
        PlantedCase(.q3, "delivered long after finish and snapshot", lines: [1, 5, 6, 7]) { isPlanted, script in
            script.stream("opened")
            if isPlanted { script.stream("synchronized") }
            script.run(.purchase, key: "k", [.of("t")])
            script.run(.finish, detail: ["transaction": "t"])
            script.wait(20)
            script.stream("transactions", [.of("t")])
            if !isPlanted { script.stream("synchronized") }
        },
        PlantedCase(.q4, "a second finish is refused", lines: [1, 2, 5, 6]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.run(.finish, detail: ["transaction": "t"])
            script.run(
                .finish, isPlanted ? .fail : .ok, code: isPlanted ? "transactionNotFinishable" : nil,
                detail: ["transaction": "t"])
        },
        PlantedCase(.q5, "lost from the final list", lines: [1, 2, 3]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.line(.ok, .finalUnfinished, isPlanted ? [] : [.of("t")])
        },
        PlantedCase(.q5, "revisions out of order", lines: [1, 2, 3]) { isPlanted, script in
            script.stream("opened")
            script.stream("transactions", [isPlanted ? .of("t") : .of("t", "purchasing", revision: 1)])
            script.stream("transactions", [isPlanted ? .of("t", "purchasing", revision: 1) : .of("t")])
        },
        PlantedCase(.d4, "deferred, and finished", lines: [3, 4, 5, 6]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t", "deferred")])
            script.run(
                .finish, isPlanted ? .ok : .fail, code: isPlanted ? nil : "transactionNotFinishable",
                detail: ["transaction": "t"])
            script.run(.listUnfinished, [.of("t", "deferred")])
        },
        PlantedCase(.d4, "deferred, and not redelivered", lines: [1, 2, 4, 6, 8]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t", "deferred")])
            script.line(.invoke, .observe, process: 1000)
            script.stream("opened")
            script.stream("transactions", isPlanted ? [] : [.of("t", "deferred")])
            script.stream("synchronized")
            script.run(.listUnfinished, [.of("t", "deferred")])
        },
    ]

    private static let restores: [PlantedCase] = [
        PlantedCase(.r1, "one is missing", lines: [1, 2, 3, 4, 5, 6]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t", product: "pro")])
            script.run(.finish, detail: ["transaction": "t"])
            let restored = ObservedTransaction.of("x", "restored", product: "pro", original: "n-t")
            script.run(
                .restore, key: "r", isPlanted ? [] : [restored], detail: ["restore": "r_1", "state": "finished"])
        },
        PlantedCase(.r1, "a consumable comes back", lines: [1, 2]) { isPlanted, script in
            let product = isPlanted ? "coins" : "pro"
            script.run(.listUnfinished, [.of("x", "restored", product: product, original: "n-t")])
        },
        PlantedCase(.r1, "one is missing beside one of an earlier restore", lines: [1, 2, 3, 4, 7, 8]) {
            isPlanted, script in
            script.run(.purchase, key: "k", [.of("t", product: "pro")])
            script.run(.finish, detail: ["transaction": "t"])
            script.restore("r", ["x"])
            script.restore("s", isPlanted ? ["x"] : ["x", "y"])
        },
        PlantedCase(.r1, "another customer's purchase comes back", lines: [5, 6]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t", product: "pro")])
            script.run(.finish, detail: ["transaction": "t"])
            (script.account, script.device) = isPlanted ? ("bob", "bob-1") : ("alice", "alice-1")
            script.restore("r", ["x"])
        },
        PlantedCase(.r1, "one comes back whose purchase is in no final history", lines: [1, 2]) { isPlanted, script in
            script.restore("r", ["x"])
            script.line(.ok, .finalHistory, isPlanted ? [] : [.of("t", product: "pro")])
        },
        PlantedCase(.r3, "it brings one twice", lines: [5, 6]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t", product: "pro")])
            script.run(.finish, detail: ["transaction": "t"])
            script.restore("r", isPlanted ? ["x", "y"] : ["x"])
        },
        PlantedCase(.r3, "its key adds one", lines: [5, 6, 7, 8]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t", product: "pro")])
            script.run(.finish, detail: ["transaction": "t"])
            script.restore("r", ["x"])
            script.restore("r", isPlanted ? ["x", "y"] : ["x"])
        },
        PlantedCase(.r3, "one comes back that was never finished", lines: [3, 4]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t", product: "pro")])
            script.restore("r", isPlanted ? ["x"] : [])
        },
        PlantedCase(.r3, "fewer than its end says", lines: [1, 2]) { isPlanted, script in
            script.restore("r", ["x"], count: isPlanted ? 2 : 1)
        },
        PlantedCase(.r3, "listed twice", lines: [1, 2]) { isPlanted, script in
            script.restore("r", isPlanted ? ["x", "x"] : ["x"])
        },
        PlantedCase(.r3, "its key begins another", lines: [1, 2, 3, 4]) { isPlanted, script in
            script.run(.restore, key: "r", detail: ["restore": "r_1", "state": "finished"])
            script.run(.restore, key: "r", detail: ["restore": isPlanted ? "r_2" : "r_1", "state": "finished"])
        },
        PlantedCase(.r3, "it ends twice", lines: [1, 2, 3, 4]) { isPlanted, script in
            script.run(.restore, key: "r", detail: ["restore": "r_1", "state": "finished"])
            script.run(.restore, key: "r", detail: ["restore": "r_1", "state": isPlanted ? "failed" : "finished"])
        },
        PlantedCase(.r3, "a later answer has one less", lines: [1, 2, 3, 4]) { isPlanted, script in
            let restored = ObservedTransaction.of("x", "restored", product: "pro", original: "n-t")
            let detail = ["restore": "r_1", "state": "finished"]
            script.run(.restore, key: "r", [restored], detail: detail)
            script.run(.restore, key: "r", isPlanted ? [] : [restored], detail: detail)
        },
        PlantedCase(.r4, "the original is gone", lines: [3, 4, 5, 6]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t", product: "pro")])
            script.line(
                .event, .observe, [.of("x", "restored", product: "pro", original: "n-t")],
                detail: ["what": "transactions"])
            script.run(.finish, detail: ["transaction": "x"])
            script.line(.ok, .finalHistory, isPlanted ? [] : [.of("t", product: "pro")])
        },
    ]

    private static let decisions: [PlantedCase] = [
        PlantedCase(.d2, "approved and declined", lines: [3, 4, 5, 6]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t", "deferred")])
            script.run(.approve, [.of("t", revision: 3)], detail: ["transaction": "t"])
            if isPlanted {
                script.run(.decline, [.of("t", "failed", revision: 4)], detail: ["transaction": "t"])
            } else {
                script.run(.decline, .fail, code: "transactionStateInvalid", detail: ["transaction": "t"])
            }
        },
        PlantedCase(.d2, "declined, and charged", lines: [1, 2, 3, 4, 5]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t", "deferred")])
            script.run(.decline, [.of("t", "failed", revision: 3)], detail: ["transaction": "t"])
            script.ledger(isPlanted ? [.of("purchase:t")] : [])
        },
        PlantedCase(.d3, "still deferred after an approval", lines: [3, 4, 5, 6]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t", "deferred")])
            script.run(.approve, detail: ["transaction": "t"])
            script.run(.listUnfinished, [isPlanted ? .of("t", "deferred") : .of("t", revision: 3)])
        },
        PlantedCase(.i1, "lost before a decision", lines: [1, 2, 3]) { isPlanted, script in
            script.run(.createIntent, product: "pro", detail: ["intent": "i"])
            script.line(.ok, .finalIntents, detail: ["intent": isPlanted ? "" : "h i"])
        },
        PlantedCase(.i1, "lost though the clock was moved before only", lines: [3, 4, 5]) { isPlanted, script in
            script.run(.moveClock)
            script.run(.createIntent, product: "pro", detail: ["intent": "i"])
            script.line(.ok, .finalIntents, detail: ["intent": isPlanted ? "" : "i"])
        },
        PlantedCase(.i1, "not delivered to the next stream", lines: [1, 2, 4, 5]) { isPlanted, script in
            script.run(.createIntent, product: "pro", detail: ["intent": "i"])
            script.line(.invoke, .observe, process: 1000)
            script.stream("opened")
            if !isPlanted { script.stream("intent", intent: "i") }
            script.stream("synchronized")
            script.stream("intent", intent: "i")
        },
        PlantedCase(.i2, "continued and cancelled", lines: [3, 4, 5, 6]) { isPlanted, script in
            script.run(.createIntent, product: "pro", detail: ["intent": "i"])
            script.run(.decideIntent, [.of("t", product: "pro")], detail: ["intent": "i", "decision": "continue"])
            script.run(
                .decideIntent, isPlanted ? .ok : .fail, code: isPlanted ? nil : "intentDecided",
                detail: ["intent": "i", "decision": "cancel"])
        },
        PlantedCase(.i3, "two payments", lines: [3, 4, 5, 6]) { isPlanted, script in
            script.run(.createIntent, product: "pro", detail: ["intent": "i"])
            script.run(.decideIntent, [.of("t", product: "pro")], detail: ["intent": "i", "decision": "continue"])
            script.run(.purchase, key: "s", [.of(isPlanted ? "u" : "t", product: "pro")], detail: ["intent": "i"])
        },
        PlantedCase(.i4, "cancelled, and bought", lines: [3, 4, 5, 6]) { isPlanted, script in
            script.run(.createIntent, product: "pro", detail: ["intent": "i"])
            script.run(.decideIntent, detail: ["intent": "i", "decision": "cancel"])
            script.run(
                .purchase, isPlanted ? .ok : .fail, key: "s",
                [.of("t", isPlanted ? "purchased" : "failed", product: "pro")],
                detail: ["intent": "i"])
        },
        PlantedCase(.i5, "another product", lines: [1, 2, 3, 4]) { isPlanted, script in
            script.run(.createIntent, product: "pro", detail: ["intent": "i"])
            script.run(
                .decideIntent, [.of("t", product: isPlanted ? "coins" : "pro")],
                detail: ["intent": "i", "decision": "continue"])
        },
    ]

    private static let overrides: [PlantedCase] = [
        PlantedCase(.m1, "an older value", lines: [1, 2, 3, 4, 5, 6]) { isPlanted, script in
            script.run(.overrideWrite, detail: ["order": "a b"])
            script.run(.overrideWrite, detail: ["order": "b a"])
            script.run(.overrideRead, detail: ["order": isPlanted ? "a b" : "b a"])
        },
        PlantedCase(.m1, "an unknown write shows and hides", lines: [1, 2, 3, 4, 5, 6, 7, 8, 9]) { isPlanted, script in
            script.run(.overrideWrite, .info, detail: ["order": "a", "version": "1"])
            script.line(.invoke, .overrideWrite, detail: ["order": "b", "version": "2"])
            script.run(.overrideRead, detail: ["order": "b", "version": "2"])
            script.run(.overrideRead, detail: ["order": "a", "version": "1"])
            script.run(
                .overrideRead, detail: isPlanted ? ["order": "b", "version": "2"] : ["order": "a", "version": "1"])
        },
        PlantedCase(.m2, "a product twice", lines: [1, 2]) { isPlanted, script in
            script.run(.storePage, detail: ["order": isPlanted ? "a b a" : "a b"])
        },
        PlantedCase(.m2, "another order than the device's", lines: [1, 2, 3, 4]) { isPlanted, script in
            script.run(.overrideWrite, detail: ["order": "b a"])
            script.run(.storePage, detail: ["order": isPlanted ? "a b c" : "b a c"])
        },
        PlantedCase(.m2, "a hidden product", lines: [1, 2, 3, 4]) { isPlanted, script in
            script.run(.overrideWrite, product: "b", detail: ["visibility": "hide"])
            script.run(.storePage, detail: ["order": isPlanted ? "a b" : "a"])
        },
        PlantedCase(.m3, "another device's order", lines: [1, 2, 3, 4]) { isPlanted, script in
            script.run(.overrideWrite, detail: ["order": "b a"])
            script.device = "alice-2"
            script.run(.overrideRead, detail: ["order": isPlanted ? "b a" : ""])
        },
    ]

    private static let notifications: [PlantedCase] = [
        PlantedCase(.n2, "one identifier of two events", lines: [1, 2]) { isPlanted, script in
            script.events(["e1": "t"])
            script.events([isPlanted ? "e1" : "e2": "u"])
        },
        PlantedCase(.n2, "an identifier behind a later one", lines: [1, 2]) { isPlanted, script in
            script.events([isPlanted ? "e3" : "e1": "t"])
            script.events(["e2": "u"])
        },
        PlantedCase(.n2, "an event that the reader missed", lines: [1, 2, 5]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.run(.purchase, key: "l", [.of("u")])
            script.events(isPlanted ? ["e2": "u"] : ["e1": "t", "e2": "u"], .finalEvents)
            script.events(["e1": "t", "e2": "u"])
        },
        PlantedCase(.n2, "a position that is known no more", lines: [1]) { isPlanted, script in
            script.events(["e1": "t"], refused: isPlanted ? "'after' is not a position" : nil)
        },
        PlantedCase(.n1, "missing in the end", lines: [1, 2]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            if !isPlanted { script.notification("ONE_TIME_CHARGE", of: "n-t") }
            script.phase("settled")
        },
        PlantedCase(.n1, "two UUIDs of one event", lines: [1, 2, 3, 4]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.notification("ONE_TIME_CHARGE", of: "n-t")
            script.notification("ONE_TIME_CHARGE", of: isPlanted ? "n-t" : "n-u")
        },
        PlantedCase(.n1, "again after it was taken", lines: [3, 4]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.notification("ONE_TIME_CHARGE", of: "n-t", uuid: "a", answer: isPlanted ? .taken : .refused)
            script.notification("ONE_TIME_CHARGE", of: "n-t", uuid: "a")
        },
        PlantedCase(.n1, "other bytes in the second delivery", lines: [3, 4]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.notification("ONE_TIME_CHARGE", of: "n-t", uuid: "a", answer: .hungUp)
            script.notification("ONE_TIME_CHARGE", of: "n-t", uuid: "a", bytes: isPlanted ? "b" : "uuid a")
        },
        PlantedCase(.n1, "out of the customer's order", lines: [1, 2, 5, 6]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.run(.purchase, key: "l", [.of("u")])
            // The dates alone would not tell.
            script.notification("ONE_TIME_CHARGE", of: isPlanted ? "n-u" : "n-t", signed: 1)
            script.notification("ONE_TIME_CHARGE", of: isPlanted ? "n-t" : "n-u", signed: 2)
        },
        PlantedCase(.n1, "dates that go back", lines: [3, 4, 5, 6]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.run(.purchase, key: "l", [.of("u")])
            script.notification("ONE_TIME_CHARGE", of: "n-t", signed: isPlanted ? 3 : 1)
            script.notification("ONE_TIME_CHARGE", of: "n-u", signed: 2)
        },
        PlantedCase(.n1, "a renewal told as a purchase", lines: [1, 2]) { isPlanted, script in
            script.stream("transactions", [.of("t", product: "monthly", original: "n-s", expires: 100)])
            script.notification(isPlanted ? "SUBSCRIBED.RESUBSCRIBE" : "DID_RENEW", of: "n-t")
            script.phase("settled")
        },
        PlantedCase(.n1, "of a transaction that nobody has", lines: [3]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.notification("ONE_TIME_CHARGE", of: isPlanted ? "n-x" : "n-t")
            script.line(.ok, .finalHistory, [.of("t")])
            if isPlanted { script.notification("ONE_TIME_CHARGE", of: "n-t") }
            script.phase("settled")
        },
        PlantedCase(.n1, "a refund that nobody has made", lines: [1, 2, 4]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.notification("ONE_TIME_CHARGE", of: "n-t")
            if isPlanted { script.notification("REFUND", of: "n-t") }
            script.phase("settled")
        },
        PlantedCase(.n1, "no end of a subscription that is over", lines: [1, 2]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t", product: "monthly", expires: 1000)])
            script.line(
                .ok, .finalHistory, [.of("t", product: "monthly", expires: 1000)], detail: ["now": "1000000"])
            script.notification("SUBSCRIBED.INITIAL_BUY", of: "n-t")
            if !isPlanted { script.notification("EXPIRED.VOLUNTARY", of: "n-t") }
            script.phase("settled")
        },
        PlantedCase(.n1, "a cancellation that is not told", lines: [4]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t", product: "monthly", expires: 100)])
            script.run(.cancelSubscription, [.of("t", product: "monthly", expires: 100)], detail: ["transaction": "t"])
            script.notification("SUBSCRIBED.INITIAL_BUY", of: "n-t")
            if !isPlanted { script.notification("DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED", of: "n-t") }
            script.phase("settled")
        },
        PlantedCase(.n1, "bytes that are no notification", lines: [3]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.notification("ONE_TIME_CHARGE", of: "n-t", uuid: isPlanted ? "" : "a")
        },
    ]

    /// Isolated stores, hostile peers, and one story.
    private static let besides: [PlantedCase] = [
        PlantedCase(.x1, "a store's purchase in the app's history", lines: [4, 5, 6]) { isPlanted, script in
            script.store("made")
            script.store("bought", ["id": "s", "number": "n-s", "state": "purchased", "price": "199"])
            script.run(.readHistory, isPlanted ? [.of("s")] : [])
        },
        PlantedCase(.x1, "the app's purchase in a store's history", lines: [6]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.store("made")
            script.store("history", ["ids": isPlanted ? "t" : ""])
        },
        PlantedCase(.x1, "another store's events", lines: [8]) { isPlanted, script in
            script.store("made", of: "app/t-1")
            script.store("bought", ["id": "s", "number": "n-s", "state": "purchased", "price": "199"], of: "app/t-1")
            script.store("made", of: "app/t-2")
            script.store("events", ["ids": isPlanted ? "s" : ""], of: "app/t-2")
        },
        PlantedCase(.x1, "a purchase that a store has lost", lines: [4, 6]) { isPlanted, script in
            script.store("made")
            script.store("bought", ["id": "s", "number": "n-s", "state": "purchased", "price": "199"])
            script.store("history", ["ids": isPlanted ? "" : "s"])
        },
        PlantedCase(.x1, "a clock that the app has moved", lines: [4]) { isPlanted, script in
            script.store("made")
            script.store("clock", ["set": "1000", "now": isPlanted ? "2000" : "1000"])
        },
        PlantedCase(.x1, "the app's purchase, by its identifier in a store", lines: [5, 6]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.store("made")
            script.store("reach", ["id": "t"], kind: isPlanted ? .ok : .fail)
        },
        PlantedCase(.x1, "a store that is over and answers", lines: [5, 6]) { isPlanted, script in
            script.store("made")
            script.store("removed")
            script.store("closed", kind: isPlanted ? .ok : .fail)
        },
        PlantedCase(.x1, "a store's event among the app's", lines: [5]) { isPlanted, script in
            script.store("made")
            script.store("bought", ["id": "s", "number": "n-s", "state": "purchased", "price": "199"])
            script.events(isPlanted ? ["e1": "s"] : [:])
        },
        PlantedCase(.x1, "a store's setting, at the app's purchase", lines: [3, 5, 6]) { isPlanted, script in
            script.store("made")
            script.store("set", ["setting": "processor"])
            script.run(
                .purchase, isPlanted ? .fail : .ok, key: "k",
                [isPlanted ? .of("t", "failed", setting: "processor") : .of("t")])
        },
        PlantedCase(.x1, "a store's Ask to Buy, at the app's purchase", lines: [3, 5, 6]) { isPlanted, script in
            script.store("made")
            script.store("set", ["setting": "askToBuy"])
            script.run(
                .purchase, key: "k", [.of("t", "deferred")], detail: isPlanted ? nil : ["asks": "true"])
            script.run(.purchase, key: "k2", [.of("u")])
        },
        PlantedCase(.x1, "a store's setting, at another store's purchase", lines: [3, 7, 8]) { isPlanted, script in
            script.store("made", of: "app/t-1")
            script.store("set", ["setting": "interruptPurchases"], of: "app/t-1")
            script.store("made", of: "app/t-2")
            let outcome = ["state": isPlanted ? "failed" : "purchased", "error": isPlanted ? "interruptPurchases" : ""]
            script.store(
                "bought", outcome.merging(["id": "s", "number": "n-s"]) { $1 }, of: "app/t-2",
                kind: isPlanted ? .fail : .ok)
        },
        PlantedCase(.x1, "a setting that stops nothing in its own store", lines: [3, 5, 6]) { isPlanted, script in
            script.store("made")
            script.store("set", ["setting": "processor"])
            script.store(
                "stopped",
                ["id": "s", "setting": "processor", "state": isPlanted ? "purchased" : "failed", "error": "processor"],
                kind: isPlanted ? .ok : .fail)
        },
        PlantedCase(.x1, "a store's setting, at the app's renewal", lines: [5, 8]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t", product: "monthly", expires: 1)])
            script.store("made")
            script.store("set", ["setting": "processor"])
            script.notification("SUBSCRIBED.INITIAL_BUY", of: "n-t")
            script.notification(isPlanted ? "DID_FAIL_TO_RENEW" : "DID_RENEW", of: "n-t")
        },
        PlantedCase(.n1, "none of a store's purchase", lines: [4]) { isPlanted, script in
            script.store("made")
            script.store("bought", ["id": "s", "number": "n-s", "state": "purchased", "price": "199"])
            if !isPlanted { script.notification("ONE_TIME_CHARGE", of: "n-s", app: "app/t-1") }
            script.store("waited", kind: .event)
            script.phase("settled")
        },
        PlantedCase(.n1, "none of a purchase whose customer was not set up", lines: [6]) { isPlanted, script in
            script.store("made")
            script.store("set", ["setting": "processor"], kind: .info)
            script.store(
                "stopped",
                ["id": "s", "number": "n-s", "setting": "processor", "state": "purchased", "price": "199"])
            if !isPlanted { script.notification("ONE_TIME_CHARGE", of: "n-s", app: "app/t-1") }
            script.store("waited", kind: .event)
            script.phase("settled")
        },
        PlantedCase(.n1, "a notification at another store's endpoint", lines: [5]) { isPlanted, script in
            script.store("made")
            script.store("bought", ["id": "s", "number": "n-s", "state": "purchased", "price": "199"])
            script.notification("ONE_TIME_CHARGE", of: "n-s", app: isPlanted ? "app/t-2" : "app/t-1")
        },
        PlantedCase(.h1, "refused beside hostile peers", lines: [2, 3]) { isPlanted, script in
            script.fault("hostile-clients", "gateway", "begin")
            script.run(.listUnfinished, isPlanted ? .fail : .ok, code: isPlanted ? "serviceUnavailable" : nil, [])
            script.setStatus(isPlanted ? 503 : 200)
            script.fault("hostile-clients", "gateway", "end")
        },
        PlantedCase(.h1, "no answer beside hostile peers", lines: [2, 3]) { isPlanted, script in
            script.fault("hostile-webhooks", "app-store-server", "begin")
            script.run(.listUnfinished, isPlanted ? .info : .ok, [])
            script.fault("hostile-webhooks", "app-store-server", "end")
        },
        PlantedCase(.h1, "slow beside hostile peers", lines: [202, 203]) { isPlanted, script in
            for _ in 1...100 { script.run(.listUnfinished, []) }
            script.fault("hostile-clients", "gateway", "begin")
            for _ in 1...100 {
                script.run(.listUnfinished, [])
                script.setMilliseconds(isPlanted ? 60_000 : 900)
            }
        },
        PlantedCase(.t1, "revoked on the device and not in the API", lines: [1, 2]) { isPlanted, script in
            script.story(device: "revoked", api: isPlanted ? "" : "revoked")
        },
        PlantedCase(.t1, "another period in the receipt", lines: [1, 2]) { isPlanted, script in
            script.story(
                device: "expires=2900", api: "expires=2900", receipt: isPlanted ? "expires=1000" : "expires=2000")
        },
        PlantedCase(.t1, "another story in the last notification", lines: [3, 5, 6]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t")])
            script.notification("ONE_TIME_CHARGE", of: "n-t", story: isPlanted ? "revoked" : "")
            script.phase("settled")
            script.story(device: "", api: "")
        },
    ]

    private static let offers: [PlantedCase] = [
        PlantedCase(.o1, "two introductory offers", lines: [1, 2, 3, 4]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t", product: "monthly", price: 0, offer: "introductory")])
            script.run(
                .purchase, key: "l", [.of("u", product: "yearly", price: 0, offer: isPlanted ? "introductory" : nil)])
        },
        PlantedCase(.o2, "eligible after use", lines: [1, 2, 3, 4]) { isPlanted, script in
            script.run(.purchase, key: "k", [.of("t", product: "monthly", price: 0, offer: "introductory")])
            script.run(
                .eligibility, product: "yearly",
                detail: ["group": "g", "answer": isPlanted ? "eligible" : "ineligible"])
        },
        PlantedCase(.o4, "ineligible though each purchase failed", lines: [1, 2, 3]) { isPlanted, script in
            script.run(.purchase, .fail, key: "k", product: "monthly", [.of("t", "failed", product: "monthly")])
            script.line(
                .ok, .finalEligibility, detail: ["group": "g", "answer": isPlanted ? "ineligible" : "eligible"])
        },
        PlantedCase(.o4, "ineligible though the parent declined", lines: [1, 2, 5]) { isPlanted, script in
            script.run(.purchase, key: "k", product: "monthly", [.of("t", "deferred", product: "monthly")])
            script.run(
                .decline, [.of("t", "failed", product: "monthly", revision: 3)], detail: ["transaction": "t"])
            script.line(
                .ok, .finalEligibility, detail: ["group": "g", "answer": isPlanted ? "ineligible" : "eligible"])
        },
        PlantedCase(.s2, "two periods with one end", lines: [2, 3]) { isPlanted, script in
            script.stream("opened")
            script.stream("transactions", [.of("r1", product: "monthly", original: "o", expires: 100)])
            script.stream(
                "transactions", [.of("r2", product: "monthly", original: "o", expires: isPlanted ? 100 : 200)])
        },
        PlantedCase(.s3, "renewed after a cancellation", lines: [3, 4, 5]) { isPlanted, script in
            script.run(.purchase, key: "k", product: "monthly", [.of("t", product: "monthly", expires: 100)])
            script.run(.cancelSubscription, [.of("t", product: "monthly", expires: 100)], detail: ["transaction": "t"])
            script.stream(
                "transactions", isPlanted ? [.of("r", product: "monthly", original: "n-t", expires: 200)] : [])
        },
        PlantedCase(.s3, "renewed after a cancellation, though a key was sent again", lines: [3, 4, 7]) {
            isPlanted, script in
            script.run(.purchase, key: "k", product: "monthly", [.of("t", product: "monthly", expires: 100)])
            script.run(.cancelSubscription, [.of("t", product: "monthly", expires: 100)], detail: ["transaction": "t"])
            script.run(.purchase, key: "k", product: "monthly", [.of("t", product: "monthly", expires: 100)])
            script.stream(
                "transactions", isPlanted ? [.of("r", product: "monthly", original: "n-t", expires: 200)] : [])
        },
        PlantedCase(.s6, "two active subscriptions", lines: [1]) { isPlanted, script in
            script.line(
                .ok, .finalHistory,
                [
                    .of("t", product: "monthly", expires: 100),
                    .of("u", product: "yearly", expires: isPlanted ? 100 : 10),
                ], detail: ["now": "50"])
        },
    ]
}
