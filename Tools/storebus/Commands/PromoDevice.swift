import ArgumentParser
import StoreModels

/// Reads and changes an app's overrides on one device.
struct DeviceOverrides: Sendable {
    let installation: InstallationReference
    let context: CommandContext

    func report() async throws(CLIError) -> DevicePromotionsReport {
        DevicePromotionsReport(
            setup: try await context.api.promotions(installation.bundleId),
            device: try await context.api.knownDevice(installation.deviceId), installation: installation)
    }

    /// Sets the order; an empty one removes the override.
    func order(_ products: [String]) async throws(CLIError) -> CommandResult {
        try await withLaunchHint { () throws(CLIError) in
            try await DidYouMean.forProducts(products, context) { () throws(CLIError) in
                try await context.api.putOrder(products, on: installation)
            }
        }
        return try await report().result
    }

    func set(_ visibility: StorePromotionVisibility, of product: String) async throws(CLIError) -> CommandResult {
        try await withLaunchHint { () throws(CLIError) in
            try await DidYouMean.forProducts([product], context) { () throws(CLIError) in
                try await context.api.putVisibility(visibility, of: product, on: installation)
            }
        }
        return try await report().result
    }

    /// Removes all overrides.
    func reset() async throws(CLIError) -> CommandResult {
        let device = try await context.api.knownDevice(installation.deviceId)
        let app = device?.apps.first { $0.bundleId.isExactly(installation.bundleId) }
        let overrides = app?.overrides ?? PromotionOverrides()
        if !overrides.order.isEmpty { try await context.api.putOrder([], on: installation) }
        for product in overrides.visibility.keys.sorted().map(\.text) {
            try await context.api.putVisibility(.default, of: product, on: installation)
        }
        return try await report().result
    }

    private func withLaunchHint(_ body: () async throws(CLIError) -> Void) async throws(CLIError) {
        do {
            try await body()
        } catch {
            var error = error
            if error.code.name == StoreErrorCode.appNeverLaunched.name {
                let account = ShopperOptions.owner(of: installation.deviceId) ?? "ACCOUNT"
                let option = AppOptions.flag(installation.bundleId)
                error.hints = ["launch it: storebus device add \(installation.deviceId) --as \(account)\(option)"]
            }
            throw error
        }
    }
}

/// Selects the operator's list or the overrides of one device.
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
