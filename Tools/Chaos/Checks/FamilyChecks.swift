/// Checks F1 and F2: what the persons of a family have when all is quiet, and what was charged for it.
///
/// A line `held` has one person's transactions of the app, and whether they are in the family. A line `charged` has the
/// app's ledger. Nothing but the run's families uses this app, so both are whole.
struct FamilyChecks: Checker {
    let history: RunHistory
    var findings = Findings()

    private struct Person {
        var name: String
        var line: Int
        var isMember: Bool
        var own: [HeldTransaction]
        var shared: [HeldTransaction]
    }

    mutating func run() {
        let reads = history.attempts(.family).filter(\.isOK)
        let persons = reads.filter { $0.detail["what"] == "held" }.map { read in
            Person(
                name: read.account ?? "", line: read.end ?? read.begin, isMember: read.detail["member"] == "true",
                own: HeldTransaction.list(read.detail["own"]), shared: HeldTransaction.list(read.detail["shared"]))
        }
        for person in persons {
            shared(person, persons)
            access(person, persons)
        }
        for read in reads where read.detail["what"] == "charged" { charges(read, persons) }
    }

    /// F1. What a person was given of a purchase is there once.
    private mutating func shared(_ person: Person, _ persons: [Person]) {
        let bought = Self.counts(persons.filter { $0.name != person.name }.flatMap(\.own))
        for (purchase, count) in Self.counts(person.shared).sorted(by: { $0.key < $1.key }) {
            findings.examine(.f1)
            guard count > bought[purchase, default: 0] else { continue }
            report(
                .f1, "\(purchase) of \(person.name)", "\(bought[purchase, default: 0]) shared, as others bought",
                "\(count)", persons.map(\.line))
        }
    }

    /// F1. Each charge is of a purchase by one of the persons.
    private mutating func charges(_ read: RunHistory.Attempt, _ persons: [Person]) {
        let bought = Set(persons.flatMap(\.own).map { "purchase:\($0.id)" })
        for charge in history.entries[read.end ?? read.begin].charges ?? [] where charge.outcome == "approved" {
            findings.examine(.f1)
            guard !bought.contains(charge.key) else { continue }
            report(.f1, charge.key, "no charge but of purchases", charge.outcome, [read.end], [], [charge.key])
        }
    }

    /// F2. A member has a transaction that gives access for each purchase that another member keeps, and no other one.
    private mutating func access(_ person: Person, _ persons: [Person]) {
        let others = persons.filter { $0.isMember && $0.name != person.name }
        let kept = Self.counts(person.isMember ? others.flatMap(\.own).filter(\.isActive) : [])
        let given = Self.counts(person.shared.filter(\.isActive))
        for purchase in Set(persons.flatMap { $0.own + $0.shared }.map(\.purchase)).sorted() {
            findings.examine(.f2)
            guard kept[purchase, default: 0] != given[purchase, default: 0] else { continue }
            report(
                .f2, "\(purchase) of \(person.name)", "\(kept[purchase, default: 0]) that give access",
                "\(given[purchase, default: 0])", persons.map(\.line))
        }
    }

    private static func counts(_ transactions: [HeldTransaction]) -> [String: Int] {
        transactions.reduce(into: [:]) { $0[$1.purchase, default: 0] += 1 }
    }
}

/// A person's transaction, as a line about a family has it: `t_1:chaos.map:1767225600000:active`.
package struct HeldTransaction: Hashable, Sendable {
    package var id: String
    package var product: String
    /// Milliseconds since 1970. A shared one has the buyer's.
    package var bought: Int64
    /// Whether it gives access: it was not revoked.
    package var isActive: Bool

    package init(id: String, product: String, bought: Int64, isActive: Bool) {
        self.id = id
        self.product = product
        self.bought = bought
        self.isActive = isActive
    }

    package var text: String { "\(id):\(purchase):\(isActive ? "active" : "revoked")" }

    /// The same for a purchase and what was shared of it.
    var purchase: String { "\(product):\(bought)" }

    static func list(_ text: String?) -> [HeldTransaction] {
        (text ?? "").split(separator: " ").compactMap { word in
            let parts = word.split(separator: ":").map(String.init)
            guard parts.count == 4, let bought = Int64(parts[2]) else { return nil }
            return HeldTransaction(id: parts[0], product: parts[1], bought: bought, isActive: parts[3] == "active")
        }
    }
}
