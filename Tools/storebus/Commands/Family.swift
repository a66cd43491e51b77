import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus family …`
struct FamilyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "family", "Families of customers who share their purchases.",
        """
        storebus family create smith alice
        storebus family add smith bob
        storebus family list
        storebus family remove smith bob
        storebus family end smith
        """, subcommands: [Create.self, List.self, Add.self, Remove.self, End.self])

    /// `storebus family create`
    struct Create: OneAppCommand {
        static let configuration = CommandConfiguration(
            "create", "Make a family of one account, which organises it.",
            """
            storebus family create smith alice

            An unknown account is made, as by storebus buy. What it buys of products with familyShareable in the \
            catalogue is shared with the members that you add, within a second after the purchase.
            """)

        @Argument("A name for the family.", "family") var family: String
        @Argument("The account whose family it is.", "account", Completion.accounts) var organiser: String
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            try await FamilyCommand.meet(organiser, context)
            let made = try await context.api.call(
                FamilyRoutes.put, [.bundleId: context.bundleId, .family: family],
                body: NewFamily(organiser: organiser))
            context.print(
                FamilyCommand.result(
                    of: [made], next: "storebus family add \(family) bob\(AppOptions.flag(context.bundleId))"))
        }
    }

    /// `storebus family list`
    struct List: OneAppCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "list", "List an app's families with their persons.", "storebus family list", aliases: ["ls"])

        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let families = try await context.api.all(FamilyRoutes.list, [.bundleId: context.bundleId])
            context.print(FamilyCommand.result(of: families, next: nil))
        }
    }

    /// `storebus family add`
    struct Add: OneAppCommand {
        static let configuration = CommandConfiguration(
            "add", "Add an account to a family, or change what it shares.",
            """
            storebus family add smith bob
            storebus family add smith bob --shares no
            storebus family add smith bob --shares yes --receives no

            A family has at most \(Family.personsMax) accounts, and an account is in one family. An unknown \
            account is made, as by storebus buy. A member has a \
            transaction of its own for each purchase that the others share. Without an option a new member shares and \
            receives, and a known one stays as it is.
            """)

        /// The answer to a question.
        enum Answer: String, CaseIterable, ExpressibleByArgument { case yes, no }

        @Argument("The family's name.", "family") var family: String
        @Argument("The account to add.", "account", Completion.accounts) var account: String
        @Option("Whether its purchases are shared with the others.", "yes|no") var shares: Answer?
        @Option("Whether the others' purchases are shared with it.", "yes|no") var receives: Answer?
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            try await FamilyCommand.meet(account, context)
            let changed = try await context.api.call(
                FamilyRoutes.putMember, [.bundleId: context.bundleId, .family: family, .account: account],
                body: FamilySharing(
                    sharesPurchases: shares.map { $0 == .yes }, receivesPurchases: receives.map { $0 == .yes }))
            context.print(
                FamilyCommand.result(
                    of: [changed], next: "storebus tx list --as \(account)\(AppOptions.flag(context.bundleId))"))
        }
    }

    /// `storebus family remove`
    struct Remove: OneAppCommand {
        static let configuration = CommandConfiguration(
            "remove", "Take an account out of a family: nothing is shared with it or of it any more.",
            """
            storebus family remove smith bob

            Transactions that were shared are revoked. Adding the account again gives them back.
            """)

        @Argument("The family's name.", "family") var family: String
        @Argument("The account to remove.", "account", Completion.accounts) var account: String
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let changed = try await context.api.call(
                FamilyRoutes.removeMember, [.bundleId: context.bundleId, .family: family, .account: account])
            context.print(
                FamilyCommand.result(
                    of: [changed], next: "storebus tx list --as \(account)\(AppOptions.flag(context.bundleId))"))
        }
    }

    /// `storebus family end`
    struct End: OneAppCommand {
        static let configuration = CommandConfiguration(
            "end", "End a family: its accounts lose what the others shared.",
            """
            storebus family end smith

            Transactions that were shared are revoked.
            """)

        @Argument("The family's name.", "family") var family: String
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            try await context.api.call(FamilyRoutes.end, [.bundleId: context.bundleId, .family: family])
            context.print(
                "ended  \(family)\n", data: ["family": .string(family)], names: [family],
                next: "storebus family list\(AppOptions.flag(context.bundleId))")
        }
    }

    /// Opens a session of the account's app, so that the account is a customer.
    fileprivate static func meet(_ account: String, _ context: CommandContext) async throws(CLIError) {
        _ = try await context.sessions.session(Installation(bundleId: context.bundleId, account: account))
    }

    /// Makes the table of families, a row for each person.
    fileprivate static func result(of families: [Family], next: Advice?) -> CommandResult {
        let rows = families.flatMap { family in family.persons.map { Row(family: family.family, person: $0) } }
        return CommandResult(
            rows, ["FAMILY", "ACCOUNT", "ROLE", "SHARES", "RECEIVES", "JOINED"], named: \.person.account,
            json: \.json, next: next, ifEmpty: "no families"
        ) { row in
            [
                row.family, row.person.account, row.role, row.person.sharesPurchases ? "yes" : "no",
                row.person.receivesPurchases ? "yes" : "no", Format.time(row.person.joinedAt),
            ]
        }
    }

    /// A person with the family's name.
    private struct Row {
        let family: String
        let person: FamilyPerson

        var role: String { person.isOrganiser ? "organiser" : "member" }
        var json: JSONValue {
            JSONText.value(person).with(["family": .string(family), "role": .string(role)])
        }
    }
}

extension FamiliesPage: ListPage { var items: [Family] { families } }
