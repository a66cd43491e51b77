import StoreHTTP
import StorebusTesting
import Testing

@testable import Chaos

/// Histories of a store that keeps every rule are valid, and the same ones with a planted violation are not.
///
/// Goal: no false alarm under concurrency and unknown outcomes, and none missed. Method: a model store writes a history
/// of each seed; each mutation changes it where its invariant is at stake.
@Suite(.slow) struct GeneratedHistoryTests {
    private static var options: RunOptions {
        var options = RunOptions()
        options.products = ModelStore.products
        return options
    }

    @Test func `two hundred histories of a store that keeps the rules are valid`() {
        var random = SplitMix64.seeded()
        var examined: [Invariant: Int] = [:]
        for _ in 0..<200 {
            let seed = random.next()
            let check = HistoryCheck(ModelStore.history(seed: seed), options: Self.options)
            #expect(check.violations == [], "seed \(seed)")
            // A short history may lack a success of a rare class; that is all that may be missing.
            #expect(check.gaps.allSatisfy { $0.hasSuffix("none succeeded") }, "seed \(seed): \(check.gaps)")
            examined.merge(check.examined, uniquingKeysWith: +)
        }
        let idle = Invariant.allCases.filter { examined[$0, default: 0] == 0 }
        // In the model not every purchase of a customer's group fails, and it has neither isolated stores, nor hostile
        // peers, nor a Server API, nor families.
        #expect(idle == [.o4, .f1, .f2, .x1, .h1, .t1])
    }

    @Test func `a history that goes on breaks nothing that is decided at once`() {
        var random = SplitMix64.seeded()
        var examined: Set<Invariant> = []
        for _ in 0..<100 {
            let seed = random.next()
            let entries = ModelStore.history(seed: seed)
            let count = Int.random(in: 0...entries.count, using: &random)
            let check = HistoryCheck(Array(entries.prefix(count)), options: Self.options)
            let broken = check.violations.filter { Invariant.decidedAtOnce.contains($0.invariant) }
            #expect(broken == [], "seed \(seed), \(count) of \(entries.count) lines")
            examined.formUnion(check.examined.filter { $0.value > 0 }.keys)
        }
        #expect(examined.isSuperset(of: Invariant.decidedAtOnce))
    }

    @Test func `a history is its seed's`() {
        #expect(ModelStore.history(seed: 7) == ModelStore.history(seed: 7))
        #expect(ModelStore.history(seed: 7) != ModelStore.history(seed: 8))
    }

    @Test func `a generated history is read as it was written`() throws {
        let entries = ModelStore.history(seed: 11)
        #expect(try HistoryReader.read(entries.flatMap(HistoryWriter.line), file: "h") == entries)
    }

    @Test(arguments: Mutation.all)
    func `a planted violation is found in histories it fits`(mutation: Mutation) {
        expectFound(mutation, SplitMix64.seeded(mutation.name))
    }

    @Test func `restores' lines are as a real run's, which has the whole queue of the device or no list`() {
        var random = SplitMix64.seeded()
        var (older, without, again) = (0, 0, 0)
        for _ in 0..<50 {
            var shown: Set<String> = []
            var keys: Set<String> = []
            for entry in ModelStore.history(seed: random.next()) {
                guard entry.operation == .restore, entry.kind == .ok else { continue }
                let list = entry.transactions ?? []
                if entry.transactions == nil { without += 1 }
                if keys.insert("\(entry.device ?? "") \(entry.key ?? "")").inserted {
                    older += list.count { shown.contains($0.id) }
                } else {
                    again += 1
                }
                shown.formUnion(list.map(\.id))
            }
        }
        #expect(min(older, without, again) > 0, "\(older) \(without) \(again)")
    }

    @Test(arguments: ["drop a transaction from the final history", "charge a failed purchase", "miss an event"])
    func `no violation is planted about a transaction that was never shown`(name: String) throws {
        var script = Script()
        script.events(["e1": "t"])
        script.events(["e1": "t"], .finalEvents)
        script.ledger([.of("purchase:u", "declined")])
        script.line(.ok, .finalHistory, [.of("t")])
        let mutation = try #require(Mutation.all.first { $0.name == name })
        var (entries, random) = (script.entries, SplitMix64(seed: 1))
        #expect(!mutation.plant(&entries, &random))
    }

    private func expectFound(_ mutation: Mutation, _ random: SplitMix64) {
        var random = random
        var planted = 0
        for _ in 0..<200 {
            let seed = random.next()
            var entries = ModelStore.history(seed: seed)
            guard mutation.plant(&entries, &random) else { continue }
            planted += 1
            let check = HistoryCheck(entries, options: Self.options)
            #expect(check.verdict == .invalid, "seed \(seed)")
            #expect(
                check.violations.contains { mutation.invariants.contains($0.invariant) },
                "seed \(seed): \(check.violations.map(\.invariant))")
            #expect(check.violations.allSatisfy { !$0.lines.isEmpty && $0.lines.count <= 60 }, "seed \(seed)")
            if planted == 8 { break }
        }
        #expect(planted > 0, "no history of 200 fits")
    }
}
