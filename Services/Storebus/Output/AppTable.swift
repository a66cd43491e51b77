import StoreModels

/// Apps as `storebus app` shows them.
enum AppTable {
    static func table(_ apps: [App]) -> Table {
        var table = Table([
            .init("APP"), .init("NAME"), .init("PRICE", .right), .init("VERSION"), .init("PROMOTIONS SINCE"),
            .init("RELEASED"), .init("CATALOGUE", .right),
        ])
        for app in apps {
            table.add([
                app.bundleId, app.settings.name, price(app), app.settings.currentVersion,
                app.settings.promotionsSupportedSince ?? "-", app.settings.released ? "yes" : "no",
                "\(app.catalogVersion)",
            ])
        }
        return table
    }

    static func answer(_ app: App, next: String) -> Answer {
        let settings = app.settings
        var facts = Facts()
        facts.add("app", app.bundleId)
        facts.add("name", settings.name)
        facts.add("appPrice", price(app))
        facts.add("currentVersion", settings.currentVersion)
        facts.add("promotionsSupportedSince", settings.promotionsSupportedSince ?? "-")
        facts.add("released", "\(settings.released)")
        facts.add("agreementsActive", "\(settings.agreementsActive)")
        facts.add("billingGracePeriod", "\(settings.billingGracePeriod)")
        facts.add("unfinishedLimit", settings.unfinishedLimit.map { "\($0)" } ?? "-")
        facts.add("subscriptionRenewalRate", rate(app))
        for (name, value) in defaults(app) { facts.add("testers' \(name)", value) }
        facts.add("catalogVersion", "\(app.catalogVersion)")
        var members = JSONText.value(app).objectValue ?? [:]
        members["renewals"] = .string(rate(app))
        let shown = facts
        return Answer(
            data: .object(members), names: [app.bundleId], next: next,
            notes: [RenewalWords.note(app)].compactMap(\.self)
        ) { shown.text($0) }
        .about(app.bundleId)
    }

    /// `monthlyRenewalEveryThirtySeconds, from the catalogue`
    private static func rate(_ app: App) -> String {
        guard let rate = app.testerDefaults?.subscriptionRenewalRate else { return "realTime" }
        return app.settings.subscriptionRenewalRate == nil ? "\(rate.rawValue), from the catalogue" : rate.rawValue
    }

    /// What accounts do unless they are set otherwise.
    private static func defaults(_ app: App) -> [(name: String, value: String)] {
        let members = app.testerDefaults.flatMap { JSONText.value($0).objectValue } ?? [:]
        return members.filter { $0.value != .null && $0.key != "subscriptionRenewalRate" }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value.stringValue ?? JSONText.line($0.value)) }
    }

    private static func price(_ app: App) -> String { app.settings.appPrice.map(Words.price) ?? "free" }
}
