import Foundation
import StoreModels
import StorebusTesting
import Testing

/// Goal: the payment queue may die between any two of its steps, and no money and no transaction is lost, doubled or
/// delivered wrongly (P1–P5, Q1–Q5, R1–R4).
/// Method: for each checkpoint the process ends itself there with SIGKILL, once, while the operation that passes it is
/// under way; the client repeats the same request, as it would; then the processor's ledger, the history, the queue and
/// a freshly opened stream are compared. On both databases. Needs debug executables: others have no failpoints.
@Suite(.process) struct FailpointTests {
    /// What a client does when the process dies.
    enum Operation: String, CaseIterable {
        case buy, buyAgain, subscribe, finish, approve, clear, giveUp, restore, download

        /// The checkpoints it passes, by the names `STOREBUS_FAIL` takes.
        var checkpoints: [String] {
            switch self {
            case .buy:
                [
                    "beforeFirstCommit", "insideFirstCommit", "afterFirstCommit", "beforeCharge", "afterCharge",
                    "insideOutcomeCommit", "afterOutcomeCommit", "afterPublish", "beforeReply",
                ]
            case .buyAgain:
                [
                    "beforeAuthorization", "afterAuthorization", "insideFirstCommit", "afterFirstCommit",
                    "beforeCapture", "afterCapture",
                ]
            case .subscribe: ["afterOfferClaim"]
            case .finish: ["insideFinishCommit", "afterFinishCommit"]
            case .approve: ["insideAnswerCommit", "afterAnswerCommit"]
            case .clear: ["insideRemovalCommit", "afterRemovalCommit"]
            case .giveUp: ["afterCancel"]
            case .restore: ["insideRestoreCommit", "afterRestoreCommit"]
            case .download: ["insideDownloadCommit", "afterDownloadCommit"]
            }
        }
    }

    struct Case: CustomTestStringConvertible {
        let operation: Operation
        let checkpoint: String
        var testDescription: String { "\(operation.rawValue), \(checkpoint)" }
    }

    static let cases = Operation.allCases.flatMap { operation in
        operation.checkpoints.map { Case(operation: operation, checkpoint: $0) }
    }

    @Test(arguments: Engine.allCases, cases)
    func `killed at a checkpoint, repeated, and nothing is wrong`(engine: Engine, killed: Case) async throws {
        let directory = try TemporaryDirectory(prefix: "storebus-failpoint")
        // Written when it is wanted; the process that strikes removes it, so that the next one lives.
        let plan = directory.file("plan")
        let environment = try await engine.environment().merging(["STOREBUS_FAIL": "@\(plan)"]) { $1 }
        try await StoreStack.run(environment: environment) { store in
            let rehearsal = try await Rehearsal(store)
            try await rehearsal.prepare(killed.operation)
            let before = try store.pid(of: "payment-queue")
            try "\(killed.checkpoint)=kill@1".write(toFile: plan, atomically: true, encoding: .utf8)
            try await rehearsal.perform(killed.operation)
            try await store.waitForReplacement(of: "payment-queue", after: before)
            #expect(!FileManager.default.fileExists(atPath: plan), "the checkpoint was not passed")
            try await rehearsal.perform(killed.operation)
            try await rehearsal.check(killed.operation)
        }
    }
}
