import StoreHTTP
import StorebusTesting
import Testing

@testable import Chaos

/// Each checker on a history that keeps its invariant, and on the same one with a planted violation.
@Suite(.slow) struct CheckerTests {
    private func check(_ entries: [HistoryEntry]) -> HistoryCheck {
        var options = RunOptions()
        options.products = PlantedCase.products
        return HistoryCheck(entries, options: options)
    }

    @Test(arguments: PlantedCase.all)
    func `an invariant that is kept is looked at, and not reported`(planted: PlantedCase) {
        let check = check(planted.entries(isPlanted: false))
        #expect(!check.violations.contains { $0.invariant == planted.invariant }, "\(check.violations)")
        #expect(check.examined[planted.invariant, default: 0] > 0)
    }

    @Test(arguments: PlantedCase.all)
    func `a planted violation is found with its smallest history`(planted: PlantedCase) throws {
        let entries = planted.entries(isPlanted: true)
        let check = check(entries)
        #expect(check.verdict == .invalid)
        let violation = try #require(
            check.violations.first { $0.invariant == planted.invariant }, "\(check.violations.map(\.invariant))")
        #expect(violation.lines.map(\.index) == planted.lines, "\(violation)")
        #expect(!violation.expected.isEmpty && !violation.found.isEmpty && violation.expected != violation.found)
    }

    @Test func `every invariant that is checked has a planted violation`() {
        #expect(Set(PlantedCase.all.map(\.invariant)) == Set(Invariant.allCases))
    }

    @Test func `lists are cut to the transaction a violation is about`() throws {
        var script = Script()
        script.run(.purchase, key: "k", [.of("t")])
        script.line(.ok, .finalHistory, (0..<50).map { .of("u\($0)") })
        let violation = try #require(check(script.entries).violations.first { $0.invariant == .p1 })
        #expect(violation.lines.map(\.transactions) == [nil, [.of("t")], []])
    }

    @Test func `requests that overlap may take effect in either order`() {
        var script = Script()
        let buy = script.line(.invoke, .purchase, key: "k")
        let list = script.line(.invoke, .listUnfinished, process: 2)
        let read = script.line(.invoke, .readHistory, process: 3)
        script.line(.ok, .purchase, of: buy, key: "k", [.of("t")])
        script.line(.ok, .listUnfinished, of: list, process: 2, [])
        script.line(.ok, .readHistory, of: read, process: 3, [])
        let finish = script.line(.invoke, .finish, detail: ["transaction": "t"])
        script.run(.listUnfinished, [.of("t")])
        script.run(.listUnfinished, [])
        script.line(.ok, .finish, of: finish)
        let first = script.line(.invoke, .overrideWrite, detail: ["order": "a b"])
        let second = script.line(.invoke, .overrideWrite, process: 2, detail: ["order": "b a"])
        script.line(.ok, .overrideWrite, of: first)
        script.line(.ok, .overrideWrite, of: second, process: 2)
        script.run(.overrideRead, detail: ["order": "a b"])
        #expect(check(script.entries).violations == [])
    }

    @Test func `a delivery that a fault delays is waited for`() {
        var script = Script()
        script.stream("opened")
        script.stream("synchronized")
        script.line(.event, .fault, detail: ["what": "begin", "name": "kill", "target": "gateway", "number": "1"])
        script.run(.purchase, key: "k", [.of("t")])
        script.wait(60)
        script.line(.event, .fault, detail: ["what": "end", "name": "kill", "target": "gateway", "number": "1"])
        script.wait(2)
        script.stream("ended")
        script.wait(60)
        script.run(.listUnfinished, [.of("t")])
        #expect(check(script.entries).violations == [])
    }

    @Test func `a restore may have begun when its key was first sent`() {
        var script = Script()
        script.run(.purchase, key: "k", [.of("t", product: "pro")])
        script.run(.restore, .info, key: "r")
        script.run(.finish, detail: ["transaction": "t"])
        script.run(.restore, key: "r", [], detail: ["restore": "r_1", "state": "finished"])
        #expect(check(script.entries).violations == [])
        script.run(.restore, key: "s", [], detail: ["restore": "r_2", "state": "finished"])
        #expect(check(script.entries).violations.map(\.invariant) == [.r1])
    }

    /// Goal: nothing that a store may do around a restore is reported. Method: each interleaving by hand, behind a
    /// purchase that may be finished before.
    @Test(arguments: RestoreCase.all)
    func `a legal interleaving of restores is not reported`(one: RestoreCase) {
        let check = check(one.entries(isLegal: true))
        #expect(check.violations == [])
        #expect(check.examined[.r3, default: 0] > 0)
    }

    @Test(arguments: RestoreCase.all.filter { !$0.broken.isEmpty })
    func `the same with one too many or too few is reported`(one: RestoreCase) {
        let broken = check(one.entries(isLegal: false)).violations
        #expect(Set(broken.map(\.invariant)) == one.broken, "\(broken)")
        #expect(broken.allSatisfy { !$0.lines.isEmpty })
    }

    @Test func `a restore may leave out what was finished after its key was sent, but not in a later answer only`() {
        func broken(_ first: [String], _ second: [String]) -> [Invariant] {
            var script = Script()
            script.run(.purchase, key: "k", [.of("t", product: "pro")])
            script.run(.restore, .info, key: "r")
            script.run(.finish, detail: ["transaction": "t"])
            script.restore("r", first)
            script.restore("r", second)
            return check(script.entries).violations.map(\.invariant)
        }
        #expect(broken([], []) == [])
        #expect(broken(["x"], ["x"]) == [])
        #expect(broken(["x"], []) == [.r3])
        #expect(broken([], ["x"]) == [.r3])
    }

    @Test func `restores of an older run have no transactions, and are not checked for them`() throws {
        let lines = [
            #"{"index":1,"time":1,"process":1,"kind":"invoke","operation":"restore","account":"a","device":"a-1","#
                + #""key":"r"}"#,
            #"{"index":2,"time":2,"process":1,"kind":"ok","of":1,"operation":"restore","account":"a","device":"a-1","#
                + #""key":"r","status":202,"detail":{"restore":"r_1","state":"finished"}}"#,
        ]
        let old = try HistoryReader.read(Array(lines.map { $0 + "\n" }.joined().utf8), file: "h")
        #expect(old[1].transactions == nil)
        #expect(check(old).violations == [])
        var script = Script()
        script.run(.purchase, key: "k", [.of("t", product: "pro")])
        script.run(.finish, detail: ["transaction": "t"])
        script.restore("r", nil)
        #expect(check(script.entries).violations == [], "streams had no calm time")
        script.wait(20)
        script.run(.listUnfinished, [])
        #expect(check(script.entries).violations.map(\.invariant) == [.r1])
        script.run(.listUnfinished, [.restored("x")])
        #expect(
            check(script.entries).violations.map(\.invariant) == [.r1, .r3], "the restore was over before it came")
    }

    @Test func `pairs are as many as there can be`() {
        #expect(Pairing([[0, 1], [0], []]).alone == [2])
        #expect(Pairing([[0], [0, 1], [1]]).alone == [2])
        #expect(Pairing([[0, 1], [0, 2], [0]]).alone == [])
        #expect(Pairing([]).alone == [])
    }

    @Test func `a purchase approved after a cancellation is no renewal`() {
        var script = Script()
        script.run(.purchase, key: "k", product: "monthly", [.of("t", product: "monthly", expires: 100)])
        script.run(.purchase, key: "k2", product: "yearly", [.of("u", "deferred", product: "yearly")])
        script.run(.cancelSubscription, [.of("t", product: "monthly", expires: 100)], detail: ["transaction": "t"])
        script.run(
            .approve, [.of("u", product: "yearly", revision: 3, original: "n-t", expires: 900)],
            detail: ["transaction": "u"])
        #expect(check(script.entries).violations.filter { $0.invariant == .s3 } == [])
    }

    @Test func `a class without one success is unknown, never valid`() {
        var script = Script()
        script.run(.purchase, key: "k", [.of("t")])
        script.run(.refund, .fail, code: "notFound", detail: ["transaction": "x"])
        script.line(.ok, .finalHistory, [.of("t")])
        script.line(.ok, .finalUnfinished, [.of("t")])
        script.ledger([.of("purchase:t")])
        let unknown = check(script.entries)
        #expect(unknown.verdict == .unknown && unknown.gaps == ["refund: 1 tried, none succeeded"])
        #expect(check(script.entries.filter { $0.operation != .refund }).verdict == .valid)
        #expect(check([]).verdict == .unknown)
    }

    @Test func `a run without its final reads is unknown`() {
        var script = Script()
        script.run(.purchase, key: "k", [.of("t")])
        let check = check(script.entries)
        #expect(check.verdict == .unknown && check.gaps.count == 3)
    }

    @Test func `a class the run was asked for and did not try is unknown`() {
        let check = HistoryCheck([], options: RunOptions(operations: [.restore]))
        #expect(check.verdict == .unknown && check.gaps == ["restore: 0 tried, none succeeded"])
    }

    @Test func `an unknown outcome that was not sent again leaves the run unknown`() {
        var script = Script()
        script.run(.purchase, key: "k", [.of("t")])
        script.run(.purchase, .info, key: "l")
        #expect(check(script.entries).gaps.contains { $0.hasPrefix("1 keys") })
    }
}
