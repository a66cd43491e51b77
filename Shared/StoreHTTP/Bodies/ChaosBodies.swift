import StoreModels

/// A run of `storebus chaos run`: the arguments, and the results that are counted from its history.
///
/// `report.json` is a run. While it goes on, the run reports itself in this form to the gateway of the store that it
/// breaks, without the lines of violations.
///
/// ```json
/// {"setup":{"id":"5c1","seed":"7","app":"chaos.5c1","startedAt":"2026-11-25T10:00:00.000Z","durationSeconds":60,
///  "workload":"mix","rate":100,"customers":8,"devices":2,"driver":"process","targets":["payment-queue"],
///  "faultNames":["kill","drop"],"leftOut":[{"name":"clock-jump","reason":"needs libfaketime"}],"database":"SQLite",
///  "processes":[{"service":"payment-queue","count":1}],"version":"0.1.0","machine":{"cores":2,
///  "memoryBytes":8000000000},"command":"storebus chaos run --seed 7"},"updatedAt":"2026-11-25T10:00:31.000Z",
///  "phase":"faults","elapsedSeconds":31,"counts":{"succeeded":3000,"declined":70,"refused":10,"unknown":20},
///  "operationKinds":[],"services":[{"service":"payment-queue","isUp":true,"faults":[],"restarts":1,
///  "worstRecoveryMilliseconds":1800}],"faults":[{"number":1,"fault":"kill","service":"payment-queue",
///  "beganAtSecond":2.1,"endedAtSecond":2.1,"recoveryMilliseconds":1800,"operations":140,"refused":10,"unknown":20,
///  "retried":9,"slow":4}],"faultKinds":[],"steps":[{"second":0,"counts":{"succeeded":98,"declined":1,"refused":1,
///  "unknown":0},"p50Milliseconds":2.1}],"stepSeconds":1,"money":[],"invariants":[]}
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

    /// The arguments of a run, the store that it breaks, and the machine.
    package struct Setup: Hashable, Sendable, Codable {
        /// As in the path.
        package var id: String
        /// Decimal digits: not every program reads numbers of 64 bits.
        package var seed: String
        /// The bundle identifier of the run's own app.
        package var app: String
        package var startedAt: Timestamp
        /// The time for faults, without the time before and after them.
        package var durationSeconds: Double
        package var workload: String
        /// Operations a second.
        package var rate: Int
        package var customers: Int
        /// Devices of each customer.
        package var devices: Int
        /// `process` or `compose`.
        package var driver: String
        /// The services that faults are aimed at.
        package var targets: [String]
        /// The faults from which the seed draws.
        package var faultNames: [String]
        /// Faults and parts of the run that are left out, each with the reason.
        package var leftOut: [LeftOut] = []
        /// `SQLite`, or `PostgreSQL` with its address without secrets.
        package var database: String
        package var processes: [Processes] = []
        package var version: String
        /// The commit of the clone when the command was built there. Absent for a command from elsewhere.
        package var commit: String?
        package var machine: Machine
        /// The command that repeats the run.
        package var command: String
    }

    /// A fault or a part that a run is without.
    package struct LeftOut: Hashable, Sendable, Codable {
        package var name: String
        /// The reason, and the remedy if there is one.
        package var reason: String
    }

    /// The number of processes of a service.
    package struct Processes: Hashable, Sendable, Codable {
        package var service: String
        package var count: Int
    }

    /// The machine on which a run's command runs.
    package struct Machine: Hashable, Sendable, Codable {
        package var cores: Int
        /// The name that the processor has for itself. Absent if the system does not tell it.
        package var processor: String?
        package var memoryBytes: Int
    }

    /// Operations by their outcome.
    package struct Counts: Hashable, Sendable, Codable {
        package var succeeded: Int = 0
        /// Declined on purpose: the workload asked for what the store's rules forbid, and the store said so.
        package var declined: Int = 0
        /// Answered with an error that the workload did not ask for.
        package var refused: Int = 0
        /// Without an answer that decides.
        package var unknown: Int = 0
    }

    /// Operations of one kind.
    package struct OperationKind: Hashable, Sendable, Codable {
        package var operation: String
        package var counts: Counts
    }

    /// Times until an answer.
    package struct Latency: Hashable, Sendable, Codable {
        package var answers: Int
        package var p50Milliseconds: Double
        package var p99Milliseconds: Double
    }

    /// A service and how it is.
    package struct Service: Hashable, Sendable, Codable {
        package var service: String
        /// Whether it answers its probe.
        package var isUp: Bool = true
        /// The names of the faults that it is under now.
        package var faults: [String] = []
        /// Processes of it that were started anew.
        package var restarts: Int = 0
        /// Absent before the first recovery, as the member below.
        package var lastRecoveryMilliseconds: Int?
        package var worstRecoveryMilliseconds: Int?
    }

    /// A fault that was injected.
    package struct Fault: Hashable, Sendable, Codable {
        /// Counted from 1.
        package var number: Int
        /// The fault's name, such as `kill`.
        package var fault: String
        package var service: String
        /// The number of the process that was hit, from 1. Absent for a service with one process.
        package var process: Int?
        /// Seconds from the run's start.
        package var beganAtSecond: Double
        /// Absent while it is in force.
        package var endedAtSecond: Double?
        /// The time from the fault's end until the service served again. Absent if it did not.
        package var recoveryMilliseconds: Int?
        /// The reason why it could not be injected. Absent if it was.
        package var notInjected: String?
        /// Operations under way between the fault's begin and its recovery.
        package var operations: Int = 0
        /// Of these, those that were answered with an error that the workload did not ask for.
        package var refused: Int = 0
        /// Of these, those without an answer that decides.
        package var unknown: Int = 0
        /// Refused or unknown ones that were sent again under their key.
        package var retried: Int = 0
        /// Answered ones that took more than twice as long as 99 of 100 in calm time.
        package var slow: Int = 0
    }

    /// A kind of fault, and how often it was drawn.
    package struct FaultKind: Hashable, Sendable, Codable {
        package var fault: String
        /// Faults that were injected.
        package var count: Int = 0
        /// The services that were hit.
        package var services: [String] = []
        /// Absent unless a fault was recovered from, as the member below.
        package var recoveryP50Milliseconds: Int?
        package var recoveryMaxMilliseconds: Int?
        /// The reason why none was injected. Absent for a kind that was.
        package var reason: String?
    }

    /// One step of the timeline.
    package struct Step: Hashable, Sendable, Codable {
        /// The step's begin, in seconds from the run's start.
        package var second: Int
        package var counts: Counts
        /// Absent without an answer.
        package var p50Milliseconds: Double?
        package var p99Milliseconds: Double?
    }

    /// Sums of one currency, in minor units.
    package struct Money: Hashable, Sendable, Codable {
        package var currency: String
        package var transactions: Int = 0
        package var priced: Int = 0
        package var charges: Int = 0
        package var charged: Int = 0
        package var refunded: Int = 0
    }

    /// A number with its name.
    package struct Number: Hashable, Sendable, Codable {
        package var name: String
        package var count: Int
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

    /// A fact against an invariant.
    package struct Violation: Hashable, Sendable, Codable {
        package var invariant: String
        /// The account, transaction or key that it is about.
        package var subject: String
        package var expected: String
        package var found: String
        /// The fewest lines of the history that prove it, as JSON.
        package var lines: [String] = []
    }

    /// Absent for a history without `options.json`, as the member below.
    package var setup: Setup?
    package var updatedAt: Timestamp?
    package var phase: Phase
    package var elapsedSeconds: Int
    package var counts: Counts = .init()
    package var operationKinds: [OperationKind] = []
    /// The share of successes among operations that were not declined on purpose. Absent without any.
    package var availability: Double?
    /// The same of operations under way while a fault was in force or a service away.
    package var availabilityInFaults: Double?
    /// Latency in calm time. Absent without an answer.
    package var latency: Latency?
    /// Latency of operations under way while a fault was in force or a service away.
    package var latencyInFaults: Latency?
    package var services: [Service] = []
    package var faults: [Fault] = []
    package var faultKinds: [FaultKind] = []
    /// At most 180.
    package var steps: [Step] = []
    package var stepSeconds: Int = 1
    package var money: [Money] = []
    /// Absent for a run without a receiving server.
    package var notifications: [Number]?
    /// Absent for a run without isolated stores.
    package var isolatedStores: [Number]?
    /// Those that can be judged so far.
    package var invariants: [Invariant] = []
    /// Absent while the run goes on, as everything below.
    package var verdict: Verdict?
    /// Reasons for the verdict `unknown`, in sentences.
    package var gaps: [String]?
    /// At most twenty of each invariant.
    package var violations: [Violation]?
    /// Acknowledged purchases that are gone.
    package var lost: Int?
    package var doubleCharges: Int?
    package var worstRecoveryMilliseconds: Int?
    /// The end in one line, as the command prints it.
    package var line: String?
    /// The file of the report, on the machine of the run.
    package var report: String?
}

extension ChaosRun.Counts {
    package var all: Int { succeeded + declined + refused + unknown }
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

    /// Creates the summary of a report. Nil for one that tells no setup or no time.
    package init?(_ run: ChaosRun) {
        guard let setup = run.setup, let updatedAt = run.updatedAt else { return nil }
        id = setup.id
        seed = setup.seed
        startedAt = setup.startedAt
        self.updatedAt = updatedAt
        phase = run.phase
        operations = run.counts.all
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
