import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus code …`
struct CodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "code", "Offer codes that customers redeem.",
        """
        storebus code create com.example.pro.monthly SPRING --code SPRING26 --limit 500
        storebus code redeem SPRING26 --as alice
        storebus code list
        """, subcommands: [Create.self, List.self, Activate.self, Deactivate.self, Redeem.self])

    /// `storebus code create`
    struct Create: OneAppCommand {
        static let configuration = CommandConfiguration(
            "create", "Make a custom code, or a batch of one-time codes.",
            """
            storebus code create com.example.pro.monthly SPRING --code SPRING26 --limit 500
            storebus code create com.example.pro.monthly SPRING --code SPRING26 --limit 500 --days 30
            storebus code create com.example.pro.monthly SPRING --count 100 --days 90

            The offer is the reference name of one of the subscription's offers for codes: storebus product show. A \
            custom code is a word that many customers redeem, up to the limit. One-time codes are redeemed once each, \
            and end after at most \(NewOfferCode.batchDaysMax) days of the app's clock. They are shown only once. With \
            -o names they are one a line, for a file.
            """)

        @Argument("The subscription's identifier.", "product", Completion.products) var product: String
        @Argument("The offer's reference name.", "offer") var offer: String
        @Option("A word of letters and digits, for a custom code.", "word") var code: String?
        @Option("How often the word may be redeemed.", "n") var limit: Int?
        @Option("Make this many one-time codes.", "n") var count: Int?
        @Option("Days of the app's clock until the end.", "n") var days: Int?
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            switch (code, count) {
            case (nil, nil): throw ValidationError("--code WORD makes a custom code, --count N one-time codes")
            case (_?, _?): throw ValidationError("--code makes a custom code and --count one-time codes: name one")
            case (_?, nil): if limit == nil { throw ValidationError("a custom code has a --limit") }
            case (nil, _?):
                if limit != nil { throw ValidationError("--limit belongs to --code; one-time codes count once each") }
                if days == nil { throw ValidationError("one-time codes end after --days") }
            }
            try Self.check("--limit", limit, max: NewOfferCode.wordRedemptionsMax)
            try Self.check("--count", count, max: NewOfferCode.batchMax)
            try Self.check("--days", days, max: count == nil ? NewOfferCode.wordDaysMax : NewOfferCode.batchDaysMax)
        }

        private static func check(_ option: String, _ value: Int?, max: Int) throws {
            guard let value, !(1...max).contains(value) else { return }
            throw ValidationError("\(option) is 1 to \(max), not \(value)")
        }

        func run(_ context: CommandContext) async throws {
            let made = try await context.api.call(
                OfferCodeRoutes.create, [.bundleId: context.bundleId],
                body: NewOfferCode(
                    productIdentifier: product, offer: offer, code: code, redemptionsMax: limit, count: count,
                    expiresInDays: days))
            let codes = made.oneTimeCodes ?? [made.name]
            var lines = made.fields.text(.plain)
            if made.oneTimeCodes != nil { lines += codes.map { "\($0)\n" }.joined() }
            context.print(
                lines, data: JSONText.value(made), names: codes,
                next: "storebus code redeem \(codes[0]) --as alice\(AppOptions.flag(context.bundleId))",
                notes: made.oneTimeCodes == nil ? [] : ["the codes are not shown again"])
        }
    }

    /// `storebus code list`
    struct List: OneAppCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "list", "List an app's codes with their redemptions, oldest first.", "storebus code list",
            aliases: ["ls"])

        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let codes = try await context.api.all(OfferCodeRoutes.list, [.bundleId: context.bundleId])
            context.print(
                CommandResult(
                    codes, ["CODE", "PRODUCT", "OFFER", "REDEEMED", "ENDS", "STATE"], named: \.name,
                    json: \.json, ifEmpty: "no codes"
                ) { code in
                    [
                        code.name, code.productIdentifier, code.offer, code.redeemed, code.end, code.state,
                    ]
                })
        }
    }

    /// `storebus code activate`
    struct Activate: OneAppCommand {
        static let configuration = CommandConfiguration(
            "activate", "Let a code, or the codes of a batch, be redeemed again.", "storebus code activate SPRING26")

        @Argument("A custom code, or a batch as storebus code list shows it.", "code") var code: String
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws { try await CodeCommand.set(code, true, context) }
    }

    /// `storebus code deactivate`
    struct Deactivate: OneAppCommand {
        static let configuration = CommandConfiguration(
            "deactivate", "Refuse a code, or the codes of a batch, from now on.", "storebus code deactivate SPRING26")

        @Argument("A custom code, or a batch as storebus code list shows it.", "code") var code: String
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws { try await CodeCommand.set(code, false, context) }
    }

    private static func set(_ name: String, _ isActive: Bool, _ context: CommandContext) async throws(CLIError) {
        let all = try await context.api.all(OfferCodeRoutes.list, [.bundleId: context.bundleId])
        let upper = name.uppercased()
        guard let found = all.first(where: { $0.codeIdentifier.isExactly(name) || $0.code.isExactly(upper) }) else {
            let near = Suggestion.hints(for: upper, among: all.map(\.name))
            throw CLIError(
                CLIErrorCode(.notFound), "\(context.bundleId) has no code '\(name)'",
                hints: near + ["all of them: storebus code list"])
        }
        let changed = try await context.api.call(
            OfferCodeRoutes.activate, [.bundleId: context.bundleId, .codeIdentifier: found.codeIdentifier],
            body: OfferCodeState(isActive: isActive))
        context.print(
            CommandResult(
                changed.fields, data: changed.json, names: [changed.name],
                next: "storebus code list\(AppOptions.flag(context.bundleId))"))
    }

    /// `storebus code redeem`
    struct Redeem: OneAppCommand {
        static let configuration = CommandConfiguration(
            "redeem", "Redeem a code as an account's app would.",
            """
            storebus code redeem SPRING26 --as alice

            It buys the code's subscription with its offer. A customer redeems one code of an offer. The command has \
            one idempotency key, and sends the request again with it while the store cannot say how it ended.
            """)

        @Argument("The code. Case does not count.", "code") var code: String
        @Option("The same key again gives the same redemption.", "key") var idempotencyKey: String?
        @OptionGroup var account: AccountOptions
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let installation = account.installation(context)
            let key = idempotencyKey ?? "cli-\(Secret.make().prefix(32))"
            let timeout = context.timeLimit ?? .seconds(30)
            let (session, response) = try await Retry.run(until: .now + timeout) { () throws(CLIError) in
                try await context.sessions.with(installation) { session throws(CLIError) in
                    (
                        session,
                        try await context.api.call(
                            OfferCodeRoutes.redeem, [.code: code], token: session.token, key: key,
                            body: CodeRedemption(), timeout: timeout)
                    )
                }
            }
            let outcome = PurchaseOutcome(
                installation: installation, session: session, transaction: response.transaction, key: key)
            var result = outcome.result
            // It has left the queue with its end, so there is nothing to finish.
            if response.outcome == .failed, !response.transaction.isInterrupted { result.next = nil }
            context.print(result)
            if outcome.status != .success { throw QuietExit(status: outcome.status) }
        }
    }
}

extension OfferCodesPage: ListPage { var items: [OfferCode] { codes } }

extension OfferCode {
    /// The word, or the identifier of a batch.
    fileprivate var name: String { code ?? codeIdentifier }
    fileprivate var redeemed: String { "\(redemptions) of \(redemptionsMax)" }
    fileprivate var end: String { expiresAt.map { Format.time($0) } ?? "-" }
    fileprivate var state: String { isActive ? "active" : "inactive" }

    fileprivate var fields: FieldList {
        [
            "code": name, "product": productIdentifier, "offer": offer, "redeemed": redeemed, "ends": end,
            "state": state,
        ]
    }

    /// All members, and the state in the table's word.
    fileprivate var json: JSONValue {
        JSONText.value(self).with(["state": .string(state)])
    }
}
