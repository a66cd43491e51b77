import ArgumentParser
import StoreModels

/// Whether the operator's set-up is meant, or what an app has set on one device.
struct DeviceOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What the app has set on this device, instead of the operator's list.", valueName: "device"),
        completion: Completion.devices)
    var device: String?

    @OptionGroup var app: AppOptions

    func installation(_ context: CommandContext) -> InstallationReference? {
        device.map { InstallationReference(bundleId: context.bundleId, deviceId: $0) }
    }
}
