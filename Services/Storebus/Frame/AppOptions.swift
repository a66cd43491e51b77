import ArgumentParser
import StoreModels

/// Which app a command is about.
package struct AppOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "The app. Also STOREBUS_BUNDLE_ID. Default: the store's only one, or \(EffectiveSettings.defaultBundleId).",
            valueName: "id"))
    package var bundleId: String?

    package init() {}

    package func validate() throws { try IdentifierRule.bundle.check("--bundle-id", bundleId) }
}
