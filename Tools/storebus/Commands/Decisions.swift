import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus approve`
struct ApproveCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        "approve", "Approve a purchase that waits for a person.",
        """
        storebus approve …v68t
        storebus approve --as kid

        Answers a deferred purchase as a parent does, or an open payment sheet as a shopper does (storebus prompt \
        list). The first answer decides. Later ones get the same outcome. --as is enough when only one purchase of the \
        account waits.
        """)

    @OptionGroup var named: PurchaseArgument
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws { try await Decision.make(.approve, named, context) }
}

/// `storebus decline`
struct DeclineCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        "decline", "Decline a purchase that waits for a person.",
        """
        storebus decline …v68t --error paymentInvalid
        storebus decline --as kid

        --as is enough when only one purchase of the account waits.
        """)

    @OptionGroup var named: PurchaseArgument
    @Option("The SKError the payment fails with.", "name or code") var error: String?
    @OptionGroup var options: GlobalOptions

    func validate() throws { try SKErrorText.validate("--error", error) }

    func run(_ context: CommandContext) async throws { try await Decision.make(.decline, named, error: error, context) }
}

/// `storebus resolve`
struct ResolveCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        "resolve", "Let an interrupted purchase go on.",
        """
        storebus resolve …v68t
        storebus resolve --as alice

        Acts as a shopper who accepts new terms or corrects a card. The interrupted purchase stays failed, and \
        the store makes a new one in its place. Resolving it again gives the same new one. --as is enough when only \
        one purchase of the account is interrupted.
        """)

    @OptionGroup var named: PurchaseArgument
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let row = try await named.find("interrupted", context) { $0.kind == .interrupted }
        let resolved = try await context.api.call(TransactionRoutes.resolve, [.id: row.transaction.id])
        context.print(Decision.result(resolved, account: row.account).about(row.bundleId))
    }
}

/// `storebus redeliver`
struct RedeliverCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        "redeliver", "Deliver an unfinished transaction once more.",
        """
        storebus redeliver …0001

        Delivers the transaction to open apps again, as at a launch, with a higher revision. Nothing else about \
        it changes. The store does not deliver a finished transaction again, and a purchasing one has nothing to \
        deliver yet.
        """)

    @OptionGroup var named: TransactionArgument
    @OptionGroup var options: GlobalOptions

    /// ```
    /// redelivered  2000000000000001  com.example.pro.monthly  purchased, revision 3
    /// ```
    func run(_ context: CommandContext) async throws {
        let row = try await TransactionSearch.find(named.transaction, context, isChange: true)
        let transaction = try await context.api.call(TransactionRoutes.redeliver, [.id: row.transaction.id])
        let name = Format.name(transaction)
        let members = JSONText.value(transaction).with(["account": .string(row.account)])
        let line = [
            "redelivered", name, transaction.payment.productIdentifier,
            "\(transaction.transactionState.rawValue), revision \(transaction.revision)",
        ]
        context.print(
            CommandResult(
                line.joined(separator: "  ") + "\n", data: members, names: [name],
                next: Format.next(transaction, as: row.account)
            ).about(row.bundleId))
    }
}

/// The argument that names a transaction.
struct TransactionArgument: ParsableArguments {
    @Argument("The transaction, or the end of its identifier: 0001.", "transaction", Completion.transactions)
    var transaction: String
}

/// The arguments that name a purchase: by its transaction, or by the account that has only one of the kind.
struct PurchaseArgument: ParsableArguments {
    @Argument(
        "The transaction, or the end of its identifier: 0001. Without it, --as names the account.", "transaction",
        Completion.transactions)
    var transaction: String?
    @Option("The account, if only one such purchase is its.", "account", Completion.accounts, name: .customLong("as"))
    var account: String?

    func validate() throws {
        try IdentifierRule.account.check("--as", account)
        if transaction == nil, account == nil { throw ValidationError("name a transaction, or its account: --as") }
    }

    /// Finds the purchase that is named by its transaction.
    /// - Returns: Nil for one that is named by its account.
    /// - Throws: `notFound`, `transactionAmbiguous`, `usage`.
    func named(_ context: CommandContext) async throws(CLIError) -> TransactionTable.Row? {
        guard let transaction else { return nil }
        let text = account == nil ? transaction : nil
        let row = try await DidYouMean.notAccount(text, context) { () throws(CLIError) in
            try await TransactionSearch.find(transaction, context, isChange: true)
        }
        guard let account, !row.account.isExactly(account) else { return row }
        throw CLIError(
            CLIErrorCode(.notFound),
            "\(Format.name(row.transaction)) is a purchase of \(row.account), not of \(account)",
            hints: ["leave --as out", "all of \(account): storebus tx list --as \(account)"])
    }

