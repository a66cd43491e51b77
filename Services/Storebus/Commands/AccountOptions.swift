import ArgumentParser

/// Whose app is played, and on which device.
package struct AccountOptions: ParsableArguments, Sendable {
    @Option(name: .customLong("as"), help: ArgumentHelp("The account; made when it is new.", valueName: "account"))
    package var account: String

    @Option(help: ArgumentHelp("The device. Default: <account>-1.", valueName: "device"))
    package var device: String?

    @Option(help: ArgumentHelp("The app.", valueName: "id"))
    package var bundleId = CommandContext.defaultBundleId

    package init() {}

    package func installation(storefront: String? = nil) -> Installation {
        Installation(bundleId: bundleId, account: account, deviceId: device, storefront: storefront)
    }
}
