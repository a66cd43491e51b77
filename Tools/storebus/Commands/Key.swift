import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus key …`
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "key", "Keys for apps' own servers.",
        """
        storebus key create --kind api
        storebus key list
        """, subcommands: [Create.self, List.self, Revoke.self])

    /// `storebus key create`
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            "create", "Make a key. Its secret is shown only once.",
            """
            storebus key create --kind api
            storebus key create --kind subscriptionOffer -o json
            storebus key create --kind inAppPurchase --p8 AuthKey.p8

            'api' lets the app's server query its customers. 'sharedSecret' is for receipts. 'inAppPurchase' \
            signs the tokens of Apple's App Store Server libraries and promotional offers, like an account's key \
            at Apple, for every app, or with --bundle-id for one. 'subscriptionOffer' signs promotional offers of \
            one app. Both of these are private keys in PEM.
            """)

        @Option("\(KeyKind.listed).", "kind", .list(KeyKind.rawValues)) var kind = KeyKind.api.rawValue
        @Option("Write the secret to this new file instead.", "file") var p8: String?
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func validate() throws { try Choice.check("--kind", kind, among: KeyKind.rawValues) }

        func run() async throws {
            let kind = KeyKind(rawValue: kind) ?? .api
            let isAccounts = kind == .inAppPurchase && app.bundleId == nil
            let context =
                isAccounts ? try CommandContext.find(options) : try await CommandContext.find(options, app: app)
            // Before the key, whose secret is shown once.
            if let p8 { try Self.reserve(p8) }
            let key = try await context.api.received(
                isAccounts ? KeyRoutes.createForAccount : KeyRoutes.create,
                isAccounts ? [:] : [.bundleId: context.bundleId], body: KeyRequest(kind: kind))
            if let p8 { try FileAccess.write(Array(key.secret.utf8), to: p8, mode: 0o600) }
            let identifier = key.keyIdentifier
            var lines = ["key     \(identifier)  \(kind.rawValue)"]
            if let issuerId = key.issuerId { lines.append("issuer  \(issuerId)") }
            if key.issuerId != nil { lines.append("bundle  \(key.bundleId ?? OwnedKey.everyApp)") }
            for (member, text) in [("secret", p8 ?? key.secret), ("publicKey", key.publicKey)] {
                guard let text else { continue }
                // A PEM text is alone on its lines, so that it can be copied.
                lines.append(text.contains("\n") ? "\(member)\n\(text)" : "\(member)  \(text)")
            }
            var data = key.json.objectValue ?? [:]
            if p8 != nil { data["secret"] = nil }
            context.print(
                lines.joined(separator: "\n") + "\n", data: .object(data), names: [identifier],
                next: "storebus key list\(AppOptions.flag(context.bundleId))",
                notes: [p8.map { "the only copy of the secret is \($0)" } ?? "the secret is not shown again"])
        }

        /// Makes an empty file if it is missing.
        private static func reserve(_ path: String) throws(CLIError) {
            guard !FileAccess.exists(path) else {
                throw CLIError(.usage, "\(path) is there already", hints: ["name a new file: --p8 FILE"])
            }
            try FileAccess.write([], to: path, mode: 0o600)
        }
    }

    /// `storebus key list`
    struct List: OneAppCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "list", "List keys, without their secrets.",
            """
            storebus key list

            Lists the app's keys, and the account's keys, which work for every app.
            """, aliases: ["ls"])

        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let keys = try await OwnedKey.all(context)
            context.print(
                CommandResult(
                    keys, ["KEY", "KIND", "APP", "CREATED"], named: \.key.keyIdentifier, json: \.json,
                    next: "storebus key create --kind api\(AppOptions.flag(context.bundleId))", ifEmpty: "no keys"
                ) { one in
                    let app = one.bundleId ?? OwnedKey.everyApp
                    return [one.key.keyIdentifier, one.key.kind, app, Format.time(one.key.createdAt)]
                })
        }
    }

    /// `storebus key revoke`
    struct Revoke: OneAppCommand {
        static let configuration = CommandConfiguration(
            "revoke", "Revoke a key: it is refused from then on.", "storebus key revoke k_01 --yes")

        @Argument("The key.", "key") var key: String
        @Flag(help: "Only print the deletions, without making them.") var dryRun = false
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let keys = try await OwnedKey.all(context)
            guard let found = keys.first(where: { $0.key.keyIdentifier.isExactly(key) }) else {
                let near = Suggestion.hints(for: key, among: keys.map(\.key.keyIdentifier))
                throw CLIError(
                    CLIErrorCode(.notFound), "\(context.bundleId) has no key '\(key)'",
                    hints: near + ["all of them: storebus key list"])
            }
            if dryRun {
                return context.print(
                    Removal.wouldRemove(
                        "key \(key)", 1, by: "storebus key revoke \(key)\(AppOptions.flag(context.bundleId))"))
            }
            try context.confirm("revoke the key \(key)")
            if let owner = found.bundleId {
                try await context.api.call(KeyRoutes.revoke, [.bundleId: owner, .keyIdentifier: key])
            } else {
                try await context.api.call(KeyRoutes.revokeOfAccount, [.keyIdentifier: key])
            }
            context.print(
                "revoked  \(key)\n", data: ["keyIdentifier": .string(key)], names: [key],
                next: "storebus key list\(AppOptions.flag(context.bundleId))")
        }
    }
}

/// A key with the app it belongs to.
private struct OwnedKey {
    /// In place of an app's name.
    static let everyApp = "every app"

    var key: AppKey
    /// Nil for a key of the account.
    var bundleId: String?

    /// The account's keys, then those of the command's app.
    static func all(_ context: CommandContext) async throws(CLIError) -> [OwnedKey] {
        let ofAccount = try await context.api.call(KeyRoutes.listOfAccount).keys
        let ofApp = try await context.api.call(KeyRoutes.list, [.bundleId: context.bundleId]).keys
        return ofAccount.map { OwnedKey(key: $0) } + ofApp.map { OwnedKey(key: $0, bundleId: context.bundleId) }
    }

    var json: JSONValue {
        JSONText.value(key).with([
            "bundleId": bundleId.map { .string($0) } ?? .null,
            "app": .string(bundleId ?? Self.everyApp),
        ])
    }
}
