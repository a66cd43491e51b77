import StoreModels

/// The store, settings and output of a running command.
struct CommandContext: Sendable {
    let environment: CommandEnvironment
    let format: OutputFormat
    /// Format of standard output.
    let style: Style
    let isQuiet: Bool
    private(set) var api: StoreAPI
    private(set) var settings: EffectiveSettings
    /// The value of `--timeout`.
    let timeLimit: Duration?
    /// Whether `--yes` confirms every question.
    let saysYes: Bool

    var console: Console { environment.console }
    /// Directory of the running store. Nil for a store known by its address.
    var directory: DataDirectory? { settings.directory }
    var bundleId: String { settings.bundleId.text }
    /// The app named by the flag or the variable. Nil lists those of all apps.
    var namedApp: String? { settings.bundleId.origin == EffectiveSettings.defaultOrigin ? nil : bundleId }
    var sessions: SessionCache {
        var sessions = SessionCache(api: api, directory: directory?.sessions(of: settings.address.store))
        if !isQuiet, format == .human { sessions.note = { advice in self.narrate("note: \(advice)\n") } }
        return sessions
    }
    var progress: Progress { Progress(environment, isQuiet: isQuiet || format.isJSON) }

    init(
        environment: CommandEnvironment, options: GlobalOptions, settings: EffectiveSettings, api: StoreAPI
    ) {
        self.environment = environment
        self.settings = settings
        self.api = api
        format = options.output.format
        style = options.output.style(environment)
        isQuiet = options.output.quiet
        timeLimit = options.timeout?.duration
        saysYes = options.yes
    }

    /// Finds the store: ``EffectiveSettings``.
    ///
    /// - Throws: `serverUnreachable` for a directory on which no store runs, `usage` for an invalid address.
    static func find(_ options: GlobalOptions, bundleId: String? = nil) throws(CLIError) -> CommandContext {
        let environment = CommandEnvironment.current
        let settings = try EffectiveSettings.find(
            url: options.url, data: options.data, store: options.store, bundleId: bundleId, environment)
        if settings.isNamedDirectoryIdle, let data = options.data {
            throw CLIError(
                .serverUnreachable, "no store runs on \(data)", hints: ["start it: storebus up --data \(data)"])
        }
        let url = settings.url.text
        guard url.hasPrefix("http://") || url.hasPrefix("https://"), WebPort.isValid(in: url) else {
            throw CLIError(
                .usage, "'\(url)' (\(settings.url.origin)) is not a URL of a store",
                hints: ["for example \(EffectiveSettings.defaultURL)"])
        }
        let contact = StoreContact(isKnown: settings.directory != nil)
        var transport: any StoreTransport = ContactTransport(
            environment.transport(settings.address.installation), contact)
        if options.output.verbose > 0 {
            transport = TracingTransport(transport) { environment.console.narrate($0) }
        }
        if !options.output.quiet {
            for sentence in EffectiveSettings.misspeltVariables(environment.variables) {
                environment.console.narrate("warning: \(sentence)\n")
            }
        }
        return CommandContext(
            environment: environment, options: options, settings: settings, api: StoreAPI(transport, settings))
    }

    /// Returns the context of the installation's own store, also when an isolated store is named.
    var installation: CommandContext { at(nil, origin: "") }

    /// Returns the context of an isolated store.
    /// - Parameter origin: The origin of the name.
    func at(_ store: String?, origin: String) -> CommandContext {
        var context = self
        context.settings = settings.at(store, origin: origin)
        context.api = api.at(store)
        return context
    }

    /// Finds the store and the app: the named one, or else the store's only one.
    ///
    /// - Throws: As ``find(_:bundleId:)``, and `usage` if the store has several apps and the command names none.
    static func find(_ options: GlobalOptions, app: AppOptions) async throws(CLIError) -> CommandContext {
        try await find(options, bundleId: app.bundleId).withOnlyApp()
    }

    func withOnlyApp() async throws(CLIError) -> CommandContext {
        var context = self
        context.settings = try await settings.withOnlyApp(api)
        return context
    }

    /// Finds the store's only app if an app is optional. Without one it stays unset.
    func withOnlyAppIfAny() async -> CommandContext { (try? await withOnlyApp()) ?? self }

    /// Resolves a file's path from the current directory.
    func path(_ name: String) -> String {
        name.hasPrefix("/") ? name : "\(environment.currentDirectory)/\(name)"
    }

    // MARK: Printing

    /// Prints a result. The app is added to its next command, which `--bundle-id` may have named.
    private var printed: PrintedCommands {
        settings.bundleId.origin == "--bundle-id" ? environment.printed : environment.printed.unnamed(bundleId)
    }

    /// Completes the commands in a sentence, as they are printed.
    func completed(_ advice: Advice) -> Advice { printed.complete(advice) }

    func print(_ result: CommandResult) {
        let result = result.completed(printed)
        environment.takeNames(result.names)
        console.result(result.output(format, style))
        if !isQuiet { console.narrate(result.narration(format)) }
    }

    /// Prints a result of text without colours.
    func print(
        _ text: String, data: JSONValue, names: [String] = [], next: Advice? = nil, notes: [Advice] = []
    ) {
        print(CommandResult(text, data: data, names: names, next: next, notes: notes))
    }

    /// Prints a note to standard error, unless `--quiet` is set.
    /// - Parameter always: Prints the note of a failure also then.
    func narrate(_ advice: Advice, always: Bool = false) {
        if always || !isQuiet { console.narrate(completed(advice).text) }
    }

    // MARK: Asking

    /// Asks for confirmation of an operation that cannot be undone.
    ///
    /// - Throws: `usage` without a terminal to ask on and without `--yes`, `interrupted` when the answer is no.
    func confirm(_ question: String) throws(CLIError) {
        if saysYes { return }
        guard environment.terminal.isInput, environment.terminal.isError else {
            throw CLIError(.usage, "\(question): needs confirmation, and stdin is not a terminal", hints: ["add --yes"])
        }
        console.narrate("\(question)? [y/N] ")
        let answer = environment.answer()?.lowercased() ?? ""
        guard ["y", "yes"].contains(answer) else {
            throw CLIError(.notConfirmed, "nothing was changed", hints: ["answer y, or add --yes"])
        }
    }
}

extension OutputOptions {
    func style(_ environment: CommandEnvironment) -> Style {
        let terminal = environment.terminal
        return Style(
            isOn: color.isOn(
                onTerminal: terminal.isOutput, isDumb: terminal.isDumb, variables: environment.variables))
    }

    /// Prints the result of a command without a store.
    func print(_ result: CommandResult) {
        let environment = CommandEnvironment.current
        let result = result.completed(environment.printed)
        environment.takeNames(result.names)
        environment.console.result(result.output(format, style(environment)))
        if !quiet { environment.console.narrate(result.narration(format)) }
    }
}
