import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus device …`
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Devices: their systems, their apps, and the transactions an app receives at launch.",
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

/// The options that name a device of an account.
struct DeviceArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("The device.", valueName: "device"))
    var device: String

    @Option(
        name: .customLong("as"), help: ArgumentHelp("The account, made if it is new.", valueName: "account"),
        completion: Completion.accounts)
    var account: String

    @OptionGroup var app: AppOptions
}

/// `storebus device list`
struct DeviceListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List devices, with their apps and the purchases made there.",
        discussion: """
            storebus device list
            storebus device list --as alice -o names
            """, aliases: ["ls"])

    @OptionGroup var owner: AccountFilter

    @OptionGroup var global: GlobalOptions

    /// Maximum number of transactions searched for devices.
    private static let searchedMax = 20_000

    func run() async throws {
        let context = try CommandContext.find(global)
        var filter = try Filter([])
        try filter.add("account", owner.account)
        let rows = try await TransactionSearch(api: context.api, filter: filter, isFinished: nil, now: .wallClock())
            .rows(limit: Self.searchedMax, after: nil).rows
        // The account of a device without purchases is unknown.
        let known = try await context.api.all(DeviceRoutes.list)
        let devices = DeviceTable.rows(rows, known: known).filter {
            owner.account == nil || $0.account.isExactly(owner.account)
        }
        var result = CommandResult(
            DeviceTable.table(devices), items: devices.map { JSONText.value($0) }, names: devices.map(\.device),
            next: devices.first.map(next) ?? "storebus device add alice-1 --as alice", ifEmpty: "no devices")
        if devices.isEmpty { result.notes = await owner.notes(context) }
        context.print(result)
    }

    private func next(_ row: DeviceTable.Row) -> Advice {
        row.account.map { "storebus device resume \(row.device) --as \($0)" } ?? "storebus device show \(row.device)"
    }
}

/// `storebus device add`
struct DeviceAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Launch an account's app on a device. Makes the account and the device if they are new.",
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
        let waiting = try await context.api.all(TransactionRoutes.unfinished, token: session.token)
        var fields = FieldList()
        fields.add("device", named.device)
        fields.add("account", "\(named.account) (\(session.storefront.countryCode))")
        fields.add("app", context.bundleId)
        fields.add("canMakePayments", "\(session.canMakePayments)")
        fields.add("unfinished", Format.count(waiting.count, "transaction"))
        context.print(
            CommandResult(
                fields,
                data: [
                    "deviceId": .string(named.device), "account": .string(named.account),
                    "bundleId": .string(context.bundleId), "storefront": JSONText.value(session.storefront),
                    "canMakePayments": .bool(session.canMakePayments), "unfinishedCount": .integer(waiting.count),
                    "unfinished": .array(waiting.map { JSONText.value($0) }),
                ], names: [named.device], next: "storebus device resume \(named.device) --as \(named.account)"))
    }
}

/// `storebus device resume`
struct DeviceResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Bring an account's app to the front, and show the transactions its observer receives.",
        discussion: """
            storebus device resume alice-2 --as alice

            Receives every unfinished transaction of the device again, and everything the device missed, and then \
            ends. Received transactions count as delivered. To go on receiving use storebus watch --as alice --device \
            alice-2.
            """)

    @OptionGroup var named: DeviceArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try await CommandContext.find(global, app: named.app)
        let installation = Installation(bundleId: context.bundleId, account: named.account, deviceId: named.device)
        try await StreamWatcher(installation: installation, context: context, endsWhenSynchronized: true).run()
    }
}

/// The argument that names a device of any account.
struct DeviceArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The device.", valueName: "device"), completion: Completion.devices)
    var device: String

    @OptionGroup var app: AppOptions

    /// - Throws: `notFound` with the nearest one.
    func found(_ context: CommandContext) async throws(CLIError) -> Device {
        try await DidYouMean.replacing(.notFound) { () throws(CLIError) in
            try await context.api.call(DeviceRoutes.get, [.deviceId: device])
        } better: { _ in
            let known = (try? await context.api.all(DeviceRoutes.list))?.map(\.deviceId) ?? []
            return CLIError(
                CLIErrorCode(.notFound), "device '\(device)' not found",
                hints: Suggestion.hints(for: device, among: known)
                    + ["all devices: storebus device list", "a new one: storebus device put \(device)"])
        }
    }
}

/// `storebus device show`
struct DeviceShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a device: its system, its apps and their settings.",
        discussion: "storebus device show alice-1")

    @OptionGroup var named: DeviceArgument
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try await CommandContext.find(global, bundleId: named.app.bundleId).withOnlyAppIfAny()
        let device = try await named.found(context)
        context.print(DeviceInfo.result(device, bundleId: context.bundleId))
    }
}

/// `storebus device put`
struct DevicePutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put", abstract: "Make a device, or change its system. Its apps stay.",
        discussion: """
            storebus device put alice-2 --platform iPadOS --os-version 17.4
            storebus device put alice-1 --os-version 10.3.3

            Settings you do not name stay. A new device has iOS 18.0. Promoted purchases need iOS 11, and \
            PurchaseIntent needs iOS 16.4.
            """)

    @OptionGroup var named: DeviceArgument

    @Option(
        help: ArgumentHelp("\(DeviceLaunch.Platform.listed).", valueName: "platform"),
        completion: .list(DeviceLaunch.Platform.rawValues))
    var platform: String?

    @Option(help: ArgumentHelp("Integers with dots: 17.4.", valueName: "version"))
    var osVersion: String?

    @OptionGroup var global: GlobalOptions

    func validate() throws { try Choice.check("--platform", platform, among: DeviceLaunch.Platform.rawValues) }

    func run() async throws {
        let context = try await CommandContext.find(global, bundleId: named.app.bundleId).withOnlyAppIfAny()
        let known = try await context.api.knownDevice(named.device)
        let new = DeviceProfile()
        let device = try await context.api.call(
            DeviceRoutes.put, [.deviceId: named.device],
            body: DeviceSetting(
                platform: platform.flatMap(DeviceLaunch.Platform.init) ?? known?.platform ?? new.platform,
                osVersion: osVersion ?? known?.osVersion ?? new.osVersion))
        context.sessions.forget(on: named.device)
        context.print(DeviceInfo.result(device, bundleId: context.bundleId))
    }
}

/// `storebus device delete`
struct DeviceDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a device with its apps, their settings and its open purchases.",
        discussion: """
            storebus device delete alice-2 --yes
            storebus device delete alice-2 --dry-run

            Purchases belong to the account and stay. Open purchases that began in the store on this device are \
            cancelled.
            """)

    @OptionGroup var named: DeviceArgument

    @Flag(help: "Only print the deletions, without making them.")
    var dryRun = false

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try await CommandContext.find(global, bundleId: named.app.bundleId).withOnlyAppIfAny()
        let device = try await named.found(context)
        let what = "\(device.deviceId) with \(Format.count(device.apps.count, "app"))"
        if dryRun {
            return context.print(
                "would delete  \(Table.onOneLine(what))\n",
                data: ["wouldDelete": .string(what), "device": JSONText.value(device)],
                next: "the same without --dry-run")
        }
        try context.confirm("delete \(what)")
        try await context.api.call(DeviceRoutes.delete, [.deviceId: device.deviceId])
        context.sessions.forget(on: device.deviceId)
        context.print(
            "deleted  \(Table.onOneLine(what))\n", data: ["removed": .string(what)], names: [device.deviceId],
            next: "storebus device list")
    }
}
