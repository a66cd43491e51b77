import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus device …`
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "device", "Devices: their systems, their apps, and the transactions an app receives at launch.",
        """
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
    @Argument("The device.", "device") var device: String
    @Option("The account, made if it is new.", "account", Completion.accounts, name: .customLong("as"))
    var account: String
}

/// `storebus device list`
struct DeviceListCommand: ContextCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        "list", "List devices, with their apps and the purchases made there.",
        """
        storebus device list
        storebus device list --as alice -o names
        """, aliases: ["ls"])

    @OptionGroup var owner: AccountFilter
    @OptionGroup var options: GlobalOptions

    /// Maximum number of transactions searched for devices.
    private static let searchedMax = 20_000

    func run(_ context: CommandContext) async throws {
        var filter = try Filter([])
        try filter.add("account", owner.account)
        let rows = try await TransactionSearch(api: context.api, filter: filter, isFinished: nil)
            .rows(limit: Self.searchedMax, after: nil).rows
        // The account of a device without purchases is unknown.
        let known = try await context.api.all(DeviceRoutes.list)
        let devices = DeviceTable.rows(rows, known: known).filter {
            owner.account == nil || $0.account.isExactly(owner.account)
        }
        var result = DeviceTable.result(devices)
        if devices.isEmpty { result.notes = await owner.notes(context) }
        context.print(result)
    }
}

/// `storebus device add`
struct DeviceAddCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "add", "Launch an account's app on a device. Makes the account and the device if they are new.",
        """
        storebus device add alice-2 --as alice
        storebus device add bob-1 --as bob --storefront FRA
        """)

    @OptionGroup var named: DeviceArguments
    @OptionGroup var app: AppOptions
    @Option("The country of a new account, three letters.", "country", Completion.storefronts) var storefront: String?
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let installation = Installation(
            bundleId: context.bundleId, account: named.account, deviceId: named.device,
            storefront: storefront?.uppercased())
        let session = try await context.sessions.launched(installation)
        let waiting = try await context.api.all(TransactionRoutes.unfinished, token: session.token)
        context.print(
            CommandResult(
                [
                    "device": named.device, "account": "\(named.account) (\(session.storefront.countryCode))",
                    "app": context.bundleId, "canMakePayments": "\(session.canMakePayments)",
                    "unfinished": Format.count(waiting.count, "transaction"),
                ],
                data: [
                    "deviceId": .string(named.device), "account": .string(named.account),
                    "bundleId": .string(context.bundleId), "storefront": JSONText.value(session.storefront),
                    "canMakePayments": .bool(session.canMakePayments), "unfinishedCount": .integer(waiting.count),
                    "unfinished": .array(waiting.map { JSONText.value($0) }),
                ], names: [named.device], next: "storebus device resume \(named.device) --as \(named.account)"))
    }
}

/// `storebus device resume`
struct DeviceResumeCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "resume", "Bring an account's app to the front, and show the transactions its observer receives.",
        """
        storebus device resume alice-2 --as alice

        Receives every unfinished transaction of the device again, and everything the device missed, and then \
        ends. Received transactions count as delivered. To go on receiving use storebus watch --as alice --device \
        alice-2.
        """)

    @OptionGroup var named: DeviceArguments
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let installation = Installation(bundleId: context.bundleId, account: named.account, deviceId: named.device)
        try await StreamWatcher(installation: installation, context: context, endsWhenSynchronized: true).run()
    }
}

/// The argument that names a device of any account.
struct DeviceArgument: ParsableArguments {
    @Argument("The device.", "device", Completion.devices) var device: String

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
struct DeviceShowCommand: OptionalAppCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        "show", "Show a device: its system, its apps and their settings.", "storebus device show alice-1")

    @OptionGroup var named: DeviceArgument
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let device = try await named.found(context)
        context.print(DeviceInfo.result(device, bundleId: context.bundleId))
    }
}

/// `storebus device put`
struct DevicePutCommand: OptionalAppCommand {
    static let configuration = CommandConfiguration(
        "put", "Make a device, or change its system. Its apps stay.",
        """
        storebus device put alice-2 --platform iPadOS --os-version 17.4
        storebus device put alice-1 --os-version 10.3.3

        Settings you do not name stay. A new device has iOS 18.0. Promoted purchases need iOS 11, and \
        PurchaseIntent needs iOS 16.4.
        """)

    @OptionGroup var named: DeviceArgument
    @OptionGroup var app: AppOptions
    @Option("\(DeviceLaunch.Platform.listed).", "platform", .list(DeviceLaunch.Platform.rawValues))
    var platform: String?
    @Option("Integers with dots: 17.4.", "version") var osVersion: String?
    @OptionGroup var options: GlobalOptions

    func validate() throws { try Choice.check("--platform", platform, among: DeviceLaunch.Platform.rawValues) }

    func run(_ context: CommandContext) async throws {
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
struct DeviceDeleteCommand: OptionalAppCommand {
    static let configuration = CommandConfiguration(
        "delete", "Delete a device with its apps, their settings and its open purchases.",
        """
        storebus device delete alice-2 --yes
        storebus device delete alice-2 --dry-run

        Purchases belong to the account and stay. Open purchases that began in the store on this device are \
        cancelled.
        """)

    @OptionGroup var named: DeviceArgument
    @OptionGroup var app: AppOptions
    @Flag(help: "Only print the deletions, without making them.") var dryRun = false
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let device = try await named.found(context)
        let what = "\(device.deviceId) with \(Format.count(device.apps.count, "app"))"
        if dryRun {
            return context.print(
                "would delete  \(Table.onOneLine(what))\n",
                data: ["wouldDelete": .string(what), "device": JSONText.value(device)],
                next: "storebus device delete \(device.deviceId)")
        }
        try context.confirm("delete \(what)")
        try await context.api.call(DeviceRoutes.delete, [.deviceId: device.deviceId])
        context.sessions.forget(on: device.deviceId)
        context.print(
            "deleted  \(Table.onOneLine(what))\n", data: ["removed": .string(what)], names: [device.deviceId],
            next: "storebus device list")
    }
}

/// `storebus device install`
struct DeviceInstallCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "install", "Put an app on a device, or another version of it, without launching it.",
        """
        storebus device install alice-2
        storebus device install alice-1 --app-version 2.0 --promoted-purchases purchaseIntent

        Installs the app's current version unless you name one, and makes an unknown device. To launch the app \
        too, use storebus device add.
        """)

    @OptionGroup var named: DeviceArgument
    @OptionGroup var app: AppOptions
    @Option("Integers with dots: 2.0.", "version") var appVersion: String?
    @Option(
        "How the app handles promoted purchases: \(DeviceLaunch.PromotedPurchases.listed).", "way",
        .list(DeviceLaunch.PromotedPurchases.rawValues))
    var promotedPurchases: String?
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        try Choice.check("--promoted-purchases", promotedPurchases, among: DeviceLaunch.PromotedPurchases.rawValues)
    }

    func run(_ context: CommandContext) async throws {
        if try await context.api.knownDevice(named.device) == nil {
            let new = DeviceProfile()
            _ = try await context.api.call(
                DeviceRoutes.put, [.deviceId: named.device],
                body: DeviceSetting(platform: new.platform, osVersion: new.osVersion))
        }
        let device = try await context.api.call(
            DeviceRoutes.install, [.deviceId: named.device, .bundleId: context.bundleId],
            body: InstallationSetting(
                version: try await version(context),
                promotedPurchases: promotedPurchases.flatMap(DeviceLaunch.PromotedPurchases.init)))
        context.sessions.forget(context.bundleId, on: named.device)
        context.print(DeviceInfo.result(device, bundleId: context.bundleId))
    }

    private func version(_ context: CommandContext) async throws(CLIError) -> String {
        if let appVersion { return appVersion }
        return try await context.api.call(AppRoutes.get, [.bundleId: context.bundleId]).settings.currentVersion
    }
}

/// `storebus device uninstall`
struct DeviceUninstallCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "uninstall", "Delete an app from a device, with its settings there.",
        """
        storebus device uninstall alice-2

        Purchases stay. A purchase begun in the store waits for the app's next first launch.
        """)

    @OptionGroup var named: DeviceArgument
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let device = try await named.found(context)
        let isThere = device.apps.contains { $0.bundleId.isExactly(context.bundleId) }
        if isThere {
            try await context.api.call(
                DeviceRoutes.uninstall, [.deviceId: named.device, .bundleId: context.bundleId])
        }
        context.sessions.forget(context.bundleId, on: named.device)
        context.print(
            "\(isThere ? "deleted" : "not there")  \(Table.onOneLine(context.bundleId)) on "
                + "\(Table.onOneLine(named.device))\n",
            data: [
                "bundleId": .string(context.bundleId), "deviceId": .string(named.device),
                "wasThere": .bool(isThere),
            ],
            names: [named.device], next: "storebus device show \(named.device)")
    }
}

/// `storebus device open-app`
struct DeviceOpenAppCommand: ContextCommand, TerminalCommand {
    static let configuration = CommandConfiguration(
        "open-app", "Start a command when the store opens an app that does not run.",
        """
        storebus device open-app ./MyApp
        storebus device open-app ./open-in-a-window --device alice-1

        Handles taps on Buy and test links that the store answers with openApp. A running app gets the purchase. \
        If no app takes it within \(Format.delay(AppOpener.grace)), the command is started: a line for /bin/sh, \
        with STOREBUS_URL, STOREBUS_BUNDLE_ID, STOREBUS_DEVICE_ID and STOREBUS_ACCOUNT, from which the client \
        library connects, and STOREBUS_PRODUCT_ID and STOREBUS_INTENT_ID. An app runs once on each device. Runs \
        until Ctrl-C, which ends the apps too. storebus up --open-app does the same for as long as the store \
        runs.
        """)

    @Argument("A line for /bin/sh, in quotes.", "command") var command: String
    @Option("Only on this device.", "device", Completion.devices) var device: String?
    @Option("Only this app.", "id") var bundleId: String?
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let opener = AppOpener(
            api: context.api, command: command, bundleId: bundleId, deviceId: device, logFile: "/dev/stderr",
            tellOfSilence: { context.narrate($0) }
        ) { context.console.result($0) }
        let start = try await opener.position()
        context.narrate("opening apps from now on; Ctrl-C ends\n")
        let opening = Task { await opener.run(from: start) }
        let signals = StopSignals { _ in opening.cancel() }
        await opening.value
        withExtendedLifetime(signals) {}
    }
}
