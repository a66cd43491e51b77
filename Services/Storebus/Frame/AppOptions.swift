import ArgumentParser
import StoreModels

/// Which app a command is about.
struct AppOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "The app. Also STOREBUS_BUNDLE_ID. Default: the store's only one, or \(EffectiveSettings.defaultBundleId).",
            valueName: "id"))
    var bundleId: String?

    init() {}

    func validate() throws { try IdentifierRule.bundle.check("--bundle-id", bundleId) }
}
