import ArgumentParser
import StoreModels

/// `storebus sub cancel`
struct SubCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Turn auto-renew off: the subscription ends with its present period.",
        discussion: """
            storebus sub cancel --as alice
            storebus sub cancel …0001
            """)

    @OptionGroup var named: SubscriptionArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await SubscriptionOperation(.disableAutoRenew, "cancelled").run(named, global) }
}

/// `storebus sub resume`
struct SubResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Turn auto-renew on again.",
        discussion: "storebus sub resume --as alice")

    @OptionGroup var named: SubscriptionArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await SubscriptionOperation(.enableAutoRenew, "resumed").run(named, global) }
}

/// `storebus sub renew`
struct SubRenewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew", abstract: "Renew now; the new period begins where the present one ends.",
        discussion: """
            storebus sub renew --as alice

            The clock stays. storebus time next moves it to the renewal instead.
            """)

    @OptionGroup var named: SubscriptionArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await SubscriptionOperation(.renew, "renewed").run(named, global) }
}

/// `storebus sub expire`
struct SubExpireCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "expire", abstract: "End the present period now, for good.",
        discussion: "storebus sub expire --as alice")

    @OptionGroup var named: SubscriptionArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await SubscriptionOperation(.expire, "expired").run(named, global) }
}

/// `storebus sub extend`
struct SubExtendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extend", abstract: "Let the present period end later, without a charge.",
        discussion: """
            storebus sub extend 30 --as alice
            storebus sub extend 7 …0001
            """)

    @Argument(help: ArgumentHelp("Days, 1 to 90.", valueName: "days"))
    var days: Int

    @OptionGroup var named: SubscriptionArguments
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard (1...90).contains(days) else { throw ValidationError("a period is extended by 1 to 90 days") }
    }

    func run() async throws { try await SubscriptionOperation(.extend, "extended", days: days).run(named, global) }
}

/// `storebus sub fail-next`
struct SubFailNextCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fail-next", abstract: "Let the next charge of a renewal be declined.",
        discussion: """
            storebus sub fail-next --as alice

            Grace or billing retry begins at the renewal then: storebus time next. Later charges are what the account's \
            processor makes of them.
            """)

    @OptionGroup var named: SubscriptionArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try await SubscriptionOperation(.failNextRenewal, "will fail").run(named, global)
    }
}

/// `storebus sub resolve-billing`
struct SubResolveBillingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve-billing", abstract: "Try a renewal that failed again, now.",
        discussion: """
            storebus sub resolve-billing --as alice

            What a customer causes who corrects the card. In the grace period the billing date stays; after it the new \
            period begins now.
            """)

    @OptionGroup var named: SubscriptionArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await SubscriptionOperation(.resolveBilling, "resolved").run(named, global) }
}
