import StoreModels
import Testing

@testable import Chaos

/// Rules for the broker's fault injector, and names on the command line.
@Suite struct FaultRuleTests {
    @Test func `a partition cuts both directions of requests, replies and discovery`() {
        let rules = BusFault.partition.rules(at: "catalog")
        #expect(rules.allSatisfy { $0.action == "drop" && $0.p == 1 })
        #expect(Set(rules.filter { $0.to == "catalog" }.map(\.match)) == ["sb.>", "_INBOX.>", "$SRV.>"])
        #expect(Set(rules.filter { $0.from == "catalog" }.map(\.match)) == ["sb.>", "_INBOX.>", "$SRV.>"])
    }

    @Test func `rules at the broker concern every service`() {
        #expect(BusFault.drop.rules(at: "broker").allSatisfy { $0.from == nil && $0.to == nil })
    }

    @Test func `only replies are corrupted`() {
        #expect(BusFault.corrupt.rules(at: "gateway").map(\.match) == ["_INBOX.>"])
    }

    @Test func `each fault of the bus has rules, and no other has`() {
        for fault in BusFault.allCases { #expect(!fault.rules(at: "catalog").isEmpty) }
        for fault in FaultName.allCases {
            #expect((fault.busFault == nil) == (fault.means != .busRules), "\(fault)")
        }
    }

    @Test func `a rule is the broker's JSON, without members that are not set`() throws {
        let set = BusRuleSet(seed: .max, rules: [BusRule(match: "sb.>", to: "catalog", p: 0.5, action: "drop")])
        let text = String(decoding: try StoreJSON.encode(set), as: UTF8.self)
        #expect(text.contains(#""to":"catalog""#) && !text.contains("from") && !text.contains("ms"))
        #expect(set.seed == 1 << 53 - 1, "the broker takes 53 bits")
    }

    @Test func `names are split, and an unknown one comes with the list`() throws {
        #expect(try NameList.parse("kill, pause,kill", known: ["kill", "pause"]) == ["kill", "pause"])
        #expect(try NameList.parse(nil, known: ["a", "b"], usual: ["a"]) == ["a"])
        #expect(try NameList.parse("", known: ["a", "b"]) == ["a", "b"])
        #expect(throws: NameList.Unknown(name: "kil", known: ["kill"])) { try NameList.parse("kil", known: ["kill"]) }
    }
}
