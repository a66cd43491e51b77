import ArgumentParser
import StoreModels

/// `storebus app …`
struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app", abstract: "See and change what the store knows of an app: its price, its versions.",
        discussion: """
            storebus app list
            storebus app set --price 4.99USD
            """,
        subcommands: [List.self, Show.self, AppSetCommand.self])

    /// `storebus app list`
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the apps of the store.", discussion: "storebus app list",
            aliases: ["ls"])

        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let context = try CommandContext.find(global)
            let apps = try await context.api.apps()
            context.print(
                Answer(
                    AppTable.table(apps), items: apps.map { JSONText.value($0) }, names: apps.map(\.bundleId),
                    next: apps.first.map { "storebus app show\(Known.option($0.bundleId))" }
                        ?? "storebus import App.storekit",
                    ifEmpty: "no apps yet"))
        }
    }

    /// `storebus app show`
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show what is set of an app.",
            discussion: "storebus app show --bundle-id com.example.app")

        @OptionGroup var app: AppOptions
        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let context = try await CommandContext.find(global, app: app)
            let app = try await Known.app(context)
            context.print(AppTable.answer(app, next: "storebus product list\(Known.option(app.bundleId))"))
        }
    }
}
