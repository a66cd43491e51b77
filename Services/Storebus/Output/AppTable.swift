import StoreModels

/// Apps as `storebus app` shows them.
package enum AppTable {
    package static func table(_ apps: [App]) -> Table {
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

    package static func answer(_ app: App, next: String) -> Answer {
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
        facts.add("catalogVersion", "\(app.catalogVersion)")
        let shown = facts
        return Answer(data: JSONText.value(app), names: [app.bundleId], next: next) { shown.text($0) }
    }

    private static func price(_ app: App) -> String { app.settings.appPrice.map(Words.price) ?? "free" }
}
