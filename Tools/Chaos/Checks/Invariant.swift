/// An invariant of the store, by its number in `docs/rules.md`. J rows are from the design's own list.
///
/// The checkers decide these from a history and leave the rest to other tests:
///
/// | rows | decided | why not |
/// |---|---|---|
/// | P1–P5, P7–P11 | yes | |
/// | P6 | charged against shown price | the quote before the purchase is in no line |
/// | Q1–Q6 | yes | |
/// | R1–R3 | yes, by the device's queue after the end, except the order in a stream | ends are no lines of streams |
/// | R4 | yes, through the final history | |
/// | D1–D4 | yes, except D3 for deferrals that expire | the business clock is in no line |
/// | I1–I5 | yes, except I1 after a move of the clock, and of I5 the product only | expiry is by the business clock |
/// | I6, M4 | no | each app of a run is launched before |
/// | M1–M3 | yes, M2 where a page lists its products | |
/// | O1, O2, O4 | yes | |
/// | O3, O5 | no | the cause of an answer and receipts are in no line |
/// | S1, S5 | yes, by the ledger's keys | |
/// | S2, S3, S6 | yes, where lines have `expires` and final reads `now` | |
/// | S4 | no | the terms of an offer are the catalogue's |
/// | S7 | through S1 | an epoch is in no line |
/// | F1, F2 | yes, by what each person has in the end | |
/// | N1 | yes, by the requests to the run's receiving server | |
/// | N2 | yes, of events that an operator reads | positions of other logs are in no line, but N1 shows the effects |
/// | B1–B6, J1–J3 | no | bus and signatures have tests of their own |
package enum Invariant: String, CaseIterable, Sendable {
    case p1 = "P1", p2 = "P2", p3 = "P3", p4 = "P4", p5 = "P5", p6 = "P6", p7 = "P7", p8 = "P8", p9 = "P9", p10 = "P10"
    case p11 = "P11"
    case q1 = "Q1", q2 = "Q2", q3 = "Q3", q4 = "Q4", q5 = "Q5", q6 = "Q6"
    case r1 = "R1", r2 = "R2", r3 = "R3", r4 = "R4"
    case d1 = "D1", d2 = "D2", d3 = "D3", d4 = "D4"
    case i1 = "I1", i2 = "I2", i3 = "I3", i4 = "I4", i5 = "I5"
    case m1 = "M1", m2 = "M2", m3 = "M3"
    case o1 = "O1", o2 = "O2", o4 = "O4"
    case s1 = "S1", s2 = "S2", s3 = "S3", s6 = "S6"
    case f1 = "F1", f2 = "F2"
    case n1 = "N1", n2 = "N2"
    case x1 = "X1", h1 = "H1", t1 = "T1"

    /// The invariants that can be judged while a run goes on. For the others, missing lines may still come.
    package static let decidedAtOnce: [Invariant] = [.p7, .p11, .q3, .q4, .d2, .i2, .m1, .m3, .o2]

    /// The promise, in one sentence.
    package var statement: String {
        switch self {
        case .p1: "An acknowledged purchase is never lost."
        case .p2: "Charges match purchases and renewals."
        case .p3: "One idempotency key is one charge and one final answer."
        case .p4: "An unknown outcome gets one final answer."
        case .p5: "A purchase that failed costs nothing."
        case .p6: "A charge has the price of its transaction."
        case .p7: "A transaction changes along the edges of its states, and its revisions grow."
        case .p8: "A non-consumable is charged once."
        case .p9: "A read after an acknowledged purchase has it."
        case .p10: "The refunds of a charge never exceed it."
        case .p11: "No answer or stream has an object of another customer."
        case .q1: "An observer that connects is given everything unfinished."
        case .q2: "A connected observer is given each new state."
        case .q3: "A finished transaction is not delivered again."
        case .q4: "Finishing may be repeated, and is refused while purchasing."
        case .q5: "An unfinished transaction survives, and its revisions come in order."
        case .q6: "Every device of a customer is given the customer's transactions."
        case .r1: "A restore brings back exactly the products bought to keep."
        case .r2: "A restore never charges."
        case .r3: "A restore ends once, and its key adds nothing."
        case .r4: "Finishing a restored transaction leaves the original."
        case .d1: "Nothing is charged before an approval."
        case .d2: "Of an approval and a refusal the first counts."
        case .d3: "A decided purchase is deferred no longer, and charged once."
        case .d4: "A deferred purchase cannot be finished, and is delivered again."
        case .i1: "An intent is kept until it is decided."
        case .i2: "The first decision about an intent counts."
        case .i3: "One intent is one payment at most."
        case .i4: "A cancelled intent is never charged."
        case .i5: "The payment of an intent has the intent's product."
        case .m1: "A device reads the overrides it wrote last."
        case .m2: "A store page follows the device's overrides, each product once."
        case .m3: "A device's overrides are its own."
        case .o1: "A customer has one introductory offer of a group."
        case .o2: "After an introductory purchase no answer says eligible."
        case .o4: "A purchase that failed gives the offer free again."
        case .s1: "Each period is charged once."
        case .s2: "Periods do not overlap."
        case .s3: "A cancelled subscription is not renewed."
        case .s6: "A customer has one active subscription of a group."
        case .f1: "A shared transaction costs nothing, and there is one at most for each purchase and member."
        case .f2: "A member has access to what another member has bought and keeps, and to no more."
        case .n1: "Each event gives each of its notifications exactly once, in its customer's order."
        case .x1: "Changes in an isolated store, settings of its customers included, are seen in that store alone."
        case .h1: "No other client notices a peer that does not read, sends halves, or answers badly."
        case .t1: "Device, Server API, receipt and notification tell one story about a transaction."
        case .n2: "No position of a log and no event's identifier is given twice, and a reader misses nothing."
        }
    }
}

/// A broken invariant, with the fewest lines of the history that show it.
package struct Violation: Equatable, Sendable {
    package var invariant: Invariant
    /// The transaction, key, customer or device it is about.
    package var subject: String
    package var expected: String
    package var found: String
    /// In order. Lists of transactions and charges are cut to those the violation is about.
    package var lines: [HistoryEntry]
}

/// The facts and violations a checker has found.
struct Findings {
    /// Number of facts each invariant was held against. An invariant without one was not exercised.
    private(set) var examined: [Invariant: Int] = [:]
    var violations: [Violation] = []

    mutating func examine(_ invariant: Invariant, _ count: Int = 1) { examined[invariant, default: 0] += count }

    mutating func add(_ other: Findings) {
        examined.merge(other.examined, uniquingKeysWith: +)
        violations += other.violations
    }
}

/// A part of the checks, over one history.
protocol Checker {
    var history: RunHistory { get }
    var findings: Findings { get set }

    mutating func run()
}

extension Checker {
    /// Notes a violation with its lines, whose lists are cut to the given transactions and charges.
    mutating func report(
        _ invariant: Invariant, _ subject: String, _ expected: String, _ found: String, _ lines: [Int?],
        _ ids: Set<String> = [], _ charges: Set<String> = []
    ) {
        findings.violations.append(
            Violation(
                invariant: invariant, subject: subject, expected: expected, found: found,
                lines: history.excerpt(lines, ids: ids, charges: charges)))
    }
}
