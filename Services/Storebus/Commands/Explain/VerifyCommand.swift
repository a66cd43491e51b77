import ArgumentParser
import StoreModels

/// `storebus verify RECEIPT`
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Ask the store's verifyReceipt about a receipt, as an app's server would.",
        discussion: """
            storebus receipt --as alice | storebus verify -
            storebus verify receipt.b64 --password s3cret
            storebus verify receipt.b64 --json

            Reads base64, the binary receipt itself, or what storebus receipt -o json prints; - is the standard input. \
            Exits with 1 for every status but 0, and says what the status means. --json prints Apple's answer as it came.
            """)

    @Argument(help: ArgumentHelp("The receipt's file, or -.", valueName: "receipt"), completion: .file())
    var receipt: String

    @Option(
        help: ArgumentHelp("The app's shared secret: storebus key create --kind sharedSecret.", valueName: "secret"))
    var password: String?

    @Flag(help: "Only the latest transaction of each subscription.")
    var excludeOldTransactions = false

    @Flag(help: "Print the answer as it came.")
    var json = false

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try CommandContext.find(global)
        let path = receipt == "-" ? "/dev/stdin" : receipt
        let data = try ReceiptText.receiptData(
            try FileAccess.read(path, byteCountMax: ReceiptText.byteCountMax), receipt)
        let answer = try await context.api.verifyReceipt(
            data, password: password, excludesOldTransactions: excludeOldTransactions)
        let report = ReceiptReport(answer, hasPassword: password != nil)
        if json {
            context.console.result(JSONText.line(answer) + "\n")
            if report.status != .ok { throw QuietExit(status: .refused) }
            return
        }
        guard report.status == .ok else { throw report.refusal }
        context.print(report.answer)
    }
}
