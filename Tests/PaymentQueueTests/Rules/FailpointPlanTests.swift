import Testing

@testable import PaymentQueue

/// Goal: what is asked of a process under test is understood as it was meant, or refused by name.
@Suite struct FailpointPlanTests {
    @Test func `one entry a checkpoint, its action and its pass`() throws {
        let plan = try FailpointPlan("afterCharge=kill@2,insideRestoreCommit=error,afterPublish=delay:200@3")
        #expect(plan.entries.count == 3)
        #expect(plan.action(at: .afterCharge, pass: 1) == nil)
        #expect(plan.action(at: .afterCharge, pass: 2) == .kill)
        #expect(plan.action(at: .afterCharge, pass: 3) == nil)
        #expect(plan.action(at: .insideRestoreCommit, pass: 1) == .error)
        #expect(plan.action(at: .afterPublish, pass: 3) == .delay(200))
        #expect(plan.action(at: .beforeFirstCommit, pass: 1) == nil)
    }

    @Test func `nothing asks for nothing`() throws {
        #expect(try FailpointPlan("").entries.isEmpty)
    }

    @Test(arguments: Checkpoint.allCases) func `every checkpoint has its name`(_ checkpoint: Checkpoint) throws {
        #expect(try FailpointPlan("\(checkpoint.rawValue)=kill").action(at: checkpoint, pass: 1) == .kill)
    }

    @Test(arguments: [
        "afterCharge", "nowhere=kill", "afterCharge=stop", "afterCharge=kill@0", "afterCharge=kill@x",
        "afterCharge=delay", "afterCharge=delay:", "afterCharge=delay:-1", "afterCharge=delay:60001", "=kill",
        "afterCharge=kill=error", "afterCharge=kill@1@2", "afterCharge=Kill",
    ]) func `a mistake names the entry`(_ text: String) {
        #expect {
            _ = try FailpointPlan("afterCharge=kill,\(text)")
        } throws: { error in
            "\(error)".hasPrefix("'\(text)'")
        }
    }
}
