import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus key …`
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Keys for an app's own server.",
        discussion: """
            storebus key create --kind api
            storebus key list
            """,
        subcommands: [Create.self, List.self, Revoke.self])

    /// `storebus key create`
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Make a key; its secret is shown this once.",
            discussion: """
                storebus key create --kind api
                storebus key create --kind subscriptionOffer -o json
                storebus key create --kind inAppPurchase --p8 AuthKey.p8

                'api' lets the app's server ask about its customers, 'sharedSecret' belongs to receipts, \
                'subscriptionOffer' signs promotional offers, 'inAppPurchase' the tokens of Apple's App Store Server \
                libraries: their secrets are private keys, PEM.
                """)

        @Option(
            help: ArgumentHelp("\(KeyKind.names.joined(separator: ", ")).", valueName: "kind"),
            completion: .list(KeyKind.names))
        var kind = KeyKind.api.rawValue

        @Option(help: ArgumentHelp("Write the secret to this new file instead.", valueName: "file"))
        var p8: String?

        @OptionGroup var app: AppOptions
        @OptionGroup var global: GlobalOptions

        func validate() throws { try Choice.check("--kind", kind, among: KeyKind.names) }

        func run() async throws {
            let context = try await CommandContext.find(global, app: app)
            // Before the key, whose secret is shown once.
            if let p8 { try Self.reserve(p8) }
            let key = try await context.api.createKey(KeyKind(rawValue: kind) ?? .api, bundleId: context.bundleId)
            if let p8 { try FileAccess.write(Array(key.secret.utf8), to: p8, mode: 0o600) }
            let identifier = key.keyIdentifier
            var lines = ["key     \(identifier)  \(kind)"]
            if let issuerId = key.issuerId { lines.append("issuer  \(issuerId)") }
            if let bundleId = key.bundleId { lines.append("bundle  \(bundleId)") }
            for (member, text) in [("secret", p8 ?? key.secret), ("publicKey", key.publicKey)] {
                guard let text else { continue }
                // A PEM text is alone on its lines, so that it can be copied.
                lines.append(text.contains("\n") ? "\(member)\n\(text)" : "\(member)  \(text)")
            }
            var data = key.json.objectValue ?? [:]
            if p8 != nil { data["secret"] = nil }
            context.print(
                CommandResult(
                    lines.joined(separator: "\n") + "\n", data: .object(data), names: [identifier],
                    next: "storebus key list\(AppOptions.flag(context.bundleId))",
                    notes: [p8.map { "the only copy of the secret is \($0)" } ?? "the secret is not shown again"]))
        }

        /// Makes an empty file where there is none.
        private static func reserve(_ path: String) throws(CLIError) {
            guard !FileAccess.exists(path) else {
                throw CLIError(.usage, "\(path) is there already", hints: ["name a new file: --p8 FILE"])
            }
            try FileAccess.write([], to: path, mode: 0o600)
        }
    }

    /// `storebus key list`
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List an app's keys, without their secrets.",
            discussion: "storebus key list", aliases: ["ls"])

        @OptionGroup var app: AppOptions
        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let context = try await CommandContext.find(global, app: app)
            let keys = try await context.api.keys(context.bundleId)
            var table = Table([.init("KEY"), .init("KIND"), .init("CREATED")])
            for key in keys { table.add([key.keyIdentifier, key.kind, Format.time(key.createdAt)]) }
            context.print(
                CommandResult(
                    table, items: keys.map { JSONText.value($0) }, names: keys.map(\.keyIdentifier),
                    next: "storebus key create --kind api\(AppOptions.flag(context.bundleId))", ifEmpty: "no keys"))
        }
    }

    /// `storebus key revoke`
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Revoke a key: it is refused from then on.",
            discussion: "storebus key revoke k_01 --yes")

        @Argument(help: ArgumentHelp("The key.", valueName: "key"))
        var key: String

        @Flag(help: "Only say what would go.")
        var dryRun = false

        @OptionGroup var app: AppOptions
        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let context = try await CommandContext.find(global, app: app)
            let keys = try await context.api.keys(context.bundleId)
            guard keys.contains(where: { $0.keyIdentifier.isExactly(key) }) else {
                let near = Suggestion.hints(for: key, among: keys.map(\.keyIdentifier))
                throw CLIError(
                    CLIErrorCode(.notFound), "\(context.bundleId) has no key '\(key)'",
                    hints: near + ["all of them: storebus key list"])
            }
            if dryRun { return context.print(Removal.wouldRemove("key \(key)", 1)) }
            try context.confirm("revoke the key \(key)")
            try await context.api.revokeKey(key, bundleId: context.bundleId)
            context.print(
                CommandResult(
                    "revoked  \(key)\n", data: ["keyIdentifier": .string(key)], names: [key],
                    next: "storebus key list\(AppOptions.flag(context.bundleId))"))
        }
    }
}

extension KeyKind {
    fileprivate static let names = allCases.map(\.rawValue)
}
