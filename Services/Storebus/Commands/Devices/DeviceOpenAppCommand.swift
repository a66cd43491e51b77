import ArgumentParser
import StoreModels

/// `storebus device open-app`
struct DeviceOpenAppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open-app", abstract: "Start a command when the store opens an app that does not run.",
        discussion: """
            storebus device open-app ./MyApp
            storebus device open-app ./open-in-a-window --device alice-1

            For taps on Buy and test links that are answered with openApp: an app that runs is given the purchase, and \
            one that has not taken it within \(Words.delay(AppOpener.grace)) is started. The command is a line for \
            /bin/sh, with STOREBUS_URL, STOREBUS_BUNDLE_ID, STOREBUS_DEVICE_ID and STOREBUS_ACCOUNT, from which the \
            client library connects, STOREBUS_PRODUCT_ID and STOREBUS_INTENT_ID. An app on a device runs once. Until \
            Ctrl-C, which ends the apps too. storebus up --open-app does the same for as long as the store runs.
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
