import StoreModels

/// Devices as `storebus device list` shows them.
enum DeviceTable {
    /// One app on one device, with its purchases:
    /// `{"account":"alice","bundleId":"com.example.app","device":"alice-1","transactions":3,"unfinished":1,
    /// "platform":"iOS","osVersion":"18.0","version":"1.0","isLaunched":true}`
    struct Row: Hashable, Sendable, Codable {
        var device: String
        /// Nil before the first purchase on it.
        var account: String?
        var bundleId: String?
        /// Number of transactions from this device.
        var transactions: Int
        var unfinished: Int
        var platform: DeviceLaunch.Platform?
        var osVersion: String?
        /// Nil when the app is no longer installed.
        var version: String?
        var isLaunched: Bool?
    }

    /// Lists devices by account and name.
    /// - Parameters:
    ///   - rows: All transactions that were bought or restored.
    ///   - known: Devices of the store. Those without purchases come last.
    static func rows(_ rows: [TransactionTable.Row], known: [Device]) -> [Row] {
        let groups = Dictionary(grouping: rows) { row in
            [row.account, row.transaction.originDeviceId, row.bundleId].map { ExactText($0) }
        }
        let used = groups.map { key, rows in
            described(
                Row(
                    device: key[1].text, account: key[0].text, bundleId: key[2].text, transactions: rows.count,
                    unfinished: rows.count { !$0.isFinished }), known)
        }
        let keys: Set<[ExactText]> = Set(used.map { key($0.device, $0.bundleId) })
        let others = known.flatMap { device -> [Row] in
            let apps: [String?] = device.apps.isEmpty ? [nil] : device.apps.map(\.bundleId)
            return apps.filter { !keys.contains(key(device.deviceId, $0)) }.map { bundleId in
                described(Row(device: device.deviceId, bundleId: bundleId, transactions: 0, unfinished: 0), known)
            }
        }
        return used.sorted { order($0).lexicographicallyPrecedes(order($1)) }
            + others.sorted { order($0).lexicographicallyPrecedes(order($1)) }
    }

    private static func key(_ device: String, _ bundleId: String?) -> [ExactText] {
        [ExactText(device), ExactText(bundleId ?? "")]
    }

    private static func order(_ row: Row) -> [String] { [row.account ?? "", row.device, row.bundleId ?? ""] }

    private static func described(_ row: Row, _ known: [Device]) -> Row {
        guard let device = known.first(where: { $0.deviceId.isExactly(row.device) }) else { return row }
        var row = row
        row.platform = device.platform
        row.osVersion = device.osVersion
        let app = device.apps.first { $0.bundleId.isExactly(row.bundleId) }
        row.version = app?.version
        row.isLaunched = app?.isLaunched
        return row
    }

    static func result(_ rows: [Row]) -> CommandResult {
        let columns: [Table.Column] = [
            "DEVICE", "ACCOUNT", "SYSTEM", "APP", "VERSION", "LAUNCHED", .right("TRANSACTIONS"), .right("UNFINISHED"),
        ]
        let hint = rows.first.map(next) ?? "storebus device add alice-1 --as alice"
        return CommandResult(rows, columns, named: \.device, next: hint, ifEmpty: "no devices") { one in
            [
                one.device, one.account ?? "-", system(one), one.bundleId ?? "-", one.version ?? "-",
                one.isLaunched.map { $0 ? "yes" : "no" } ?? "-", "\(one.transactions)", "\(one.unfinished)",
            ]
        }
    }

    private static func next(_ row: Row) -> Advice {
        row.account.map { "storebus device resume \(row.device) --as \($0)" } ?? "storebus device show \(row.device)"
    }

    private static func system(_ row: Row) -> String {
        let words = [row.platform?.rawValue, row.osVersion].compactMap { $0 }
        return words.isEmpty ? "-" : words.joined(separator: " ")
    }
}

/// The output of `storebus device show`: the device's system, and each app with its overrides.
enum DeviceInfo {
    /// - Parameter bundleId: The app of the command.
    static func result(_ device: Device, bundleId: String) -> CommandResult {
        let unsupported = PromotionSupport.promotionsUnsupported(
            platform: device.platform, osVersion: device.osVersion)
        let promotions = unsupported.map { "unsupported: \($0)" } ?? "supported"
        var fields: FieldList = [
            "device": device.deviceId, "system": "\(device.platform.rawValue) \(device.osVersion)",
            "promotions": promotions,
        ]
        for app in device.apps { add(app, &fields) }
        let members = JSONText.value(device).with([
            "promotions": .string(promotions),
            "summary": .array(device.apps.map { .string(words($0)) }),
        ])
        return CommandResult(fields, data: members, names: [device.deviceId], next: next(device, bundleId))
    }

    private static func add(_ app: Device.InstalledApp, _ fields: inout FieldList) {
        fields.add("app", words(app))
        if !app.overrides.order.isEmpty { fields.add("  order", app.overrides.order.joined(separator: ", ")) }
        for (product, visibility) in app.overrides.visibility.sorted(by: { $0.key < $1.key }) {
            fields.add("  \(visibility.rawValue)", product.text)
        }
    }

    private static func words(_ app: Device.InstalledApp) -> String {
        let handler = app.promotedPurchases.map { ", promoted purchases: \($0.rawValue)" } ?? ""
        return "\(app.bundleId) \(app.version), \(app.isLaunched ? "launched" : "never launched")\(handler)"
    }

    private static func next(_ device: Device, _ bundleId: String) -> Advice {
        let option = AppOptions.flag(bundleId)
        let account = CustomerOptions.owner(of: device.deviceId) ?? "alice"
        guard let app = device.apps.first(where: { $0.bundleId.isExactly(bundleId) }) else {
            return "storebus device install \(device.deviceId)\(option)"
        }
        return app.isLaunched
            ? "storebus promo list --device \(device.deviceId)\(option)"
            : "storebus device add \(device.deviceId) --as \(account)\(option)"
    }
}
