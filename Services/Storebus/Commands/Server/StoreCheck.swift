import StoreModels

/// How a running store is, as it says itself.
struct StoreCheck {
    let context: CommandContext

    private var place: StorePlace { StorePlace(context.settings, context.environment) }

    /// - Returns: what was found, and whether a store answered.
    func findings() async -> (findings: [Finding], isAnswered: Bool) {
        do throws(CLIError) {
            let report = try await StatusReport.gather(context)
            return ([store(report), versions(report)].compactMap(\.self) + report.rows.map(service), true)
        } catch {
            // Where nobody has said that there is a store, there need not be one.
            let isExpected = context.settings.url.origin != "default"
            let remedy = StorePlace.start(context.environment)
            return ([Finding("store", isExpected ? .fail : .warn, error.message, remedy: remedy)], false)
        }
    }

    private func store(_ report: StatusReport) -> Finding {
        guard context.api.adminKey != nil else {
            return Finding(
                "store", .warn, "\(report.url) answers, but no admin key is known: services cannot be asked",
                remedy: "set STOREBUS_ADMIN_KEY, or run where .storebus is found")
        }
        return report.isReady
            ? Finding("store", .pass, "\(report.url) is ready")
            : Finding("store", .fail, "\(report.url) is not ready", remedy: "see the services below")
    }

    private func versions(_ report: StatusReport) -> Finding? {
        let others = report.rows.filter { $0.version != "-" && $0.version != StorebusVersion.number }
        guard !others.isEmpty else { return nil }
        let words = others.map { "\($0.service) \($0.version)" }.joined(separator: ", ")
        return Finding(
            "versions", .warn, "this is \(StorebusVersion.number), but \(words)",
            remedy: place.update)
    }

    private func service(_ row: StatusReport.Row) -> Finding {
        let logs = place.logs(of: row.service)
        switch row.health {
        case "pass":
            let running = row.pid.map { "runs as pid \($0)" } ?? "answers, version \(row.version)"
            return Finding(row.service, .pass, row.message.isEmpty ? running : row.message)
        case "-": return Finding(row.service, .warn, "not asked: no admin key", remedy: "set STOREBUS_ADMIN_KEY")
        case "warn": return Finding(row.service, .warn, row.message, remedy: logs)
        case "away": return Finding(row.service, .fail, "no answer on the bus", remedy: logs)
        default: return Finding(row.service, .fail, row.message.isEmpty ? row.health : row.message, remedy: logs)
        }
    }
}
