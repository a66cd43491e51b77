/// Checks X1: only an isolated store shows its own changes, and it shows nothing once it is over.
///
/// Customers of a store have the names of the run's own customers, and devices too. A store's history has only their
/// purchases there, its events belong to these purchases, its clock is where it was set, and the app beside it shows no
/// part of it. Settings that a customer has in one store stop purchases and renewals there, and those of the same name
/// nowhere else.
struct StoreChecks: Checker {
    private struct Store {
        /// The purchases, each with the place of its line.
        var bought: [String: Int] = [:]
        /// Whether a purchase has an unknown outcome, so that more may be found.
        var isUnclear = false
    }

    let history: RunHistory
    var findings = Findings()
    private var stores: [String: Store] = [:]
    /// The store of each purchase.
    private var appOf: [String: String] = [:]
    /// The lines that set a customer up, by setting.
    private var settings: [RunHistory.Owner: [StoppingSetting: Int]] = [:]
    /// The first line that gave an account of any store a setting.
    private var firstSet: [String: [StoppingSetting: Int]] = [:]

    init(history: RunHistory) { self.history = history }

    mutating func run() {
        gather()
        guard !stores.isEmpty else { return }
        reads()
        beside()
        ends()
        purchases()
        renewals()
    }

    private func what(_ attempt: RunHistory.Attempt) -> String { attempt.detail["what"] ?? "" }

    private mutating func gather() {
        for attempt in history.attempts(.isolated) {
            guard let app = attempt.app else { continue }
            switch what(attempt) {
            case "made" where attempt.isOK: stores[app] = Store()
            case "set" where attempt.isPossible:
                guard let setting = attempt.detail["setting"].flatMap(StoppingSetting.init(rawValue:)) else { continue }
                if attempt.isOK { settings[attempt.owner, default: [:]][setting] = attempt.begin }
                if let account = attempt.account, firstSet[account]?[setting] == nil {
                    firstSet[account, default: [:]][setting] = attempt.begin
                }
            case "bought", "stopped":
                if let id = attempt.detail["id"], let end = attempt.end {
                    stores[app, default: Store()].bought[id] = end
                    appOf[id] = app
                } else if attempt.kind == .info {
                    stores[app, default: Store()].isUnclear = true
                }
            default: break
            }
        }
    }

    /// Checks the store's own answers.
    private mutating func reads() {
        for attempt in history.attempts(.isolated) {
            if what(attempt) == "reach", attempt.kind == .fail { findings.examine(.x1) }
            guard attempt.isOK else { continue }
            guard let app = attempt.app, let store = stores[app], let end = attempt.end else { continue }
            switch what(attempt) {
            case "history", "events":
                let shown = Set((attempt.detail["ids"] ?? "").split(separator: " ").map(String.init))
                findings.examine(.x1)
                for id in shown.sorted() where store.bought[id] == nil {
                    if appOf[id] == nil, store.isUnclear, history.sightings[id] == nil { continue }
                    report(
                        .x1, id, "\(what(attempt)) of \(app) without it",
                        "it has it, of \(appOf[id] ?? history.sightings[id]?.first?.owner.app ?? "no known app")", [end]
                    )
                }
                guard what(attempt) == "history" else { continue }
                for (id, line) in store.bought.sorted(by: { $0.value < $1.value })
                where line < attempt.begin && !shown.contains(id) {
                    guard history.entries[line].account == attempt.account,
                        history.entries[line].detail?["state"] == "purchased"
                    else { continue }
                    report(.x1, id, "history of \(app) with it", "it is lost", [line, end])
                }
            case "reach":
                findings.examine(.x1)
                report(
                    .x1, attempt.detail["id"] ?? "", "404 in \(app), of the app's purchase",
                    attempt.detail["answered"] ?? "an answer", [attempt.begin, end])
            case "clock":
                findings.examine(.x1)
                guard attempt.detail["now"] != attempt.detail["set"] else { continue }
                report(.x1, "clock of \(app)", attempt.detail["set"] ?? "", attempt.detail["now"] ?? "none", [end])
            default: break
            }
        }
    }

