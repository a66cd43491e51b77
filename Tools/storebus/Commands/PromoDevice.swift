import ArgumentParser
import StoreHTTP
import StoreModels

/// Reads and changes an app's overrides on one device.
struct DeviceOverrides: Sendable {
    let installation: InstallationReference
    let context: CommandContext

    func report() async throws(CLIError) -> DevicePromotionsReport {
        DevicePromotionsReport(
            setup: try await context.api.call(PromotionRoutes.setup, [.bundleId: installation.bundleId]),
            device: try await context.api.knownDevice(installation.deviceId), installation: installation)
    }

    /// Sets the order. An empty one removes the override.
    func order(_ products: [String]) async throws(CLIError) -> CommandResult {
        try await withLaunchHint { () throws(CLIError) in
            try await DidYouMean.forProducts(products, context) { () throws(CLIError) in
                try await put(order: products)
            }
        }
        return try await report().result
    }

    func set(_ visibility: StorePromotionVisibility, of product: String) async throws(CLIError) -> CommandResult {
        try await withLaunchHint { () throws(CLIError) in
            try await DidYouMean.forProducts([product], context) { () throws(CLIError) in
                try await put(visibility, of: product)
            }
        }
        return try await report().result
    }

    /// Removes all overrides.
    func reset() async throws(CLIError) -> CommandResult {
        let device = try await context.api.knownDevice(installation.deviceId)
        let app = device?.apps.first { $0.bundleId.isExactly(installation.bundleId) }
        let overrides = app?.overrides ?? PromotionOverrides()
        if !overrides.order.isEmpty { try await put(order: []) }
        for product in overrides.visibility.keys.sorted().map(\.text) {
            try await put(.default, of: product)
        }
        return try await report().result
    }

    private func put(order: [String]) async throws(CLIError) {
        let request = context.api.request(PromotionRoutes.putDeviceOrder, installation.pathValues)
        _ = try await context.api.exchange(request.with(NewOrder(productIdentifiers: order)))
    }

    private func put(_ visibility: StorePromotionVisibility, of product: String) async throws(CLIError) {
        let values = installation.pathValues.merging([.productIdentifier: product]) { $1 }
        let request = context.api.request(PromotionRoutes.putDeviceVisibility, values)
        _ = try await context.api.exchange(request.with(NewVisibility(visibility: visibility)))
    }

    private func withLaunchHint(_ body: () async throws(CLIError) -> Void) async throws(CLIError) {
        do {
            try await body()
        } catch {
            guard error.is(.appNeverLaunched) else { throw error }
            let account = CustomerOptions.owner(of: installation.deviceId) ?? "ACCOUNT"
            let option = AppOptions.flag(installation.bundleId)
            throw error.with(hints: [
                "launch it: storebus device add \(installation.deviceId) --as \(account)\(option)"
            ])
        }
    }
}

/// Selects the operator's list or the overrides of one device.
struct DeviceOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The overrides that the app set on this device, instead of the operator's list.", valueName: "device"),
        completion: Completion.devices)
    var device: String?

    @OptionGroup var app: AppOptions

    func installation(_ context: CommandContext) -> InstallationReference? {
        device.map { InstallationReference(bundleId: context.bundleId, deviceId: $0) }
    }
}
