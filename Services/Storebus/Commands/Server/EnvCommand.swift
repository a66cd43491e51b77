import ArgumentParser
import Glibc
import StoreModels

/// `storebus env`
struct EnvCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "env", abstract: "Print what a program needs to find the store, or run one with it.",
        discussion: """
            eval "$(storebus env)"
            storebus env --format github >> "$GITHUB_ENV"
            storebus env -- npm test

            Prints the admin key, which is a secret: what it prints belongs into no log. With a command, that command \
            takes the place of storebus, and its exit status is the command's.
            """)

    /// How another program reads variables.
    enum Form: String, CaseIterable, ExpressibleByArgument { case shell, dotenv, json, github }

    @Option(help: ArgumentHelp("shell, dotenv, json or github.", valueName: "form"))
    var format: Form?

    @Argument(
        parsing: .postTerminator, help: ArgumentHelp("Behind --: a command to run.", valueName: "command"))
    var command: [String] = []

    @OptionGroup var app: AppOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if format != nil, !command.isEmpty { throw ValidationError("--format and a command exclude each other") }
    }

    func run() async throws {
        let context = try await CommandContext.find(global, bundleId: app.bundleId).withOnlyAppIfAny()
        let variables = StoreVariables(context.settings)
        guard command.isEmpty else { throw ProgramReplacement(command, variables, context.environment).run() }
        var notes: [String] = []
        if context.settings.adminKey == nil {
            notes.append("no admin key is known; set STOREBUS_ADMIN_KEY, or run where .storebus is found")
        }
        context.print(
            Answer(
                variables.text(format ?? .shell), data: variables.json, names: variables.names, notes: notes))
    }
}
