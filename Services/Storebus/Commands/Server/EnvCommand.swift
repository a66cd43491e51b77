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

            An app with StoreKitClient needs nothing else: the account, alice unless --as names one, and its device are \
            printed with the address.

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

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("The app's account. Also STOREBUS_ACCOUNT. Default: alice.", valueName: "account"),
        completion: Completion.accounts)
    var account: String?

    @Option(
        help: ArgumentHelp(
            "The app's device. Also STOREBUS_DEVICE_ID. Default: <account>-1.", valueName: "device"),
        completion: Completion.devices)
    var device: String?

    @OptionGroup var app: AppOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if format != nil, !command.isEmpty { throw ValidationError("--format and a command exclude each other") }
    }

    func run() async throws {
        let context = try await CommandContext.find(global, bundleId: app.bundleId).withOnlyAppIfAny()
        let variables = StoreVariables(context.settings, installation(context))
        guard command.isEmpty else { throw ProgramReplacement(command, variables, context.environment).run() }
        var notes: [String] = []
        if context.settings.adminKey == nil {
            notes.append("no admin key is known; set STOREBUS_ADMIN_KEY, or run where .storebus is found")
        }
        context.print(
            Answer(
                variables.text(format ?? .shell), data: variables.json, names: variables.names, notes: notes))
    }

    /// The app, in whose hands and on which device. A device that is named in the environment belongs to the account that
    /// is named there.
    private func installation(_ context: CommandContext) -> Installation {
        let variables = context.environment.variables
        let named = account ?? variables[StoreVariables.account] ?? "alice"
        return Installation(
            bundleId: context.bundleId, account: named,
            deviceId: device ?? (account == nil ? variables[StoreVariables.device] : nil))
    }
}
