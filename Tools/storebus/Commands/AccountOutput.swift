import StoreHTTP
import StoreModels

/// Accounts as `storebus account` shows them.
enum TesterTable {
    static func table(_ testers: [Received<TesterResponse>]) -> Table {
        Table(["ACCOUNT", "STOREFRONT", "PAYMENTS", "SIGN-IN", "SHEET", "ERRORS", "SET"], testers) { tester in
            let settings = tester.effective
            return [
                tester.account, settings.storefront ?? "-", text(settings.canMakePayments),
                settings.signIn?.rawValue ?? "-", settings.sheet?.text ?? "-", errors(settings.simulatedErrors) ?? "-",
                members(tester.overrides).joined(separator: ", "),
            ]
        }
    }

    /// Describes an account's settings in an app, and marks their origin: set, or the app's default.
    /// - Parameter app: Nil if unknown. Settings that were not set then show StoreKit's behaviour.
    static func result(_ tester: Received<TesterResponse>, in app: App? = nil) -> CommandResult {
        let defaults = app?.testerDefaults ?? TesterSettings()
        let settings = tester.overrides.over(defaults).over(tester.effective)
        let (isSet, isOfApp) = (Set(members(tester.overrides)), Set(members(defaults)))
        var fields = FieldList()
        func add(_ name: String, _ value: String?) {
            let origin = isSet.contains(name) ? "  (set)" : isOfApp.contains(name) ? "  (app)" : ""
            fields.add(name, value.map { $0 + origin })
        }
        add("account", tester.account)
        add("storefront", settings.storefront)
        add("canMakePayments", settings.canMakePayments.map { "\($0)" })
        add("signIn", settings.signIn?.rawValue)
        add("sheet", settings.sheet?.text)
        add("priceConsent", settings.priceConsent?.rawValue)
        add("billingGracePeriod", settings.billingGracePeriod.map { "\($0)" })
        add("askToBuy", settings.askToBuy.map { "\($0)" })
        add("interruptPurchases", settings.interruptPurchases.map { "\($0)" })
        add("subscriptionRenewalRate", settings.subscriptionRenewalRate?.rawValue)
        add("simulatedErrors", errors(settings.simulatedErrors))
        add("processor", settings.processor?.rawValue)
        let json = tester.json.with(JSONText.value(settings).objectValue ?? [:]).with([
            "bundleId": app.map { .string($0.bundleId) },
            "appDefaults": app.map { _ in JSONText.value(defaults) },
        ])
        let usesAppsRate = tester.overrides.subscriptionRenewalRate == nil
        return CommandResult(
            fields, data: json, names: [tester.account], next: "storebus tx list --as \(tester.account)",
            notes: [usesAppsRate ? app.flatMap(RenewalFormat.note) : nil].compactMap(\.self))
    }

    /// Names of the settings that are set, sorted.
    static func members(_ settings: TesterSettings) -> [String] {
        (JSONText.value(settings).objectValue ?? [:]).filter { $0.value != .null }.keys.sorted()
    }

    /// `purchase: unknown`
    private static func errors(_ errors: TesterSettings.SimulatedErrors?) -> String? {
        let members = errors.flatMap { JSONText.value($0).objectValue } ?? [:]
        let words = members.sorted { $0.key < $1.key }.compactMap { name, value in
            value.stringValue.map { "\(name): \($0)" }
        }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    private static func text(_ value: Bool?) -> String { value.map { "\($0)" } ?? "-" }
}
