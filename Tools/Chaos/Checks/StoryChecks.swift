/// Checks T1: device, Server API, receipt and last notification agree on a transaction at one instant.
///
/// A line has the device's answers from before and after the others were asked. If both are equal, the transaction did
/// not change in between, and the others must agree on the end of the period and on a revocation. The last notification
/// of the transaction agrees once the run has waited for all.
struct StoryChecks: Checker {
    let history: RunHistory
    var findings = Findings()

    mutating func run() {
        let stories = history.attempts(.story).filter { $0.isOK && $0.detail["device"] == $0.detail["again"] }
        let last = lastNotifications()
        for attempt in stories {
            guard let end = attempt.end, let transaction = attempt.transactions?.first,
                let device = attempt.detail["device"]
            else { continue }
            func report(_ name: String, _ found: String, _ lines: [Int?]) {
                self.report(
                    .t1, "\(transaction.id) in the \(name)",
                    device.isEmpty ? "neither a period nor a revocation" : device,
                    found.isEmpty ? "neither a period nor a revocation" : found, lines, [transaction.id])
            }
            for name in ["api", "receipt"] {
                guard let told = attempt.detail[name] else { continue }
                findings.examine(.t1)
                let expected = name == "receipt" ? Self.inSeconds(device) : device
                if told != expected { report(name, told, [attempt.begin, end]) }
            }
            guard let settled = history.phases["settled"], history.entries[attempt.begin].time >= settled,
                let line = transaction.transactionIdentifier.flatMap({
                    last[RunHistory.Number(app: attempt.app ?? "", transaction: $0)]
                }),
                let told = history.entries[line].detail?["story"]
            else { continue }
            findings.examine(.t1)
            if told != device { report("last notification", told, [line, attempt.begin, end]) }
        }
    }

    /// A story as a receipt has it: its dates are whole seconds.
    private static func inSeconds(_ story: String) -> String {
        story.split(separator: " ").map { word in
            guard word.hasPrefix("expires="), let end = Int64(word.dropFirst("expires=".utf8.count)) else {
                return String(word)
            }
            return "expires=\(end / 1_000 * 1_000)"
        }.joined(separator: " ")
    }

    /// The notification of each transaction that was signed last.
    private func lastNotifications() -> [RunHistory.Number: Int] {
        var last: [RunHistory.Number: (signed: Int64, line: Int)] = [:]
        for arrival in history.arrivals {
            let one = arrival.notification
            guard let transaction = one.transaction, let signed = one.signed else { continue }
            let key = RunHistory.Number(app: one.app, transaction: transaction)
            if signed >= last[key]?.signed ?? .min { last[key] = (signed, arrival.line) }
        }
        return last.mapValues(\.line)
    }
}