    /// Checks the answers of the app beside the stores.
    private mutating func beside() {
        for (id, app) in appOf.sorted(by: { $0.key < $1.key }) {
            findings.examine(.x1)
            guard let other = history.sightings[id]?.first else { continue }
            report(
                .x1, id, "shown in \(app) only", "shown to \(other.owner)",
                [stores[app]?.bought[id], other.begin, other.line])
        }
        for line in history.eventPages {
            for word in (history.entries[line].detail?["transaction"] ?? "").split(separator: " ") {
                guard let app = appOf[String(word)] else { continue }
                report(.x1, String(word), "an event in \(app) only", "an event of the app", [line])
            }
        }
    }

    /// A setting stops its customer's purchases, and no other's.
    private mutating func purchases() {
        for attempt in history.attempts(.isolated) where ["bought", "stopped"].contains(what(attempt)) {
            guard attempt.kind != .info else { continue }
            let found = StoppingSetting(state: attempt.detail["state"], error: attempt.detail["error"])
            if what(attempt) == "bought" {
                examine(attempt, stoppedBy: found)
            } else if let setting = attempt.detail["setting"].flatMap(StoppingSetting.init(rawValue:)),
                let line = settings[attempt.owner]?[setting], line < attempt.begin
            {
                findings.examine(.x1)
                guard attempt.detail["state"] == "purchased" else { continue }
                report(
                    .x1, attempt.detail["id"] ?? "", "stopped by \(setting.rawValue) of \(attempt.owner)", "purchased",
                    [line, attempt.begin, attempt.end])
            }
        }
        for attempt in history.attempts(.purchase, .decideIntent) where attempt.detail["asks"] == nil {
            guard let made = attempt.transactions?.first else { continue }
            examine(attempt, stoppedBy: StoppingSetting(state: made.state, error: made.setting))
        }
    }

    /// Checks a purchase of a customer without settings, whose name has settings in a store.
    private mutating func examine(_ attempt: RunHistory.Attempt, stoppedBy found: StoppingSetting?) {
        guard let account = attempt.account, let set = firstSet[account], let end = attempt.end,
            set.values.contains(where: { $0 < end })
        else { return }
        findings.examine(.x1)
        guard let found, let line = set[found], line < end else { return }
        report(
            .x1, attempt.detail["id"] ?? attempt.subject ?? "", "\(attempt.owner) without \(found.rawValue)",
            "stopped by \(found.rawValue), as \(owner(line)) is", [line, attempt.begin, end])
    }

    /// The processor declines no renewal of the run's app, whose customers have no such setting.
    private mutating func renewals() {
        var owners: [RunHistory.Number: RunHistory.Owner] = [:]
        for sighting in history.sightings.values.joined() {
            guard let number = sighting.transaction.transactionIdentifier else { continue }
            owners[RunHistory.Number(app: sighting.owner.app, transaction: number)] = sighting.owner
        }
        for arrival in history.arrivals {
            let one = arrival.notification
            guard ["DID_RENEW", "DID_FAIL_TO_RENEW"].contains(one.type),
                let number = one.original ?? one.transaction,
                let owner = owners[RunHistory.Number(app: one.app, transaction: number)],
                let line = firstSet[owner.account]?[.processor], line < arrival.line
            else { continue }
            findings.examine(.x1)
            guard one.type == "DID_FAIL_TO_RENEW" else { continue }
            report(
                .x1, number, "a renewal of \(owner)", "declined, as purchases of \(self.owner(line)) are",
                [line, arrival.line])
        }
    }

    private func owner(_ line: Int) -> RunHistory.Owner {
        RunHistory.Owner(app: history.entries[line].app ?? "", account: history.entries[line].account ?? "")
    }

    /// A store that is over answers no request.
    private mutating func ends() {
        let jumps = history.faults.filter { $0.name == "clock-jump" && $0.target == "gateway" }
        for attempt in history.attempts(.isolated) where ["closed", "expired"].contains(what(attempt)) {
            guard attempt.kind != .info, let app = attempt.app else { continue }
            findings.examine(.x1)
            // A gateway whose clock is behind keeps a store longer.
            guard attempt.isOK, what(attempt) == "closed" || jumps.isEmpty else { continue }
            report(
                .x1, "\(what(attempt)) \(app)", "404", attempt.detail["answered"] ?? "an answer",
                [attempt.begin, attempt.end])
        }
    }
}
