import StoreHTTP
import StoreModels

/// Accounts as `storebus account` shows them.
enum TesterTable {
    static func result(_ testers: [Received<TesterResponse>]) -> CommandResult {
        let hint = testers.first.map { "storebus account show \($0.account)" as Advice }
        return CommandResult(
            testers, ["ACCOUNT", "STOREFRONT", "PAYMENTS", "SIGN-IN", "SHEET", "ERRORS", "SET"], named: \.account,
            json: \.json, next: hint ?? "storebus account create alice --storefront FRA", ifEmpty: "no accounts"
        ) { tester in
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
        let values: KeyValuePairs<String, String?> = [
            "account": tester.account, "storefront": settings.storefront,
            "canMakePayments": settings.canMakePayments?.description, "signIn": settings.signIn?.rawValue,
            "sheet": settings.sheet?.text, "priceConsent": settings.priceConsent?.rawValue,
            "billingGracePeriod": settings.billingGracePeriod?.description,
            "askToBuy": settings.askToBuy?.description,
            "interruptPurchases": settings.interruptPurchases?.description,
            "subscriptionRenewalRate": settings.subscriptionRenewalRate?.rawValue,
            "unlimitedRenewals": settings.unlimitedRenewals?.description,
            "failRenewals": settings.failRenewals?.description,
            "simulatedErrors": errors(settings.simulatedErrors), "processor": settings.processor?.rawValue,
        ]
        var fields: FieldList = [:]
        for (name, value) in values {
            let origin = isSet.contains(name) ? "  (set)" : isOfApp.contains(name) ? "  (app)" : ""
            fields.add(name, value.map { $0 + origin })
        }
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
