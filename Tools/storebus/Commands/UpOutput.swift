import StoreModels

/// The output of `up` once every service is ready:
///
/// ```
/// Storebus 0.1.0 (Swift 6.3)                                               ready in 0.41 s
///   Store API      http://127.0.0.1:7430/v1
///   Bus            storebus://127.0.0.1:7420         7 services: catalog payment-queue …
/// ```
struct Banner: Hashable, Sendable {
    /// An app with a summary of its catalogue.
    struct Import: Hashable, Sendable {
        var bundleId: String
        /// `App.storekit: 3 products, 1 group`
        var summary: String
        var notes: [Advice]
    }

    /// The bus and its clients.
    struct Bus: Hashable, Sendable {
        var url: String
        /// The origin of an external bus's address, `BUS_URL`. Nil for the store's own broker.
        var origin: String?
        /// The broker's monitoring pages. Nil without a broker.
        var monitorPort: Int?
        /// Their processes: `payment-queue`, `payment-queue#2`.
        var services: [String]
    }

    /// The place where the store keeps its data.
    struct Locations: Hashable, Sendable {
        var dataDirectory: String
        /// The PostgreSQL and the origin of its address. Nil for SQLite.
        var database: String?
        /// `.storebus/admin.key`, or `STOREBUS_ADMIN_KEY`.
        var adminKey: String
    }

    /// The first app, which `Next` is about.
    struct App: Hashable, Sendable {
        var bundleId: String
        /// The product in the suggested purchase.
        var product: String?
        /// Nil when unknown.
        var clock: AppClockState?
        /// The reason why its subscriptions do not renew in real time.
        var renewals: Advice?
    }

    var url: String
    /// The address for HTTPS, by this machine's name. Nil without HTTPS.
    var httpsURL: String?
    /// Addresses of the gateways other than the first, by name.
    var gateways: [String: String] = [:]
    var bus: Bus
    var locations: Locations
    var imports: [Import] = []
    var app: App
    /// The hint how to stop the store.
    var stop: Advice = "^C stops"
    var startedIn: Duration
    /// Completes the commands it names.
    var commands = PrintedCommands.none

    var text: String {
        var lines = [Format.pad(StorebusVersion.line, 73) + "ready in \(Format.seconds(startedIn))"]
        lines.append(Self.line("Store API", url, "OpenAPI: \(url)/openapi.json"))
        if let httpsURL { lines.append(Self.line("  HTTPS", httpsURL, "Apple's host names: storebus trust")) }
        lines += gateways.sorted { $0.key < $1.key }.map { Self.line("  \($0.key)", $0.value, "") }
        let names = Format.count(bus.services.count, "service") + ": " + bus.services.joined(separator: " ")
        if let origin = bus.origin {
            lines.append(Self.line("Bus", "\(bus.url)  from \(origin)", "no broker started; \(names)"))
        } else {
            lines.append(Self.line("Bus", bus.url, names))
        }
        if let monitorPort = bus.monitorPort {
            lines.append(Self.line("Monitoring", "http://127.0.0.1:\(monitorPort)", ""))
        }
        lines.append(Self.line("Data", locations.dataDirectory, "logs: \(locations.dataDirectory)/logs"))
        if let database = locations.database { lines.append(Self.line("Database", database, "")) }
        lines.append(Self.line("Admin key", locations.adminKey, ""))
        for imported in imports {
            lines.append(Self.line("Catalogue", imported.bundleId, imported.summary))
            lines += imported.notes.map { "    note: \($0)" }
        }
        if let renewals = app.renewals { lines.append("    note: \(renewals)") }
        if let clock = app.clock { lines.append(Self.line("Clock", clock.bundleId, ClockFormat.state(clock))) }
        lines.append(Self.line("Next", next.text, commands.complete(stop).text))
        return lines.joined(separator: "\n") + "\n"
    }

    var next: Advice {
        guard let product = app.product else { return commands.complete("storebus import App.storekit") }
        return commands.complete("storebus buy \(product) --as alice\(AppOptions.flag(app.bundleId))")
    }

    private static func line(_ title: String, _ value: String, _ remark: String) -> String {
        let start = "  \(Format.pad(title, 14)) "
        return remark.isEmpty ? start + value : start + Format.pad(value, 37) + "   " + remark
    }
}
