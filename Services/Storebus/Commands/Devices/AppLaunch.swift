import StoreModels

/// Names an app on a device for the command that starts it.
struct AppLaunch: Hashable, Sendable {
    let variables: [String: String]

    init(_ event: IntentEvent, url: String) {
        variables = [
            "STOREBUS_URL": url, "STOREBUS_BUNDLE_ID": event.bundleId, "STOREBUS_ACCOUNT": event.account,
            "STOREBUS_DEVICE_ID": event.intent.deviceId ?? "",
            "STOREBUS_PRODUCT_ID": event.intent.payment.productIdentifier,
            "STOREBUS_INTENT_ID": event.intent.intentIdentifier,
        ]
    }

    private subscript(name: String) -> String { variables[name] ?? "" }

    /// An app is no operator: the admin key is left out.
    func environment(over inherited: [String: String]) -> [String: String] {
        inherited.filter { $0.key != "STOREBUS_ADMIN_KEY" }.merging(variables) { $1 }
    }

    /// What can run once: this app on this device.
    var place: [ExactText] { [ExactText(self["STOREBUS_BUNDLE_ID"]), ExactText(self["STOREBUS_DEVICE_ID"])] }

    var words: String {
        Table.onOneLine(
            "\(self["STOREBUS_BUNDLE_ID"]) on \(self["STOREBUS_DEVICE_ID"]) for \(self["STOREBUS_ACCOUNT"])")
    }
}
