import ArgumentParser
import StoreModels

/// Whose app is played, and on which device.
struct AccountOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("as"), help: ArgumentHelp("The account; made when it is new.", valueName: "account"),
        completion: Completion.accounts)
    var account: String

    @Option(help: ArgumentHelp("The device. Default: <account>-1.", valueName: "device"))
    var device: String?

    @OptionGroup var app: AppOptions

    init() {}

    func validate() throws {
        try IdentifierRule.account.check("--as", account)
        try IdentifierRule.device.check("--device", device)
    }

    func installation(_ context: CommandContext, storefront: String? = nil) -> Installation {
        Installation(bundleId: context.bundleId, account: account, deviceId: device, storefront: storefront)
    }
}
