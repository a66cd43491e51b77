import ArgumentParser
import StoreModels

/// A device on the command line, whoever uses it.
struct DeviceArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The device.", valueName: "device"), completion: Completion.devices)
    var device: String

    @OptionGroup var app: AppOptions

    /// - Throws: `notFound` with the nearest one.
    func suggesting<Value>(
        _ context: CommandContext, _ body: () async throws(CLIError) -> Value
    ) async throws(CLIError) -> Value {
        try await Known.explaining(.notFound, body) { _ in
            let known = (try? await context.api.devices())?.map(\.deviceId) ?? []
            return CLIError(
                CLIErrorCode(.notFound), "nobody knows a device '\(device)'",
                hints: Suggestion.hints(for: device, among: known)
                    + ["all devices: storebus device list", "a new one: storebus device put \(device)"])
        }
    }
}

/// `storebus device show`
struct DeviceShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a device: its system, the apps on it, what they have set.",
        discussion: "storebus device show alice-1")

    @OptionGroup var named: DeviceArgument
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try await CommandContext.find(global, bundleId: named.app.bundleId).withOnlyAppIfAny()
        let device = try await named.suggesting(context) { () throws(CLIError) in
            try await context.api.device(named.device)
        }
        context.print(DeviceFacts.answer(device, bundleId: context.bundleId))
    }
}

/// `storebus device put`
struct DevicePutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put", abstract: "Make a device, or change its system; what is on it stays.",
        discussion: """
            storebus device put alice-2 --platform iPadOS --os-version 17.4
            storebus device put alice-1 --os-version 10.3.3

            What is not named stays; a new device is an iOS 18.0. Promoted purchases need iOS 11, and PurchaseIntent \
            iOS 16.4.
            """)

    @OptionGroup var named: DeviceArgument

    @Option(
        help: ArgumentHelp("\(Self.platforms.joined(separator: ", ")).", valueName: "platform"),
        completion: .list(Self.platforms))
    var platform: String?

    @Option(help: ArgumentHelp("Integers with dots: 17.4.", valueName: "version"))
    var osVersion: String?

    @OptionGroup var global: GlobalOptions

    private static let platforms = DeviceLaunch.Platform.allCases.map(\.rawValue)

    func validate() throws { try Choice.check("--platform", platform, among: Self.platforms) }

    func run() async throws {
        let context = try await CommandContext.find(global, bundleId: named.app.bundleId).withOnlyAppIfAny()
        let known = try await context.api.knownDevice(named.device)
        let new = DeviceProfile()
        let device = try await context.api.putDevice(
            named.device, platform: platform.flatMap(DeviceLaunch.Platform.init) ?? known?.platform ?? new.platform,
            osVersion: osVersion ?? known?.osVersion ?? new.osVersion)
        context.sessions.forget(on: named.device)
        context.print(DeviceFacts.answer(device, bundleId: context.bundleId))
    }
}

/// `storebus device delete`
struct DeviceDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Forget a device: its apps, what they have set, and what had begun on it.",
        discussion: """
            storebus device delete alice-2 --yes
            storebus device delete alice-2 --dry-run

            Purchases stay, they are the account's; what began in the store on it and is open is cancelled.
            """)

    @OptionGroup var named: DeviceArgument

    @Flag(help: "Only say what would go.")
    var dryRun = false

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try await CommandContext.find(global, bundleId: named.app.bundleId).withOnlyAppIfAny()
        let device = try await named.suggesting(context) { () throws(CLIError) in
            try await context.api.device(named.device)
        }
        let what = "\(device.deviceId) with \(Words.count(device.apps.count, "app"))"
        if dryRun {
            return context.print(
                Answer(
                    "would delete  \(Table.onOneLine(what))\n",
                    data: ["wouldDelete": .string(what), "device": JSONText.value(device)],
                    next: "the same without --dry-run"))
        }
        try context.confirm("delete \(what)")
        try await context.api.deleteDevice(device.deviceId)
        context.sessions.forget(on: device.deviceId)
        context.print(
            Answer(
                "deleted  \(Table.onOneLine(what))\n", data: ["removed": .string(what)], names: [device.deviceId],
                next: "storebus device list"))
    }
}
