/// The run's view of each service: up or down, faults in force, and length of recoveries.
package struct ServiceBoard: Sendable {
    /// A service that went down or came back.
    package struct Change: Equatable, Sendable {
        package var service: String
        package var isUp: Bool
        /// Milliseconds from the end of the fault, or of an unexpected loss from its first sight.
        package var recovered: Int64?
    }

    package struct Row: Equatable, Sendable {
        package var service: String
        package var isUp = true
        package var faults: [String] = []
        package var worstRecovery: Int64?
        /// The moment from which a recovery counts. Nil while no recovery is measured.
        var recoveringSince: Int64?
    }

    package private(set) var rows: [Row]

    package init(_ services: [String]) { rows = services.map { Row(service: $0) } }

    private func row(_ service: String) -> Int? { rows.firstIndex { $0.service == service } }

    /// Notes that a fault begins.
    /// - Parameter now: Milliseconds since the run began, in all methods.
    package mutating func begin(_ fault: PlannedFault, now: Int64) -> [Change] {
        guard let row = row(fault.target) else { return [] }
        rows[row].faults.append(fault.name.rawValue)
        guard fault.name.isInstant else { return [] }
        return down(row, since: now)
    }

    /// Notes that a fault has ended. The service's recovery counts from here.
    package mutating func end(_ fault: PlannedFault, now: Int64) {
        guard let row = row(fault.target) else { return }
        if let index = rows[row].faults.firstIndex(of: fault.name.rawValue) { rows[row].faults.remove(at: index) }
        if !fault.name.isInstant, !rows[row].isUp { rows[row].recoveringSince = now }
    }

    /// Notes the answer of a probe that was sent at `asked`.
    package mutating func probed(_ service: String, answers: Bool, asked: Int64, now: Int64) -> [Change] {
        guard let row = row(service) else { return [] }
        guard answers else { return rows[row].isUp ? down(row, since: now) : [] }
        // An answer to a question from before the kill says nothing of the process after it.
        guard !rows[row].isUp, asked >= rows[row].recoveringSince ?? 0 else { return [] }
        let recovered = rows[row].recoveringSince.map { now - $0 }
        rows[row].isUp = true
        rows[row].recoveringSince = nil
        if let recovered { rows[row].worstRecovery = max(rows[row].worstRecovery ?? 0, recovered) }
        return [Change(service: service, isUp: true, recovered: recovered)]
    }

    private mutating func down(_ row: Int, since now: Int64) -> [Change] {
        rows[row].recoveringSince = now
        guard rows[row].isUp else { return [] }
        rows[row].isUp = false
        return [Change(service: rows[row].service, isUp: false, recovered: nil)]
    }

    package var areAllUp: Bool { rows.allSatisfy(\.isUp) }

    /// One line about all services: `payment-queue up 1.8 s [kill]   catalog DOWN`.
    package var line: String {
        rows.map { row in
            var words = [row.service, row.isUp ? "up" : "DOWN"]
            if let worst = row.worstRecovery { words.append(Self.seconds(worst)) }
            if !row.faults.isEmpty { words.append("[\(row.faults.joined(separator: " "))]") }
            return words.joined(separator: " ")
        }.joined(separator: "   ")
    }

    /// `1.8 s`
    package static func seconds(_ milliseconds: Int64) -> String {
        "\(milliseconds / 1_000).\(milliseconds % 1_000 / 100) s"
    }
}
