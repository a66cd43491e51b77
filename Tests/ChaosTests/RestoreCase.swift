import Testing

@testable import Chaos

/// An interleaving of restores with other requests, as a store may have it, and with one transaction wrong.
struct RestoreCase: Sendable, CustomTestStringConvertible {
    let name: String
    /// Invariants that the wrong one breaks. Empty if each outcome is legal.
    let broken: Set<Invariant>
    /// Writes what follows the purchase `t` of `pro` and its finish.
    let write: @Sendable (_ isLegal: Bool, _ script: inout Script) -> Void

    init(
        _ name: String, breaks broken: Set<Invariant> = [],
        _ write: @escaping @Sendable (_ isLegal: Bool, _ script: inout Script) -> Void
    ) {
        self.name = name
        self.broken = broken
        self.write = write
    }

    var testDescription: String { name }

    func entries(isLegal: Bool) -> [HistoryEntry] {
        var script = Script()
        script.run(.purchase, key: "k", [.of("t", product: "pro")])
        script.run(.finish, detail: ["transaction": "t"])
        write(isLegal, &script)
        return script.entries
    }

    static let all: [RestoreCase] = [
        RestoreCase("earlier restores stay in the queue", breaks: [.r1]) { isLegal, script in
            script.restore("r", ["x"], count: 1)
            script.restore("s", isLegal ? ["x", "y"] : ["x"])
        },
        RestoreCase("a repeated key adds nothing", breaks: [.r3]) { isLegal, script in
            script.restore("r", ["x"], count: 1)
            script.restore("r", isLegal ? ["x"] : ["x", "y"], count: 1)
        },
        RestoreCase("what is finished meanwhile is missing from later lists", breaks: [.r1, .r3]) { isLegal, script in
            script.restore("r", ["x"], count: 1)
            if isLegal { script.run(.finish, .info, detail: ["transaction": "x"]) }
            script.restore("r", [], count: 1)
        },
        RestoreCase("what is finished before the queue is read is in no list", breaks: [.r1, .r3]) { isLegal, script in
            let begin = script.line(.invoke, .restore, key: "r")
            script.stream("transactions", [.restored("x")])
            let finish = script.line(.invoke, .finish, process: 2, detail: ["transaction": isLegal ? "x" : "t"])
            script.endRestore("r", of: begin, [], count: 1)
            script.line(.ok, .finish, of: finish, process: 2)
        },
        RestoreCase("two restores at once show each other's", breaks: [.r3]) { isLegal, script in
            let first = script.line(.invoke, .restore, key: "r")
            let second = script.line(.invoke, .restore, process: 2, key: "s")
            script.endRestore("s", of: second, ["x"], count: 1)
            script.endRestore("r", of: first, isLegal ? ["x", "y"] : ["x", "y", "z"], count: 1)
        },
        RestoreCase("two restores at once bring two", breaks: [.r1]) { isLegal, script in
            let first = script.line(.invoke, .restore, key: "r")
            let second = script.line(.invoke, .restore, process: 2, key: "s")
            script.endRestore("s", of: second, ["x"])
            script.endRestore("r", of: first, isLegal ? ["x", "y"] : ["x"])
        },
        RestoreCase("a restore of an unknown outcome may come at any time", breaks: [.r3]) { isLegal, script in
            script.run(.restore, .info, key: "r")
            script.restore("s", ["x"], count: 1)
            script.restore("q", isLegal ? ["x", "y", "z"] : ["x", "y", "z", "u"], count: 1)
        },
        RestoreCase("a restore of an unknown outcome is over once its key is answered", breaks: [.r3]) {
            isLegal, script in
            script.run(.restore, .info, key: "r")
            script.restore("r", ["x"], count: 1)
            script.run(.listUnfinished, isLegal ? [.restored("x")] : [.restored("x"), .restored("y")])
        },
        RestoreCase("a restore that still runs may bring more", breaks: [.r3]) { isLegal, script in
            let state = isLegal ? "running" : "finished"
            script.run(.restore, key: "r", detail: ["restore": "r_r", "state": state])
            script.run(.listUnfinished, [])
            script.run(.listUnfinished, [.restored("x")])
        },
        RestoreCase("a restore that was refused brings nothing", breaks: [.r3]) { isLegal, script in
            script.run(.restore, .fail, key: "r", code: "unauthenticated")
            script.restore("s", ["x"])
            script.run(.listUnfinished, isLegal ? [.restored("x")] : [.restored("x"), .restored("y")])
        },
        RestoreCase("each device has its own", breaks: [.r1]) { isLegal, script in
            script.restore("r", ["x"])
            script.run(.readHistory, [.of("t", product: "pro"), .restored("x")])
            script.device = "alice-2"
            script.restore("s", isLegal ? ["y"] : [])
        },
        RestoreCase("a refunded purchase may come back or not") { _, script in
            let refund = script.line(.invoke, .refund, process: 2, detail: ["transaction": "t"])
            script.restore("r", ["x"], count: 1)
            script.line(
                .ok, .refund, of: refund, process: 2, [.of("t", product: "pro", revision: 3, revoked: true)],
                detail: ["transaction": "t"])
            script.restore("s", ["x"], count: 0)
        },
        RestoreCase("a subscription whose renewal was refunded may be over", breaks: [.r1]) { isLegal, script in
            script.run(.purchase, key: "l", product: "monthly", [.of("m", product: "monthly", expires: 100)])
            script.run(.finish, detail: ["transaction": "m"])
            script.stream("transactions", [.of("n", product: "monthly", original: "n-m", expires: 200)])
            if isLegal { script.run(.refund, .info, detail: ["transaction": "n"]) }
            script.restore("r", ["x"], count: 1)
        },
        RestoreCase("a subscription that is renewed meanwhile comes back once", breaks: [.r3]) { isLegal, script in
            script.run(.purchase, key: "l", product: "monthly", [.of("m", product: "monthly", expires: 100)])
            script.run(.finish, detail: ["transaction": "m"])
            let begin = script.line(.invoke, .restore, key: "r")
            script.stream("transactions", [.of("n", product: "monthly", original: "n-m", expires: 200)])
            let back = [100, 200].map { (end: Int64) in
                ObservedTransaction.of(
                    "y\(end)", "restored", product: "monthly", price: nil, original: "n-m", expires: end)
            }
            script.line(
                .ok, .restore, of: begin, key: "r", [ObservedTransaction.restored("x")] + (isLegal ? [back[0]] : back),
                detail: ["restore": "r_r", "state": "finished", "restored": "2"])
        },
    ]
}
