import StoreModels

/// Accounts as `storebus account` shows them.
package enum TesterTable {
    package static func table(_ testers: [TesterAnswer]) -> Table {
        var table = Table([
            .init("ACCOUNT"), .init("STOREFRONT"), .init("PAYMENTS"), .init("SIGN-IN"), .init("SHEET"), .init("ERRORS"),
            .init("SET"),
        ])
        for tester in testers {
            let settings = tester.effective
            table.add([
                tester.account, settings.storefront ?? "-", text(settings.canMakePayments),
                settings.signIn?.rawValue ?? "-", settings.sheet?.text ?? "-", errors(settings.simulatedErrors) ?? "-",
                members(tester.overrides).joined(separator: ", "),
            ])
        }
        return table
    }

    package static func answer(_ tester: TesterAnswer) -> Answer {
        let settings = tester.effective
        let isSet = Set(members(tester.overrides))
        var facts = Facts()
        func add(_ name: String, _ value: String?) {
            facts.add(name, value.map { isSet.contains(name) ? "\($0)  (set)" : $0 })
        }
        add("account", tester.account)
        add("storefront", settings.storefront)
        add("canMakePayments", settings.canMakePayments.map { "\($0)" })
        add("signIn", settings.signIn?.rawValue)
        add("sheet", settings.sheet?.text)
        add("priceConsent", settings.priceConsent?.rawValue)
        add("askToBuy", settings.askToBuy.map { "\($0)" })
        add("interruptPurchases", settings.interruptPurchases.map { "\($0)" })
        add("subscriptionRenewalRate", settings.subscriptionRenewalRate?.rawValue)
        add("simulatedErrors", errors(settings.simulatedErrors))
        add("processor", settings.processor?.rawValue)
        let shown = facts
        return Answer(
            data: tester.json, names: [tester.account], next: "storebus tx list --as \(tester.account)"
        ) { shown.text($0) }
    }

    /// Names of what is set, sorted.
    package static func members(_ settings: TesterSettings) -> [String] {
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
