import ArgumentParser
import StoreModels

/// `storebus device …`
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Devices: their systems, the apps on them, what an app is told at launch.",
        discussion: """
            storebus device add alice-2 --as alice
            storebus device resume alice-2 --as alice
            storebus device put alice-2 --platform iPadOS --os-version 17.4
            """,
        subcommands: [
            DeviceListCommand.self, DeviceShowCommand.self, DeviceAddCommand.self, DeviceResumeCommand.self,
            DevicePutCommand.self, DeviceDeleteCommand.self, DeviceInstallCommand.self, DeviceUninstallCommand.self,
            DeviceOpenAppCommand.self,
        ])
}

/// A device of an account on the command line.
struct DeviceArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("The device.", valueName: "device"))
    var device: String

    @Option(
        name: .customLong("as"), help: ArgumentHelp("The account; made when it is new.", valueName: "account"),
        completion: Completion.accounts)
    var account: String

    @OptionGroup var app: AppOptions
}

/// `storebus device list`
struct DeviceListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List devices, with the apps on them and what was bought there.",
        discussion: """
            storebus device list
            storebus device list --as alice -o names
            """, aliases: ["ls"])

    @Option(
        name: .customLong("as"), help: ArgumentHelp("Only this account's.", valueName: "account"),
        completion: Completion.accounts)
    var account: String?

    @OptionGroup var global: GlobalOptions

    /// Transactions looked at; older ones are of devices that are named by newer ones, or left out.
    private static let searchedMax = 20_000

    func run() async throws {
        let context = try CommandContext.find(global)
        var filter = try Filter([])
        try filter.add("account", account)
        let rows = try await TransactionSearch(api: context.api, filter: filter, isFinished: nil, now: .wallClock())
            .rows(limit: Self.searchedMax, after: nil).rows
        // Whose a device is that nothing was bought on, is not known.
        let known = try await context.api.devices()
        let devices = DeviceTable.rows(rows, known: known).filter { account == nil || $0.account.isExactly(account) }
        var answer = Answer(
            DeviceTable.table(devices), items: devices.map { JSONText.value($0) }, names: devices.map(\.device),
            next: devices.first.map(next) ?? "storebus device add alice-1 --as alice", ifEmpty: "no devices")
        if devices.isEmpty, let account { answer.notes = await Known.notes(aboutAccount: account, context) }
        context.print(answer)
    }

    private func next(_ row: DeviceTable.Row) -> String {
        row.account.map { "storebus device resume \(row.device) --as \($0)" } ?? "storebus device show \(row.device)"
    }
}

/// `storebus device add`
struct DeviceAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Launch an account's app on a device; both are made when they are new.",
        discussion: """
            storebus device add alice-2 --as alice
            storebus device add bob-1 --as bob --storefront FRA
            """)

    @OptionGroup var named: DeviceArguments

    @Option(
        help: ArgumentHelp("The country of a new account, three letters.", valueName: "country"),
        completion: Completion.storefronts)
    var storefront: String?

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try await CommandContext.find(global, app: named.app)
        let installation = Installation(
            bundleId: context.bundleId, account: named.account, deviceId: named.device,
            storefront: storefront?.uppercased())
        let session = try await context.sessions.launched(installation)
        let waiting = try await context.api.unfinishedTransactions(token: session.token)
        var facts = Facts()
        facts.add("device", named.device)
        facts.add("account", "\(named.account) (\(session.storefront.countryCode))")
        facts.add("app", context.bundleId)
        facts.add("canMakePayments", "\(session.canMakePayments)")
        facts.add("unfinished", Words.count(waiting.count, "transaction"))
        let shown = facts
        context.print(
            Answer(
                data: [
                    "deviceId": .string(named.device), "account": .string(named.account),
                    "bundleId": .string(context.bundleId), "storefront": JSONText.value(session.storefront),
                    "canMakePayments": .bool(session.canMakePayments), "unfinishedCount": .integer(waiting.count),
                    "unfinished": .array(waiting.map { JSONText.value($0) }),
                ], names: [named.device], next: "storebus device resume \(named.device) --as \(named.account)"
            ) { shown.text($0) })
    }
}

/// `storebus device resume`
struct DeviceResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Bring an account's app to the front, and show what its observer is told.",
        discussion: """
            storebus device resume alice-2 --as alice

            Every unfinished transaction of the device comes again, and what it has missed; then the command ends. Being \
            told counts as a delivery. storebus watch --as alice --device alice-2 goes on instead.
            """)

    @OptionGroup var named: DeviceArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try await CommandContext.find(global, app: named.app)
        let installation = Installation(bundleId: context.bundleId, account: named.account, deviceId: named.device)
        try await Observer(installation: installation, context: context, endsWhenSynchronized: true).run()
    }
}
