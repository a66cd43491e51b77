import ArgumentParser
import StoreModels

/// `storebus receipt --as alice`
struct ReceiptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt", abstract: "Print the receipt an account's app has, base64 as apps send it to servers.",
        discussion: """
            storebus receipt --as alice
            storebus receipt --as alice | storebus verify -
            storebus receipt --as alice -o json
            """)

    @OptionGroup var account: AccountOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try await CommandContext.find(global, app: account.app)
        let receipt = try await context.sessions.with(account.installation(context)) { session throws(CLIError) in
            try await context.api.receipt(token: session.token)
        }
        // Nothing comes next: it mostly goes into a pipe, where a hint on the other stream would only disturb.
        context.print(
            Answer(receipt + "\n", data: ["receiptData": .string(receipt), "account": .string(account.account)]))
    }
}
