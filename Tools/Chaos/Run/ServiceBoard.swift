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

    private func place(_ service: String) -> Int? { rows.firstIndex { $0.service == service } }

    /// Notes that a fault begins.
    /// - Parameter now: Milliseconds since the run began, in all methods.
    package mutating func begin(_ fault: PlannedFault, now: Int64) -> [Change] {
        guard let place = place(fault.target) else { return [] }
        rows[place].faults.append(fault.name.rawValue)
        guard fault.name.isInstant else { return [] }
        return down(place, since: now)
    }

    /// Notes that a fault has ended. The service's recovery counts from here.
    package mutating func end(_ fault: PlannedFault, now: Int64) {
        guard let place = place(fault.target) else { return }
        if let index = rows[place].faults.firstIndex(of: fault.name.rawValue) { rows[place].faults.remove(at: index) }
        if !fault.name.isInstant, !rows[place].isUp { rows[place].recoveringSince = now }
    }

    /// Notes the answer of a probe that was sent at `asked`.
    package mutating func probed(_ service: String, answers: Bool, asked: Int64, now: Int64) -> [Change] {
        guard let place = place(service) else { return [] }
        guard answers else { return rows[place].isUp ? down(place, since: now) : [] }
        // An answer to a question from before the kill says nothing of the process after it.
        guard !rows[place].isUp, asked >= rows[place].recoveringSince ?? 0 else { return [] }
        let recovered = rows[place].recoveringSince.map { now - $0 }
        rows[place].isUp = true
        rows[place].recoveringSince = nil
        if let recovered { rows[place].worstRecovery = max(rows[place].worstRecovery ?? 0, recovered) }
        return [Change(service: service, isUp: true, recovered: recovered)]
    }

    private mutating func down(_ place: Int, since now: Int64) -> [Change] {
        rows[place].recoveringSince = now
        guard rows[place].isUp else { return [] }
        rows[place].isUp = false
        return [Change(service: rows[place].service, isUp: false, recovered: nil)]
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
