import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus device install`
struct DeviceInstallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install", abstract: "Put an app on a device, or another version of it, without launching it.",
        discussion: """
            storebus device install alice-2
            storebus device install alice-1 --app-version 2.0 --promoted-purchases purchaseIntent

            Installs the app's current version unless you name one, and makes an unknown device. To launch the app \
            too, use storebus device add.
            """)

    @OptionGroup var named: DeviceArgument

    @Option(help: ArgumentHelp("Integers with dots: 2.0.", valueName: "version"))
    var appVersion: String?

    @Option(
        help: ArgumentHelp(
            "How the app handles promoted purchases: \(DeviceLaunch.PromotedPurchases.listed).",
            valueName: "way"),
        completion: .list(DeviceLaunch.PromotedPurchases.rawValues))
    var promotedPurchases: String?

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try Choice.check("--promoted-purchases", promotedPurchases, among: DeviceLaunch.PromotedPurchases.rawValues)
    }

    func run() async throws {
        let context = try await CommandContext.find(global, app: named.app)
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
struct DeviceUninstallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninstall", abstract: "Delete an app from a device, with its settings there.",
        discussion: """
            storebus device uninstall alice-2

            Purchases stay. A purchase begun in the store waits for the app's next first launch.
            """)

    @OptionGroup var named: DeviceArgument
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try await CommandContext.find(global, app: named.app)
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
struct DeviceOpenAppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open-app", abstract: "Start a command when the store opens an app that does not run.",
        discussion: """
            storebus device open-app ./MyApp
            storebus device open-app ./open-in-a-window --device alice-1

            Handles taps on Buy and test links that the store answers with openApp. A running app gets the purchase. \
            If no app takes it within \(Format.delay(AppOpener.grace)), the command is started: a line for /bin/sh, \
            with STOREBUS_URL, STOREBUS_BUNDLE_ID, STOREBUS_DEVICE_ID and STOREBUS_ACCOUNT, from which the client \
            library connects, and STOREBUS_PRODUCT_ID and STOREBUS_INTENT_ID. An app runs once on each device. Runs \
            until Ctrl-C, which ends the apps too. storebus up --open-app does the same for as long as the store \
            runs.
            """)

    @Argument(help: ArgumentHelp("A line for /bin/sh, in quotes.", valueName: "command"))
    var command: String

    @Option(help: ArgumentHelp("Only on this device.", valueName: "device"), completion: Completion.devices)
    var device: String?

    @Option(help: ArgumentHelp("Only this app.", valueName: "id"))
    var bundleId: String?

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try CommandContext.find(global)
        let opener = AppOpener(
            api: context.api, command: command, bundleId: bundleId, deviceId: device, logFile: "/dev/stderr",
            tellOfSilence: { context.narrate($0) }
        ) { context.console.result($0) }
        let start = try await opener.position()
        context.narrate("opening apps from now on; Ctrl-C ends\n")
        let opening = Task { await opener.run(from: start) }
        let signals = StopSignals { opening.cancel() }
        await opening.value
        withExtendedLifetime(signals) {}
    }
}
