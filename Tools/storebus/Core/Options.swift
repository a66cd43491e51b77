import ArgumentParser
import StoreModels

/// Options of the commands that call a store.
///
/// It declares the options of ``OutputOptions`` itself. A debug build of the parser checks a group within a group four
/// times over, for every command and each time.
struct GlobalOptions: ParsableArguments, Sendable {
    @Option(OutputHelp.format, "format", name: OutputHelp.formatName) var format = OutputFormat.human
    @Flag(name: .shortAndLong, help: OutputHelp.quiet) var quiet = false
    @Flag(name: .shortAndLong, help: OutputHelp.verbose) var verbose: Int
    @Option(OutputHelp.color, "when") var color = ColorChoice.auto
    @Option("The store's address. Also STOREBUS_URL.", "url") var url: String?
    @Option("An isolated store of it. Also STOREBUS_STORE.", "name", Completion.stores) var store: String?
    @Option("The running store's data directory. Else .storebus here or above.", "dir", .directory) var data: String?
    @Option("How long to wait: 5s, 500ms, 2m, or seconds.", "time") var timeout: TimeLimit?
    @Flag(help: "Answer every question with yes.") var yes = false

    var output: OutputOptions {
        var output = OutputOptions()
        output.format = format
        output.quiet = quiet
        output.verbose = verbose
        output.color = color
        return output
    }
}

/// Options for the output of every command.
struct OutputOptions: ParsableArguments, Sendable {
    @Option(OutputHelp.format, "format", name: OutputHelp.formatName) var format = OutputFormat.human
    @Flag(name: .shortAndLong, help: OutputHelp.quiet) var quiet = false
    @Flag(name: .shortAndLong, help: OutputHelp.verbose) var verbose: Int
    @Option(OutputHelp.color, "when") var color = ColorChoice.auto

    /// - Throws: A sentence for the parser when the format is a list's, and the command prints one document.
    func checkIsOneDocument(_ command: String) throws {
        if format == .names || format == .jsonl { throw ValidationError("\(command) prints human or json") }
    }
}

private enum OutputHelp {
    static let format = "human tables, one json document, jsonl with one item a line, or names only."
    static let formatName: NameSpecification = [.customShort("o"), .customLong("output")]
    static let quiet: ArgumentHelp = "Say nothing but results and errors."
    static let verbose: ArgumentHelp = "Show each request to the store. Twice, show the cause of a fault too."
    static let color = "Colours: auto, always or never. Also NO_COLOR, CLICOLOR_FORCE."
}

/// The option that names an app.
struct AppOptions: ParsableArguments, Sendable {
    @Option(
        "The app. Also STOREBUS_BUNDLE_ID. Default: the store's only one, or \(EffectiveSettings.defaultBundleId).",
        "id")
    var bundleId: String?

    func validate() throws { try IdentifierRule.bundle.check("--bundle-id", bundleId) }

    /// `--bundle-id …`, unless it is the default.
    static func flag(_ bundleId: String) -> ShellCommand {
        bundleId.isExactly(EffectiveSettings.defaultBundleId) ? "" : "--bundle-id \(bundleId)"
    }
}

/// A command that calls a store.
protocol ContextCommand: AsyncParsableCommand {
    var options: GlobalOptions { get }
    /// Finds the store, and the app of a command about one.
    func context() async throws(CLIError) -> CommandContext
    func run(_ context: CommandContext) async throws
}

extension ContextCommand {
    func context() async throws(CLIError) -> CommandContext { try CommandContext.find(options) }
    func run() async throws { try await run(try await context()) }
}

/// A command about one app: the named one, or else the store's only one.
///
/// It declares each group of its options itself, because the parser takes long for a group within a group
/// (``GlobalOptions``).
protocol OneAppCommand: ContextCommand {
    var app: AppOptions { get }
}

extension OneAppCommand {
    func context() async throws(CLIError) -> CommandContext { try await CommandContext.find(options, app: app) }
}

/// A command that needs no app.
///
/// Without a named one it takes the store's only one. If there are several, the app stays unset.
protocol OptionalAppCommand: OneAppCommand {}

