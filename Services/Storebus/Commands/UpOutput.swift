import StoreModels

/// What `up` prints once everything answers: only what is there.
///
/// ```
/// Storebus 0.1.0 (Swift 6.3)                                               ready in 0.41 s
///   Store API      http://127.0.0.1:7430/v1
///   Bus            storebus://127.0.0.1:7420         6 services: catalog payment-queue …
/// ```
struct Banner: Hashable, Sendable {
    /// An app and what its catalogue holds.
    struct Import: Hashable, Sendable {
        var bundleId: String
        /// `App.storekit: 3 products, 1 group`
        var summary: String
        var notes: [String]
    }

    var url: String
    var busURL: String
    /// Who named a bus that the store only joined: `BUS_URL`; nil for its own broker.
    var busOrigin: String?
    /// The broker's monitoring pages; nil without a broker.
    var monitorPort: Int?
    /// Their processes: `payment-queue`, `payment-queue#2`.
    var services: [String]
    /// Addresses of the gateways beside the first, by name.
    var gateways: [String: String]
    var dataDirectory: String
    /// Where the PostgreSQL is and what has said so; nil for SQLite.
    var database: String?
    /// `.storebus/admin.key`, or `STOREBUS_ADMIN_KEY`.
    var adminKeyPlace: String
    var imports: [Import]
    /// Of the first app; nil when unknown.
    var clock: AppClockState?
    /// Why its subscriptions do not renew in real time.
    var renewals: String?
    /// What `Next` suggests to buy.
    var product: String?
    var bundleId: String
    /// How the store is stopped.
    var stop: String
    var startedIn: Duration
    /// Completes the commands it names.
    var commands = PrintedCommands.none

    init(
        url: String, busURL: String, busOrigin: String? = nil, monitorPort: Int?, services: [String],
        gateways: [String: String] = [:],
        dataDirectory: String, database: String? = nil, adminKeyPlace: String, imports: [Import],
        clock: AppClockState? = nil, renewals: String? = nil, product: String?, bundleId: String,
        stop: String = "^C stops", startedIn: Duration
    ) {
        self.url = url
        self.busURL = busURL
        self.busOrigin = busOrigin
        self.monitorPort = monitorPort
        self.services = services
        self.gateways = gateways
        self.dataDirectory = dataDirectory
        self.database = database
        self.adminKeyPlace = adminKeyPlace
        self.imports = imports
        self.clock = clock
        self.renewals = renewals
        self.product = product
        self.bundleId = bundleId
        self.stop = stop
        self.startedIn = startedIn
    }

    var text: String {
        var lines = [Self.pad(StorebusVersion.line, 73) + "ready in \(Format.seconds(startedIn))"]
        lines.append(Self.line("Store API", url, "OpenAPI: \(url)/openapi.json"))
        lines += gateways.sorted { $0.key < $1.key }.map { Self.line("  \($0.key)", $0.value, "") }
        let names = Format.count(services.count, "service") + ": " + services.joined(separator: " ")
        if let busOrigin {
            lines.append(Self.line("Bus", "\(busURL)  from \(busOrigin)", "no broker started; \(names)"))
        } else {
            lines.append(Self.line("Bus", busURL, names))
        }
        if let monitorPort { lines.append(Self.line("Monitoring", "http://127.0.0.1:\(monitorPort)", "")) }
        lines.append(Self.line("Data", dataDirectory, "logs: \(dataDirectory)/logs"))
        if let database { lines.append(Self.line("Database", database, "")) }
        lines.append(Self.line("Admin key", adminKeyPlace, ""))
        for imported in imports {
            lines.append(Self.line("Catalogue", imported.bundleId, imported.summary))
            lines += imported.notes.map { "    note: \(Table.onOneLine($0))" }
        }
        if let renewals { lines.append("    note: \(Table.onOneLine(renewals))") }
        if let clock { lines.append(Self.line("Clock", clock.bundleId, ClockFormat.state(clock))) }
        lines.append(Self.line("Next", next, stop))
        return lines.joined(separator: "\n") + "\n"
    }

    var next: String {
        guard let product else { return commands.complete("storebus import App.storekit") }
        let bundle = bundleId.isExactly(EffectiveSettings.defaultBundleId) ? "" : " --bundle-id \(bundleId)"
        return commands.complete("storebus buy \(product) --as alice\(bundle)")
    }

    private static func line(_ title: String, _ value: String, _ remark: String) -> String {
        let start = "  \(pad(title, 14)) "
        return remark.isEmpty ? start + value : start + pad(value, 37) + "   " + remark
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
