import ArgumentParser

/// Who looks at the store, and on which device.
struct ShopperOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("The account; made when it is new. Default: the device's.", valueName: "account"),
        completion: Completion.accounts)
    var account: String?

    @Option(
        help: ArgumentHelp("The device. Default: <account>-1.", valueName: "device"), completion: Completion.devices)
    var device: String?

    @OptionGroup var app: AppOptions

    init() {}

    func validate() throws {
        guard account == nil else { return }
        guard let device else { throw ValidationError("name an account with --as, or its device with --device") }
        guard Self.owner(of: device) != nil else {
            throw ValidationError("whose device is '\(device)'? name the account with --as")
        }
    }

    /// - Parameter bundleId: of a link that names another app; nil: the app the command is about.
    func installation(_ context: CommandContext, bundleId: String? = nil) -> Installation {
        Installation(
            bundleId: bundleId ?? context.bundleId, account: account ?? device.flatMap(Self.owner) ?? "",
            deviceId: device)
    }

    /// `alice` of `alice-2`: as the command line names devices.
    static func owner(of device: String) -> String? {
        guard let dash = device.lastIndex(of: "-"), dash != device.startIndex else { return nil }
        let number = device[device.index(after: dash)...]
        guard !number.isEmpty, number.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return String(device[..<dash])
    }
}