extension OptionalAppCommand {
    func context() async throws(CLIError) -> CommandContext {
        try await CommandContext.find(options, bundleId: app.bundleId).withOnlyAppIfAny()
    }
}

/// A command about a whole installation. It refuses `--store` and ignores `STOREBUS_STORE`.
protocol InstallationCommand: AsyncParsableCommand {}

/// The option that chooses entries of one account.
struct AccountFilter: ParsableArguments, Sendable {
    @Option("Only this account's.", "account", Completion.accounts, name: .customLong("as")) var account: String?

    /// Notes about an account that may be misspelt.
    func notes(_ context: CommandContext) async -> [Advice] {
        guard let account else { return [] }
        return await DidYouMean.notes(aboutAccount: account, context)
    }
}

/// The argument that names a product.
struct ProductArgument: ParsableArguments, Sendable {
    @Argument("The product's identifier.", "product", Completion.products) var product: String
}

/// Options that name an account and a device.
struct AccountOptions: ParsableArguments, Sendable {
    @Option("The account, made if it is new.", "account", Completion.accounts, name: .customLong("as"))
    var account: String
    @Option("The device. Default: <account>-1.", "device") var device: String?

    func validate() throws {
        try IdentifierRule.account.check("--as", account)
        try IdentifierRule.device.check("--device", device)
    }

    func installation(_ context: CommandContext, storefront: String? = nil) -> Installation {
        Installation(bundleId: context.bundleId, account: account, deviceId: device, storefront: storefront)
    }
}

/// Options that name a viewer of the store.
struct CustomerOptions: ParsableArguments, Sendable {
    @Option(
        "The account, made if it is new. Default: the device's.", "account", Completion.accounts,
        name: .customLong("as"))
    var account: String?
    @Option("The device. Default: <account>-1.", "device", Completion.devices) var device: String?

    func validate() throws {
        guard account == nil else { return }
        guard let device else { throw ValidationError("name an account with --as, or its device with --device") }
        guard Self.owner(of: device) != nil else {
            throw ValidationError("whose device is '\(device)'? name the account with --as")
        }
    }

    /// - Parameter bundleId: App of a link, or nil for the command's app.
    func installation(_ context: CommandContext, bundleId: String? = nil) -> Installation {
        Installation(
            bundleId: bundleId ?? context.bundleId, account: account ?? device.flatMap(Self.owner) ?? "",
            deviceId: device)
    }

    /// The account in a device's name: `alice` of `alice-2`.
    static func owner(of device: String) -> String? {
        guard let dash = device.lastIndex(of: "-"), dash != device.startIndex else { return nil }
        let number = device[device.index(after: dash)...]
        guard !number.isEmpty, number.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return String(device[..<dash])
    }
}

/// Options for the length of a list.
struct PageOptions: ParsableArguments, Sendable {
    @Option("How many at most.", "n") var limit = PageOptions.usualLimit
    @Option("Continue behind this 'after' of the page before.", "after") var after: String?

    static let usualLimit = 500

    func validate() throws {
        guard (1...100_000).contains(limit) else { throw ValidationError("--limit is 1 to 100000") }
    }
}

/// A duration, `--timeout 5s`: a number with `ms`, `s`, `m` or `h`. Without a unit it is in seconds.
struct TimeLimit: Hashable, Sendable, ExpressibleByArgument, CustomStringConvertible {
    let duration: Duration

    /// Maximum, a day. More is a typing error.
    static let max = Duration.seconds(86_400)

    init(_ duration: Duration) { self.duration = duration }

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits), number <= 86_400_000 else { return nil }
        let duration: Duration
        switch argument.dropFirst(digits.count) {
        case "ms": duration = .milliseconds(number)
        case "s", "": duration = .seconds(number)
        case "m": duration = .seconds(number * 60)
        case "h": duration = .seconds(number * 3600)
        default: return nil
        }
        guard duration <= Self.max else { return nil }
        self.duration = duration
    }

    /// `5s`, `500ms`, as the gateway reads it.
    var description: String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        return milliseconds == 0 ? "\(seconds)s" : "\(seconds * 1000 + milliseconds)ms"
    }
}

