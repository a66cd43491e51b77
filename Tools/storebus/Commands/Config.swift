import ArgumentParser
import StoreModels

/// `storebus config …`
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "config", "Show the settings in force, and where each comes from.", "storebus config show",
        subcommands: [Show.self])

    /// `storebus config show`
    struct Show: AsyncParsableCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "show", "Show each value and its source. Secrets stay hidden.",
            """
            storebus config show
            storebus config show --url http://127.0.0.1:7431 -o json

            A flag takes precedence over a variable, a variable over .storebus/run/up.json here or in a directory \
            above, and that file over the default.
            """)

        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run() async throws {
            let environment = CommandEnvironment.current
            let settings = try EffectiveSettings.find(
                url: options.url, data: options.data, store: options.store,
                bundleId: app.bundleId, environment)
            let rows = Self.rows(settings, options.output, environment)
            options.output.print(
                CommandResult(
                    rows, ["SETTING", "VALUE", "FROM"], named: \.name,
                    json: {
                        ["setting": .string($0.name), "value": .string($0.value), "origin": .string($0.origin)]
                    }, next: "storebus doctor",
                    notes: EffectiveSettings.misspeltVariables(environment.variables).map { Advice($0) }, ifEmpty: ""
                ) { [$0.name, $0.value, $0.origin] })
        }

        private static func rows(
            _ settings: EffectiveSettings, _ output: OutputOptions, _ environment: CommandEnvironment
        ) -> [(name: String, value: String, origin: String)] {
            let isOn = output.style(environment).isOn
            let color =
                if output.color != .auto { "--color" } else if environment.variables["NO_COLOR"] != nil {
                    "NO_COLOR"
                } else if environment.variables["CLICOLOR_FORCE"] != nil { "CLICOLOR_FORCE" } else {
                    environment.terminal.isOutput ? "a terminal" : "no terminal"
                }
            return [
                ("url", settings.url.text, settings.url.origin),
                ("store", settings.store?.text ?? "-", settings.store?.origin ?? "-"),
                (
                    "dataDirectory", settings.directory?.path ?? "-",
                    settings.directory == nil ? "-" : settings.directoryOrigin
                ),
                ("adminKey", settings.adminKey == nil ? "-" : "hidden", settings.adminKey?.origin ?? "-"),
                ("bundleId", settings.bundleId.text, settings.bundleId.origin),
                ("color", isOn ? "on" : "off", color),
            ]
        }
    }
}
