import StoreModels

/// A run of `storebus chaos run` against this store, as it reports itself while it goes on.
///
/// ```json
/// {"id":"5c1","seed":"7","app":"chaos-5c1","startedAt":"2026-11-25T10:00:00.000Z",
///  "updatedAt":"2026-11-25T10:00:31.000Z","phase":"faults","elapsedSeconds":31,"durationSeconds":60,
///  "targets":["payment-queue"],"faultNames":["kill"],"workload":"mix","rate":100,"operations":3100,
///  "succeeded":3000,"refused":80,"unknown":20,"services":[{"service":"payment-queue","isUp":true,"faults":[],
///  "worstRecoveryMilliseconds":1800}],"faults":[{"number":1,"fault":"kill","service":"payment-queue",
///  "beganAtSecond":2.1,"endedAtSecond":2.1}],"steps":[{"second":0,"succeeded":98,"refused":2,"unknown":0,
///  "p50Milliseconds":2.1,"p99Milliseconds":9.5}],"stepSeconds":1,"invariants":[]}
/// ```
package struct ChaosRun: Hashable, Sendable, Codable {
    /// The present phase of a run.
    package enum Phase: String, CaseIterable, Sendable, Codable {
        /// The workload without faults.
        case warmUp
        /// The workload with faults.
        case faults
        /// Everything is taken back, and the workload goes on.
        case healed
        /// The workload has ended, and open requests get their outcome.
        case quiet
        /// The final reads.
        case final
        /// The history is checked.
        case ended
    }

    /// The judgement of a run's history.
    package enum Verdict: String, CaseIterable, Sendable, Codable {
        /// Each invariant held.
        case valid
        /// One at least was broken.
        case invalid
        /// No invariant was broken, but the run did not exercise all that it should.
        case unknown
    }

    /// A service and how it is.
    package struct Service: Hashable, Sendable, Codable {
        package var service: String
        /// Whether it answers its probe.
        package var isUp: Bool
        /// The names of the faults that it is under now.
        package var faults: [String]
        /// The longest recovery so far. Absent before the first.
        package var worstRecoveryMilliseconds: Int?
    }

    /// A fault that was injected.
    package struct Fault: Hashable, Sendable, Codable {
        /// Counted from 1.
        package var number: Int
        /// The fault's name, such as `kill`.
        package var fault: String
        package var service: String
        /// Seconds from the run's start.
        package var beganAtSecond: Double
        /// Absent while it is in force.
        package var endedAtSecond: Double?
    }

    /// An event in one step of the timeline.
    package struct Step: Hashable, Sendable, Codable {
        /// The step's begin, in seconds from the run's start.
        package var second: Int
        package var succeeded: Int
        package var refused: Int
        /// Requests without an answer that decides.
        package var unknown: Int
        /// Absent without an answer.
        package var p50Milliseconds: Double?
        package var p99Milliseconds: Double?
    }

    /// An invariant and its outcome.
    package struct Invariant: Hashable, Sendable, Codable {
        /// The outcome of an invariant.
        package enum Outcome: String, CaseIterable, Sendable, Codable {
            case held, broken
            /// It was held against no fact.
            case notExercised = "not exercised"
        }

        /// Its number in `docs/rules.md`, such as `P1`.
        package var invariant: String
        package var statement: String
        package var outcome: Outcome
        /// Facts that it was held against.
        package var examined: Int
        package var violations: Int
    }

    /// As in the path.
    package var id: String
    /// Decimal digits: not every program reads numbers of 64 bits.
    package var seed: String
    /// The bundle identifier of the run's own app.
    package var app: String
    package var startedAt: Timestamp
    package var updatedAt: Timestamp
    package var phase: Phase
    package var elapsedSeconds: Int
    /// The time for faults, without the time before and after them.
    package var durationSeconds: Int
    /// The services that faults are aimed at.
    package var targets: [String]
    package var faultNames: [String]
    package var workload: String
    /// Requests a second.
    package var rate: Int
    package var operations: Int = 0
    package var succeeded: Int = 0
    package var refused: Int = 0
    package var unknown: Int = 0
    package var services: [Service] = []
    package var faults: [Fault] = []
    /// At most 180.
    package var steps: [Step] = []
    package var stepSeconds: Int = 1
    /// Those that can be judged so far.
    package var invariants: [Invariant] = []
    /// Absent while the run goes on, as everything below.
    package var verdict: Verdict?
    /// Acknowledged purchases that are gone.
    package var lost: Int?
    package var doubleCharges: Int?
    package var worstRecoveryMilliseconds: Int?
    /// The end in one line, as the command prints it.
    package var line: String?
    /// The file of the report, on the machine of the run.
    package var report: String?
}

/// A run in a list, without its timeline, faults and invariants.
package struct ChaosRunSummary: Hashable, Sendable, Codable {
    package var id: String
    package var seed: String
    package var startedAt: Timestamp
    package var updatedAt: Timestamp
    package var phase: ChaosRun.Phase
    package var operations: Int
    /// Faults that were injected.
    package var faultCount: Int
    /// Absent while the run goes on, as everything below.
    package var verdict: ChaosRun.Verdict?
    package var lost: Int?
    package var doubleCharges: Int?
    package var worstRecoveryMilliseconds: Int?

    /// Creates the summary of a report.
    package init(_ run: ChaosRun) {
        id = run.id
        seed = run.seed
        startedAt = run.startedAt
        updatedAt = run.updatedAt
        phase = run.phase
        operations = run.operations
        faultCount = run.faults.count
        verdict = run.verdict
        lost = run.lost
        doubleCharges = run.doubleCharges
        worstRecoveryMilliseconds = run.worstRecoveryMilliseconds
    }
}

/// The response of `GET /admin/v1/chaos/runs`.
package struct ChaosRunsResponse: Hashable, Sendable, Codable {
    /// The newest first, at most fifty.
    package var runs: [ChaosRunSummary]
}
