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

    /// F1. What a person was given of a product is at most what others bought of it.
    private mutating func shared(_ person: Person, _ persons: [Person]) {
        for product in Set(person.shared.map(\.product)).sorted() {
            findings.examine(.f1)
            let given = person.shared.count { $0.product == product }
            let bought = persons.filter { $0.name != person.name }.flatMap(\.own).count { $0.product == product }
            guard given > bought else { continue }
            report(
                .f1, "\(product) of \(person.name)", "\(bought) shared, as others bought", "\(given)",
                persons.map(\.line))
        }
    }

    /// F1. No charge is of a shared transaction.
    private mutating func charges(_ read: RunHistory.Attempt, _ persons: [Person]) {
        let given = Set(persons.flatMap(\.shared).map { "purchase:\($0.id)" })
        findings.examine(.f1, given.count)
        for charge in history.entries[read.end ?? read.begin].charges ?? [] where given.contains(charge.key) {
            report(
                .f1, charge.key, "no charge of a shared transaction", charge.outcome, [read.end], [], [charge.key])
        }
    }

    /// F2. A member has access to what another member has bought and keeps, and to nothing else.
    private mutating func access(_ person: Person, _ persons: [Person]) {
        let others = persons.filter { $0.isMember && $0.name != person.name }
        let kept = person.isMember ? others.flatMap(\.own).filter(\.isActive).map(\.product) : []
        let products = persons.flatMap { $0.own + $0.shared }.map(\.product)
        for product in Set(products).sorted() {
            findings.examine(.f2)
            let has = person.shared.contains { $0.product == product && $0.isActive }
            guard has != kept.contains(product) else { continue }
            report(
                .f2, "\(product) of \(person.name)", has ? "no access through the family" : "access through the family",
                has ? "access" : "none", persons.map(\.line))
        }
    }
}

/// A person's transaction, as a line about a family has it: `t_1:chaos.map:active`.
package struct HeldTransaction: Hashable, Sendable {
    package var id: String
    package var product: String
    /// Whether it gives access: it was not revoked.
    package var isActive: Bool

    package init(id: String, product: String, isActive: Bool) {
        self.id = id
        self.product = product
        self.isActive = isActive
    }

    package var text: String { "\(id):\(product):\(isActive ? "active" : "revoked")" }

    static func list(_ text: String?) -> [HeldTransaction] {
        (text ?? "").split(separator: " ").compactMap { word in
            let parts = word.split(separator: ":").map(String.init)
            guard parts.count == 3 else { return nil }
            return HeldTransaction(id: parts[0], product: parts[1], isActive: parts[2] == "active")
        }
    }
}
