import StoreModels

/// One thing `storebus doctor` looked at.
struct Finding: Hashable, Sendable {
    enum Status: String, Sendable { case pass, warn, fail }

    var check: String
    var status: Status
    var message: String
    /// What to do; empty when nothing has to be done.
    var remedy: String

    init(_ check: String, _ status: Status, _ message: String, remedy: String = "") {
        self.check = check
        self.status = status
        self.message = message
        self.remedy = remedy
    }

    static func answer(_ findings: [Finding]) -> Answer {
        var table = Table([
            .init("CHECK"), .init("STATUS", isState: true), .init("WHAT"), .init("WHAT TO DO"),
        ])
        for one in findings { table.add([one.check, one.status.rawValue, one.message, one.remedy]) }
        let worst = findings.first { $0.status == .fail } ?? findings.first { $0.status == .warn }
        return Answer(
            table, items: findings.map(\.json), names: findings.filter { $0.status != .pass }.map(\.check),
            next: worst.map(\.remedy) ?? "storebus status", ifEmpty: "nothing to look at")
    }

    private var json: JSONValue {
        [
            "check": .string(check), "status": .string(status.rawValue), "message": .string(message),
            "remedy": .string(remedy),
        ]
    }
}
