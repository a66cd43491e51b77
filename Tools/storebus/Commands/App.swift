import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus app …`
struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "app", "See, change and delete apps: their price, their versions.",
        """
        storebus app list
        storebus app set --price 4.99USD
        storebus app delete com.example.old --yes
        """, subcommands: [List.self, Show.self, AppSetCommand.self, AppDeleteCommand.self])

    /// `storebus app list`
    struct List: ContextCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "list", "List the apps of the store.", "storebus app list", aliases: ["ls"])

        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let first = try await context.api.call(AppRoutes.list)
            let apps = first.after == nil ? first.apps : try await context.api.all(AppRoutes.list)
            var result = AppTable.result(apps)
            let deleting = first.deleting ?? []
            result.notes = deleting.map { AppTable.note($0, behind: deleting[0]) }
            context.print(result)
        }
    }

    /// `storebus app show`
    struct Show: OneAppCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "show", "Show an app's settings.", "storebus app show --bundle-id com.example.app")

        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let app = try await context.app()
            context.print(AppTable.result(app, next: "storebus product list\(AppOptions.flag(app.bundleId))"))
        }
    }
}

/// `storebus app set`
struct AppSetCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "set", "Change an app's settings. Settings you do not name stay.",
        """
        storebus app set --name Trails --price 4.99USD
        storebus app set --price free
        storebus app set --current-version 2.0 --promotions-since 2.0
        storebus app set --promotions-since all --released false
        storebus app set --renewal-rate realTime

        A device without the app gets the current version. If the app costs something, the user buys it first, \
        and a promoted purchase continues after that. Users upgrade versions before --promotions-since first. An \
        app that is not released has an empty store page, but links to test a product work. --renewal-rate takes \
        precedence over the catalogue's _timeRate, for accounts without a rate of their own. Running \
        subscriptions keep their rate.
        """)

    @OptionGroup var settings: AppSettingsOptions
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if settings.isEmpty { throw ValidationError("nothing to set; for example --price 4.99USD") }
    }

    func run(_ context: CommandContext) async throws {
        let before = try await context.app()
        let app = try await context.api.call(
            AppRoutes.put, [.bundleId: before.bundleId], body: settings.merged(into: before.settings))
        context.print(AppTable.result(app, next: "storebus promo list\(AppOptions.flag(app.bundleId))"))
    }
}

/// `storebus app delete`
struct AppDeleteCommand: ContextCommand, InstallationCommand {
    static let configuration = CommandConfiguration(
        "delete", "Delete an app with everything of it.",
        """
        storebus app delete com.example.old --yes

        Deletes the app's catalogue, settings and keys, its customers with their purchases, subscriptions and \
        intents, its notifications and their endpoint, its installations on devices, and the isolated stores made \
        from it. Accounts' settings and devices stay: they belong to all apps of the store.

        Nothing is sold in the app any more when the command has ended. The store then cancels charges in flight and \
        deletes the rest. Until that has ended, storebus app list names the app below its table, and no app can be \
        made under its name. The store deletes one app after another, each in about 40 seconds.
        """, aliases: ["rm"])

    @Argument("The app.", "app", Completion.apps) var bundleId: String
    @OptionGroup var options: GlobalOptions

    func validate() throws { try IdentifierRule.bundle.check("<app>", bundleId) }

    func run(_ context: CommandContext) async throws {
        let context = context.installation
        let first = try await context.api.call(AppRoutes.list)
        let apps = first.after == nil ? first.apps : try await context.api.all(AppRoutes.list)
        let isUnderWay = (first.deleting ?? []).contains { $0.bundleId.isExactly(bundleId) }
        guard isUnderWay || apps.contains(where: { $0.bundleId.isExactly(bundleId) }) else {
            throw CLIError(
                CLIErrorCode(.notFound), "there is no app '\(bundleId)'",
                hints: Suggestion.hints(for: bundleId, among: apps.map(\.bundleId)) + ["all apps: storebus app list"])
        }
        try context.confirm("delete \(bundleId) with all of its purchases")
        try await context.api.call(AppRoutes.delete, [.bundleId: bundleId])
        context.sessions.forget(bundleId)
        context.print(
            "deleted  \(bundleId)\n", data: ["bundleId": .string(bundleId)], names: [bundleId],
            next: "storebus app list", notes: ["its name is free again when it has left the list: storebus app list"])
    }
}

/// Options for the settings of an app.
struct AppSettingsOptions: ParsableArguments {
    @Option("Its name in the store, at most \(AppSettings.nameScalarsMax) characters.", "name") var name: String?
    @Option("The price of the app itself: 4.99USD, or free.", "price") var price: String?
    @Option("The version that devices get.", "version") var currentVersion: String?
    @Option("The first version that handles promoted purchases, or all.", "version") var promotionsSince: String?
    @Option("Whether it is in the store: true or false.", "bool") var released: Bool?
    @Option("Whether its products may be sold: true or false.", "bool") var agreementsActive: Bool?
    @Option("Whether a subscription goes on while billing is tried again: true or false.", "bool")
    var billingGracePeriod: Bool?
    @Option("How many unfinished transactions stop further purchases, or none.", "n") var unfinishedLimit: String?
    @Option(
        "How fast subscriptions bought from now on renew: \(SubscriptionRenewalRate.listed). "
            + "\(Self.ofCatalogue) uses the file's _timeRate.", "rate",
        .list(SubscriptionRenewalRate.rawValues + [Self.ofCatalogue]))
    var renewalRate: String?

    static let free = "free"
    static let allVersions = "all"
    static let noLimit = "none"
    static let ofCatalogue = "catalogue"

    var isEmpty: Bool {
        name == nil && price == nil && currentVersion == nil && promotionsSince == nil && released == nil
            && agreementsActive == nil && billingGracePeriod == nil && unfinishedLimit == nil && renewalRate == nil
    }

    func validate() throws {
        try Choice.check("--renewal-rate", renewalRate, among: SubscriptionRenewalRate.rawValues + [Self.ofCatalogue])
        if let price, price != Self.free, Self.money(price) == nil {
            throw ValidationError("--price is an amount with its currency, 4.99USD, or \(Self.free); not '\(price)'")
        }
        if let unfinishedLimit, unfinishedLimit != Self.noLimit, Int(unfinishedLimit) == nil {
            throw ValidationError("--unfinished-limit is a number or \(Self.noLimit), not '\(unfinishedLimit)'")
        }
    }

    /// Returns the settings after the change.
    func merged(into before: AppSettings) -> AppSettings {
        var settings = before
        settings.name = name ?? before.name
        if let price { settings.appPrice = price == Self.free ? nil : Self.money(price) }
        settings.currentVersion = currentVersion ?? before.currentVersion
        if let promotionsSince {
            settings.promotionsSupportedSince = promotionsSince == Self.allVersions ? nil : promotionsSince
        }
        settings.released = released ?? before.released
        settings.agreementsActive = agreementsActive ?? before.agreementsActive
        settings.billingGracePeriod = billingGracePeriod ?? before.billingGracePeriod
        if let unfinishedLimit { settings.unfinishedLimit = Int(unfinishedLimit) }
        if let renewalRate { settings.subscriptionRenewalRate = SubscriptionRenewalRate(rawValue: renewalRate) }
        return settings
    }

    /// Parses `4.99USD` or `4.99 USD`. Nil for other text and for an amount finer than the currency.
    static func money(_ text: String) -> Money? {
        guard let currency = Currency(code: text.suffix(3).uppercased()) else { return nil }
        var amount = text.dropLast(3)
        if amount.last == " " { amount.removeLast() }
        return Money(amount: String(amount), currency: currency)
    }
}

/// Apps as `storebus app` shows them.
enum AppTable {
    static func result(_ apps: [App]) -> CommandResult {
        let hint = apps.first.map { "storebus app show\(AppOptions.flag($0.bundleId))" as Advice }
        return CommandResult(
            apps, ["APP", "NAME", .right("PRICE"), "VERSION", "PROMOTIONS SINCE", "RELEASED", .right("CATALOGUE")],
            named: \.bundleId, next: hint ?? "storebus import App.storekit", ifEmpty: "no apps yet"
        ) { app in
            [
                app.bundleId, app.settings.name, price(app), app.settings.currentVersion,
                app.settings.promotionsSupportedSince ?? "-", app.settings.released ? "yes" : "no",
                "\(app.catalogVersion)",
            ]
        }
    }

    /// Describes an app that is being deleted.
    /// - Parameter first: The deletion that the others wait for.
    static func note(_ deletion: AppDeletion, behind first: AppDeletion) -> Advice {
        let rest =
            if !deletion.bundleId.isExactly(first.bundleId) {
                "; it waits until \(first.bundleId) is deleted"
            } else {
                deletion.problem.map { "; a step has failed and is tried again: \($0)" } ?? ""
            }
        return "\(deletion.bundleId) is being deleted since \(Format.time(deletion.begunAt))\(rest)"
    }

    static func result(_ app: App, next: Advice) -> CommandResult {
        let settings = app.settings
        var fields: FieldList = [
            "app": app.bundleId, "name": settings.name, "appPrice": price(app),
            "currentVersion": settings.currentVersion,
            "promotionsSupportedSince": settings.promotionsSupportedSince ?? "-", "released": "\(settings.released)",
            "agreementsActive": "\(settings.agreementsActive)", "billingGracePeriod": "\(settings.billingGracePeriod)",
            "unfinishedLimit": settings.unfinishedLimit.map { "\($0)" } ?? "-", "subscriptionRenewalRate": rate(app),
        ]
        for (name, value) in defaults(app) { fields.add("testers' \(name)", value) }
        fields.add("catalogVersion", "\(app.catalogVersion)")
        let members = JSONText.value(app).with(["renewals": .string(rate(app))])
        return CommandResult(
            fields, data: members, names: [app.bundleId], next: next,
            notes: [RenewalFormat.note(app)].compactMap(\.self)
        )
        .about(app.bundleId)
    }

    /// `monthlyRenewalEveryThirtySeconds, from the catalogue`
    private static func rate(_ app: App) -> String {
        guard let rate = app.testerDefaults?.subscriptionRenewalRate else { return "realTime" }
        return app.settings.subscriptionRenewalRate == nil ? "\(rate.rawValue), from the catalogue" : rate.rawValue
    }

    /// Describes the behaviour of accounts without settings of their own.
    private static func defaults(_ app: App) -> [(name: String, value: String)] {
        let members = app.testerDefaults.flatMap { JSONText.value($0).objectValue } ?? [:]
        return members.filter { $0.value != .null && $0.key != "subscriptionRenewalRate" }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value.stringValue ?? JSONText.line($0.value)) }
    }

    private static func price(_ app: App) -> String { app.settings.appPrice.map(Format.price) ?? "free" }
}
