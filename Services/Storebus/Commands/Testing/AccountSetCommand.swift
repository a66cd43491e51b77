import ArgumentParser
import StoreModels

/// `storebus account set`
struct AccountSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change how an account behaves; what is not named stays.",
        discussion: """
            storebus account set alice --sheet cancel
            storebus account set alice --storefront FRA --simulate purchase=paymentInvalid
            storebus account set alice --simulate restore=unknown --simulate download=unknown
            storebus account set alice --processor timeoutAfter
            storebus account set alice --unset sheet

            --interrupt-purchases true ends purchases as failed until they are resolved (storebus resolve). The \
            processor's modes: timeoutBefore, timeoutAfter and errorAfter lose its first answer, before or after the \
            charge; slow and pending take two seconds; duplicateCallback tells twice.
            """)

    @Argument(help: ArgumentHelp("The account.", valueName: "account"), completion: Completion.accounts)
    var account: String

    @OptionGroup var settings: TesterOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if settings.isEmpty { throw ValidationError("nothing to set; for example --sheet cancel") }
    }

    func run() async throws {
        let context = try CommandContext.find(global)
        let tester = try await settings.apply(to: account, context)
        context.print(TesterTable.answer(tester, in: await Known.appIfAny(context)))
    }
}

/// `storebus account create`
struct AccountCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make an account. Buying makes one too.",
        discussion: "storebus account create alice --storefront FRA")

    @Argument(help: ArgumentHelp("The account.", valueName: "account"))
    var account: String

    @OptionGroup var settings: TesterOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try CommandContext.find(global)
        let tester = try await settings.apply(to: account, context)
        context.print(TesterTable.answer(tester, in: await Known.appIfAny(context)))
    }
}
