import ArgumentParser
import Glibc
import StoreHTTP
import StoreModels

/// `storebus env`
struct EnvCommand: OptionalAppCommand, TerminalCommand {
    static let configuration = CommandConfiguration(
        "env", "Print the variables that connect a program to the store, or run it with them.",
        """
        eval "$(storebus env)"
        storebus env --format github >> "$GITHUB_ENV"
        storebus env -- npm test

        An app with StoreKitClient needs nothing else: the output has the address, the account (alice unless --as \
        names one) and its device. For a server it also has the issuer, the app's In-App Purchase key ID, if it \
        has a key, and the root certificate (base64 DER) while the store runs. With --store it is that isolated \
        store's.

        The output contains the admin key, which is a secret: keep it out of logs. --format github masks it in \
        the workflow's log. With a command, that command takes the place of storebus, and its exit status is the \
        command's.
        """)

    /// The output format of variables.
    enum Form: String, CaseIterable, ExpressibleByArgument { case shell, dotenv, json, github }

    @Option("shell, dotenv, json or github.", "form") var format: Form?
    @Argument(
        parsing: .postTerminator, help: ArgumentHelp("Behind --: a command to run.", valueName: "command"))
    var command: [String] = []

    @OptionGroup var customer: ProgramOptions
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if format != nil, !command.isEmpty { throw ValidationError("--format and a command exclude each other") }
    }

    func run(_ context: CommandContext) async throws {
        var variables = StoreVariables(context.settings, customer.installation(context))
        if context.settings.adminKey != nil,
            let known = try? await context.api.call(
                MonitoringRoutes.environment, query: ["bundleId": context.bundleId], timeout: .seconds(2))
        {
            variables.add(known)
        }
        guard command.isEmpty else { throw Program(command, variables, context.environment).replaceThisProcess() }
        var notes: [Advice] = []
        if context.settings.adminKey == nil {
            notes.append("no admin key is known; set STOREBUS_ADMIN_KEY, or run where .storebus is found")
        }
        if format == .github, let key = context.settings.adminKey {
            // The runner reads workflow commands from standard error, too. Standard output goes to $GITHUB_ENV.
            context.console.narrate("::add-mask::\(Table.onOneLine(key.text))\n")
        }
        context.print(
            variables.text(format ?? .shell), data: variables.json, names: variables.names, notes: notes)
    }
}

/// The options that name the customer of a program that gets the store's variables.
struct ProgramOptions: ParsableArguments, Sendable {
    @Option(
        "The app's account. Also STOREBUS_ACCOUNT. Default: alice.", "account", Completion.accounts,
        name: .customLong("as"))
    var account: String?
    @Option("The app's device. Also STOREBUS_DEVICE_ID. Default: <account>-1.", "device", Completion.devices)
    var device: String?

    /// The app, account and device. A device named in the environment belongs to the account named there.
    func installation(_ context: CommandContext) -> Installation {
        let variables = context.environment.variables
        let named = account ?? variables[StoreVariables.account] ?? "alice"
        return Installation(
            bundleId: context.bundleId, account: named,
            deviceId: device ?? (account == nil ? variables[StoreVariables.device] : nil))
    }
}

/// The environment variables that connect a program to the store: those of `storebus`, and those of
/// StoreKitClient.
struct StoreVariables: Hashable, Sendable {
    /// Names and values in the order of printing.
    private(set) var values: [Variable] = []

    struct Variable: Hashable, Sendable {
        var name: String
        var value: String
    }

    static let account = "STOREBUS_ACCOUNT"
    static let device = "STOREBUS_DEVICE_ID"

    init(_ settings: EffectiveSettings, _ installation: Installation) {
        values.append(Variable(name: "STOREBUS_URL", value: settings.url.text))
        if let store = settings.store {
            values.append(Variable(name: EffectiveSettings.storeVariable, value: store.text))
        }
        values.append(Variable(name: "STOREBUS_BUNDLE_ID", value: settings.bundleId.text))
        values.append(Variable(name: Self.account, value: installation.account))
        values.append(Variable(name: Self.device, value: installation.deviceId))
        if let key = settings.adminKey { values.append(Variable(name: "STOREBUS_ADMIN_KEY", value: key.text)) }
    }

    /// Creates the variables of a new isolated store, with its private key, which only this response has.
    init(_ settings: EffectiveSettings, _ installation: Installation, made: IsolatedStoreResponse) {
        self.init(settings, installation)
        add(
            StoreEnvironment(
                url: made.url, bundleId: made.bundleId, issuerId: made.issuerId, keyId: made.keyId,
                rootCertificate: made.rootCertificate))
        values.append(Variable(name: "STOREBUS_PRIVATE_KEY", value: made.privateKey))
    }

    /// Adds the store's values that are not known yet.
    mutating func add(_ environment: StoreEnvironment) {
        for (name, value) in environment.values where !names.containsExactly(name) {
            values.append(Variable(name: name, value: value))
        }
    }

    var names: [String] { values.map(\.name) }

    var json: JSONValue { .object(Dictionary(uniqueKeysWithValues: values.map { ($0.name, .string($0.value)) })) }

    func text(_ form: EnvCommand.Form) -> String {
        switch form {
        case .shell: values.map { "export \($0.name)=\(ShellWord.quoted($0.value))\n" }.joined()
        case .dotenv: values.map { "\($0.name)=\(Self.quoteForDotenv($0.value))\n" }.joined()
        case .github: values.map { "\($0.name)=\(Table.onOneLine($0.value))\n" }.joined()
        case .json: JSONText.line(json) + "\n"
        }
    }

    /// Readers of these files differ, but all support double quotes with backslashes.
    private static func quoteForDotenv(_ text: String) -> String {
        if ShellWord.isPlain(text) { return text }
        return "\""
            + text.unicodeScalars.map { scalar in
                switch scalar {
                case "\"", "\\", "$": "\\\(scalar)"
                case "\n": "\\n"
                default: "\(scalar)"
                }
            }.joined() + "\""
    }
}

/// A program that has the store's variables in its environment.
struct Program {
    private let command: [String]
    private let variables: [String: String]

    init(_ command: [String], _ store: StoreVariables, _ environment: CommandEnvironment) {
        self.command = command
        variables = store.values.reduce(into: environment.inherited) { $0[$1.name] = $1.value }
    }

    /// - Returns: The error. On success this never returns.
    func replaceThisProcess() -> CLIError {
        // The other program would inherit ignored signals.
        signal(SIGPIPE, SIG_DFL)
        for (name, value) in variables { setenv(name, value, 1) }
        var arguments = command.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        execvp(command[0], &arguments)
        let reason = FileAccess.systemReason
        signal(SIGPIPE, SIG_IGN)
        return error(reason)
    }

    /// Starts the program as a child.
    /// - Parameter onExit: Called once, after the end of the program.
    func start(onExit: @escaping @Sendable (Termination) -> Void) throws(CLIError) -> ChildProcess {
        do throws(ChildProcess.Failure) {
            return try ChildProcess.startInForeground(command, environment: variables) { _, end in onExit(end) }
        } catch {
            throw self.error(error.reason)
        }
    }

    private func error(_ reason: String) -> CLIError {
        CLIError(.commandFailed, "cannot run \(command[0]): \(reason)", hints: ["check the name and PATH"])
    }
}