    /// Finds a purchase that waits for a person.
    /// - Parameters:
    ///   - state: The state of the purchase, in a word.
    ///   - isMeant: Whether a prompt is about such a purchase.
    /// - Throws: `notFound`, `transactionAmbiguous`, `usage`.
    func find(
        _ state: String, _ context: CommandContext, where isMeant: (Prompt) -> Bool
    ) async throws(CLIError) -> TransactionTable.Row {
        if let row = try await named(context) { return row }
        return try await only(of: account ?? "", state, context, where: isMeant)
    }

    private func only(
        of account: String, _ state: String, _ context: CommandContext, where isMeant: (Prompt) -> Bool
    ) async throws(CLIError) -> TransactionTable.Row {
        let prompts = try await context.api.all(PromptRoutes.list, query: ["account": account]).filter(isMeant)
        let waiting = prompts.compactMap(\.transaction)
        if waiting.count == 1 { return try await TransactionSearch.find(waiting[0].id, context) }
        guard waiting.isEmpty else {
            throw CLIError(
                .transactionAmbiguous, "\(waiting.count) purchases of \(account) are \(state)",
                hints: [TransactionLookup.choice(of: waiting)],
                details: ["transactions": .array(waiting.map { .string($0.id) })])
        }
        throw CLIError(
            CLIErrorCode(.notFound), "no purchase of \(account) is \(state)",
            hints: await DidYouMean.notes(aboutAccount: account, context) + [
                "open prompts: storebus prompt list", "its purchases: storebus tx list --as \(account)",
            ])
    }
}

/// Decides a purchase: a parent's decision about a deferred one, or the answer to an open sheet.
enum Decision {
    enum Verdict { case approve, decline }

    static func make(
        _ verdict: Verdict, _ named: PurchaseArgument, error: String? = nil, _ context: CommandContext
    ) async throws(CLIError) {
        let row = try await named.find("waiting", context) {
            [.purchasing, .deferred].contains($0.transaction?.transactionState)
        }
        if row.transaction.transactionState == .purchasing {
            let prompt = try await openPrompt(about: row.transaction, context)
            return try await PromptLookup.answer(
                prompt, verdict == .approve ? .approve : .decline, error: error, context)
        }
        do throws(CLIError) {
            let values: [PathParameter: String] = [.id: row.transaction.id]
            let decided: PaymentTransaction
            switch verdict {
            case .approve: decided = try await context.api.call(TransactionRoutes.approve, values)
            case .decline:
                let reason = error.map { OptionalError(error: NamedError($0)) }
                decided = try await context.api.call(TransactionRoutes.decline, values, body: reason)
            }
            context.print(result(decided, account: row.account).about(row.bundleId))
        } catch  where error.is(.transactionStateInvalid) {
            throw withWayOut(error, row.transaction)
        }
    }

    private static func openPrompt(
        about transaction: PaymentTransaction, _ context: CommandContext
    ) async throws(CLIError) -> Prompt {
        if let prompt = try await PromptLookup.about(transaction, context) { return prompt }
        let name = Format.name(transaction)
        throw CLIError(
            CLIErrorCode(.notFound), "\(name) is purchasing, and has no open prompt",
            hints: ["open prompts: storebus prompt list", "storebus why \(name)"])
    }

    private static func withWayOut(_ error: CLIError, _ transaction: PaymentTransaction) -> CLIError {
        let name = Format.name(transaction)
        return error.with(
            hints: transaction.isInterrupted
                ? ["let it go on: storebus resolve \(name)"]
                : ["open prompts: storebus prompt list", "storebus why \(name)"])
    }

    /// ```
    /// purchased  2000000000000002  com.example.pro.monthly  in the place of t_01j…
    /// ```
    static func result(_ transaction: PaymentTransaction, account: String) -> CommandResult {
        let name = Format.name(transaction)
        let state = transaction.transactionState.rawValue
        let remarks = Format.remarks(transaction)
        let members = JSONText.value(transaction).with(["account": .string(account)])
        return CommandResult(data: members, names: [name], next: Format.next(transaction, as: account)) { style in
            let line = [name, transaction.payment.productIdentifier, remarks].filter { !$0.isEmpty }
            return style.paint(state, .of(state: state)) + "  " + line.map(Table.onOneLine).joined(separator: "  ")
                + "\n"
        }
    }
}

extension PaymentTransaction {
    /// Whether an interruption made the purchase fail. Resolving starts it again.
    var isInterrupted: Bool { transactionState == .failed && error?.reason == "interrupted" }
}
