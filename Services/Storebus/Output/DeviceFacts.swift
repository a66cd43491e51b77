import StoreModels

/// One device as `storebus device show` shows it: its system, and each app with what it has set.
enum DeviceFacts {
    /// - Parameter bundleId: the app the command was about.
    static func answer(_ device: Device, bundleId: String) -> Answer {
        var facts = Facts()
        facts.add("device", device.deviceId)
        facts.add("system", "\(device.platform.rawValue) \(device.osVersion)")
        let unsupported = PromotionSupport.promotionsUnsupported(
            platform: device.platform, osVersion: device.osVersion)
        facts.add("promotions", unsupported == nil ? "supported" : "unsupported: \(unsupported ?? "")")
        for app in device.apps { add(app, &facts) }
        let shown = facts
        var members = JSONText.value(device).objectValue ?? [:]
        members["promotions"] = .string(unsupported.map { "unsupported: \($0)" } ?? "supported")
        members["summary"] = .array(device.apps.map { .string(words($0)) })
        return Answer(data: .object(members), names: [device.deviceId], next: next(device, bundleId)) {
            shown.text($0)
        }
    }

    private static func add(_ app: Device.InstalledApp, _ facts: inout Facts) {
        facts.add("app", words(app))
        if !app.overrides.order.isEmpty { facts.add("  order", app.overrides.order.joined(separator: ", ")) }
        for (product, visibility) in app.overrides.visibility.sorted(by: { $0.key < $1.key }) {
            facts.add("  \(visibility.rawValue)", product.text)
        }
    }

    private static func words(_ app: Device.InstalledApp) -> String {
        let handler = app.promotedPurchases.map { ", promoted purchases: \($0.rawValue)" } ?? ""
        return "\(app.bundleId) \(app.version), \(app.isLaunched ? "launched" : "never launched")\(handler)"
    }

    private static func next(_ device: Device, _ bundleId: String) -> String {
        let option = Known.option(bundleId)
        let account = ShopperOptions.owner(of: device.deviceId) ?? "ACCOUNT"
        guard let app = device.apps.first(where: { $0.bundleId.isExactly(bundleId) }) else {
            return "storebus device install \(device.deviceId)\(option)"
        }
        return app.isLaunched
            ? "storebus promo list --device \(device.deviceId)\(option)"
            : "storebus device add \(device.deviceId) --as \(account)\(option)"
    }
}
