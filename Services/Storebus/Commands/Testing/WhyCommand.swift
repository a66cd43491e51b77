import ArgumentParser
import StoreModels

/// `storebus why ID`
struct WhyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why", abstract: "Explain a product that is not offered, or a transaction that comes again.",
        discussion: """
            storebus why com.example.pro.monthly --storefront FRA
            storebus why …0001

            A product: whether it can be bought in a storefront, and each reason why not. A transaction: its state, \
            where it came from, how often it was sent, and why it is or is not sent again.
            """)

    @Argument(
        help: ArgumentHelp("A product's identifier, a transaction's, or the end of a transaction's.", valueName: "id"),
        completion: Completion.products)
    var identifier: String

    @Option(
        help: ArgumentHelp("For a product: the country, three letters.", valueName: "country"),
        completion: Completion.storefronts)
    var storefront = "USA"

    @OptionGroup var app: AppOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try CommandContext.find(global, bundleId: app.bundleId)
        if Self.looksLikeTransaction(identifier) {
            let row = try await TransactionSearch.find(identifier, context)
            return context.print(TransactionExplanation(row: row).answer)
        }
        let storefront = storefront.uppercased()
        let explanation = try await Known.suggestingStorefront(storefront, context) { () throws(CLIError) in
            try await context.api.explain(identifier, bundleId: context.bundleId, storefront: storefront)
        }
        if explanation.reasons.contains(.unknown), let row = try? await TransactionSearch.find(identifier, context) {
            return context.print(TransactionExplanation(row: row).answer)
        }
        var answer = ProductFacts(product: nil, explanation: explanation, bundleId: context.bundleId).answer
        if explanation.reasons.contains(.unknown) {
            let error = await Known.productError(
                identifier, bundleId: context.bundleId, storefront: storefront, context)
            answer.notes = Array(error.hints.dropLast())
            answer.next = "storebus product list\(Known.option(context.bundleId))"
        }
        context.print(answer)
    }

    /// `…0001`, `0001`, `2000000000000001`, `t_…`: no product is called like that unless the store says so.
    static func looksLikeTransaction(_ text: String) -> Bool {
        text.hasPrefix("…") || text.hasPrefix("t_") || (!text.isEmpty && text.allSatisfy { $0.isASCII && $0.isNumber })
    }
}
