import ArgumentParser
import StoreModels

/// `storebus app set`
struct AppSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change what is set of an app; what is not named stays.",
        discussion: """
            storebus app set --name Trails --price 4.99USD
            storebus app set --price free
            storebus app set --current-version 2.0 --promotions-since 2.0
            storebus app set --promotions-since all --released false
            storebus app set --renewal-rate realTime

            A device without the app has to buy it first, if it costs something, before a promoted purchase goes on; \
            it gets the current version. Versions before --promotions-since have to be upgraded first. Before its \
            release an app's store page is empty; links to test a product work. --renewal-rate counts before the catalogue's \
            _timeRate, for accounts that have no rate of their own; subscriptions that run keep theirs.
            """)

    @OptionGroup var settings: AppSettingsOptions
    @OptionGroup var app: AppOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if settings.isEmpty { throw ValidationError("nothing to set; for example --price 4.99USD") }
    }

    func run() async throws {
        let context = try await CommandContext.find(global, app: app)
        let before = try await Known.app(context)
        let app = try await context.api.putApp(before.bundleId, settings.merged(into: before.settings))
        context.print(AppTable.answer(app, next: "storebus promo list\(Known.option(app.bundleId))"))
    }
}
