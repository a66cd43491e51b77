import Foundation
import StoreModels
import StorebusTesting
import Testing

/// Goal: `storebus chaos run` breaks a store of real processes, heals it and leaves a history.
/// Method: some seconds of kills and lost messages at two services of a running store; then the history has purchases
/// that succeeded and every fault's begin and end, no rule is left, and the store sells again.
@Suite(.process) struct ChaosRunTests {
    @Test func `a run of kills and lost messages leaves a history and a healed store`() async throws {
        try await StoreStack.run(environment: ["STOREBUS_CHAOS": "true"]) { store in
            let out = store.directory.file("chaos")
            // The run's own verdict is its exit status; what it wrote is looked at either way.
            _ = try? await store.process.storebus([
                "chaos", "run", "--seed", "7", "--duration", "6s", "--target", "payment-queue,eligibility",
                "--faults", "kill,drop", "--data", store.directory.path, "--out", out, "--quiet",
            ])
            let lines = try String(contentsOfFile: "\(out)/history.jsonl", encoding: .utf8)
                .split(separator: "\n").map { try StrictJSON.parse(Array($0.utf8)) }
            let bought = lines.filter { $0["operation"]?.stringValue == "purchase" && $0["kind"]?.stringValue == "ok" }
            #expect(bought.count > 20)
            let faults = lines.filter { $0["operation"]?.stringValue == "fault" }.compactMap { $0["detail"] }
            let begun = faults.filter { $0["what"]?.stringValue == "begin" }.compactMap { $0["number"]?.stringValue }
            let ended = faults.filter { $0["what"]?.stringValue == "end" }.compactMap { $0["number"]?.stringValue }
            #expect(!begun.isEmpty)
            #expect(Set(begun) == Set(ended))
            let queues = lines.filter { $0["detail"]?["restored"] != nil && $0["transactions"]?.arrayValue != nil }
            #expect(!queues.isEmpty, "a restore has the queue of its device")
            #expect(lines.contains { $0["operation"]?.stringValue == "finalCharges" })
            let rules = try await store.process.storebus(["chaos", "fault", "list", "--data", store.directory.path])
            #expect(rules == "no faults\n")
            let customer = try await store.session(account: "afterwards")
            #expect(try await customer.buy("com.example.fishingHotSpots", key: "k").transactionState == .purchased)
        }
    }

    /// Goal: faults with a disk, clock, relay and limits of the run's own hit a store that the run starts.
    /// Method: a matrix of one service and such faults; each round has a verdict and its fault's begin and end, and
    /// nothing of the store is left behind.
    @Test func `faults beyond signals and the bus hit a store of the run's own`() async throws {
        try await StoreStack.run { store in
            let out = store.directory.file("matrix")
            let faults = ["disk-full", "cut-to", "cut-from", "torn-frames", "descriptors"]
            // Without --data the run has a store of its own beside this one.
            _ = try? await store.process.storebus([
                "chaos", "matrix", "--seed", "7", "--length", "1s", "--target", "payment-queue", "--faults",
                faults.joined(separator: ","), "--out", out, "--quiet",
            ])
            for fault in faults {
                let lines = try String(
                    contentsOfFile: "\(out)/payment-queue-\(fault)/history.jsonl", encoding: .utf8
                ).split(separator: "\n").map { try StrictJSON.parse(Array($0.utf8)) }
                let what = lines.filter { $0["operation"]?.stringValue == "fault" }
                    .compactMap { $0["detail"]?["what"]?.stringValue }
                #expect(what == ["begin", "end"], "\(fault)")
                #expect(lines.contains { $0["operation"]?.stringValue == "finalCharges" }, "\(fault)")
            }
        }
    }
}