extension CaseIterable where Self: RawRepresentable<String> {
    /// The words of all cases.
    static var rawValues: [String] { allCases.map(\.rawValue) }

    /// The words of all cases, as help texts list them.
    static var listed: String { rawValues.joined(separator: ", ") }
}

/// Checks options with a fixed set of values.
enum Choice {
    /// - Throws: A sentence for the parser with all words, and the probable one.
    static func check(_ flag: String, _ word: String?, among words: [String]) throws {
        guard let word, !words.contains(word) else { return }
        throw ValidationError(
            "\(flag) is one of \(words.joined(separator: ", "))\(Suggestion.suffix(for: word, among: words))")
    }
}

extension IdentifierRule {
    /// - Throws: A sentence for the parser when `text` is there and no such identifier.
    func check(_ flag: String, _ text: String?) throws {
        guard let text, let fault = fault(in: text) else { return }
        throw ValidationError("\(flag) \(fault)")
    }
}

/// Declarations of options in one line: the help, the name of the value, and its completion.
///
/// ```
/// @Option("Only this account's.", "account", Completion.accounts, name: .customLong("as")) var account: String?
/// ```
extension Option {
    init(
        _ help: String, _ value: String, _ completion: CompletionKind? = nil, name: NameSpecification = .long
    ) where Value: ExpressibleByArgument {
        self.init(name: name, help: ArgumentHelp(help, valueName: value), completion: completion)
    }

    init(
        wrappedValue: Value, _ help: String, _ value: String, _ completion: CompletionKind? = nil,
        name: NameSpecification = .long
    ) where Value: ExpressibleByArgument {
        self.init(
            wrappedValue: wrappedValue, name: name, help: ArgumentHelp(help, valueName: value), completion: completion)
    }

    init<Element: ExpressibleByArgument>(
        _ help: String, _ value: String, _ completion: CompletionKind? = nil, name: NameSpecification = .long
    ) where Value == Element? {
        self.init(name: name, help: ArgumentHelp(help, valueName: value), completion: completion)
    }

    init<Element: ExpressibleByArgument>(
        wrappedValue: [Element], _ help: String, _ value: String, _ completion: CompletionKind? = nil,
        name: NameSpecification = .long
    ) where Value == [Element] {
        self.init(
            wrappedValue: wrappedValue, name: name, help: ArgumentHelp(help, valueName: value), completion: completion)
    }
}

/// Declarations of arguments, as those of options.
extension Argument {
    init(_ help: String, _ value: String, _ completion: CompletionKind? = nil) where Value: ExpressibleByArgument {
        self.init(help: ArgumentHelp(help, valueName: value), completion: completion)
    }

    init(
        wrappedValue: Value, _ help: String, _ value: String, _ completion: CompletionKind? = nil
    ) where Value: ExpressibleByArgument {
        self.init(wrappedValue: wrappedValue, help: ArgumentHelp(help, valueName: value), completion: completion)
    }

    init<Element: ExpressibleByArgument>(
        _ help: String, _ value: String, _ completion: CompletionKind? = nil
    ) where Value == Element? {
        self.init(help: ArgumentHelp(help, valueName: value), completion: completion)
    }

    init<Element: ExpressibleByArgument>(
        _ help: String, _ value: String, _ completion: CompletionKind? = nil
    ) where Value == [Element] {
        self.init(help: ArgumentHelp(help, valueName: value), completion: completion)
    }

    init<Element: ExpressibleByArgument>(
        wrappedValue: [Element], _ help: String, _ value: String, _ completion: CompletionKind? = nil
    ) where Value == [Element] {
        self.init(wrappedValue: wrappedValue, help: ArgumentHelp(help, valueName: value), completion: completion)
    }
}

extension CommandConfiguration {
    /// Declares a command: its name, one sentence about it, and the rest of its help, examples first.
    init(
        _ name: String, _ abstract: String, _ discussion: String, subcommands: [any ParsableCommand.Type] = [],
        defaultSubcommand: (any ParsableCommand.Type)? = nil, aliases: [String] = []
    ) {
        self.init(
            commandName: name, abstract: abstract, discussion: discussion, subcommands: subcommands,
            defaultSubcommand: defaultSubcommand, aliases: aliases)
    }
}
