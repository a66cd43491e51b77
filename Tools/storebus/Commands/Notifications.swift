import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus notifications …`
struct NotificationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications", abstract: "App Store Server Notifications: where they go, what became of them.",
        discussion: """
            storebus notifications endpoint http://localhost:8080/apple
            storebus notifications list --state failed
            storebus notifications show 3f2a1c9e
            storebus notifications resend 3f2a1c9e

            They are of version 2, signed as Apple signs them. storebus listen forwards them without an endpoint that \
            the store can reach; storebus trigger makes one.
            """,
        subcommands: [List.self, Show.self, Resend.self, Endpoint.self])

    /// `storebus notifications list`
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List an app's notifications, newest first.",
            discussion: """
                storebus notifications list
                storebus notifications list --as alice --type DID_RENEW --state failed
                """, aliases: ["ls"])

        @Option(
            help: ArgumentHelp("Only of this type, such as DID_RENEW.", valueName: "type"),
            completion: .list(Self.types))
        var type: String?

        @Option(
            help: ArgumentHelp("Only with this subtype, such as VOLUNTARY.", valueName: "subtype"),
            completion: .list(Self.subtypes))
        var subtype: String?

        @Option(
            name: [.customLong("as"), .customLong("account")],
            help: ArgumentHelp("Only this account's.", valueName: "account"), completion: Completion.accounts)
        var account: String?

        @Option(
            help: ArgumentHelp("Only in this state: \(Self.states.joined(separator: ", ")).", valueName: "state"),
            completion: .list(Self.states))
        var state: String?

        @OptionGroup var page: PageOptions
        @OptionGroup var app: AppOptions
        @OptionGroup var global: GlobalOptions

        private static let types = NotificationType.allCases.map(\.rawValue)
        private static let subtypes = NotificationSubtype.allCases.map(\.rawValue)
        private static let states = ServerNotification.State.allCases.map(\.rawValue)

        func validate() throws {
            try Choice.check("--type", type, among: Self.types)
            try Choice.check("--subtype", subtype, among: Self.subtypes)
            try Choice.check("--state", state, among: Self.states)
        }

        func run() async throws {
            let context = try await CommandContext.find(global, app: app)
            var query = NotificationsRequest(bundleId: context.bundleId, after: page.after)
            query.notificationType = type.flatMap(NotificationType.init)
            query.subtype = subtype.flatMap(NotificationSubtype.init)
            query.account = account
            query.state = state.flatMap(ServerNotification.State.init)
            let (notifications, after) = try await NotificationLookup.list(query, limit: page.limit, context)
            var result = NotificationTable.result(
                notifications, next: next(notifications, after: after, context), after: after)
            if notifications.isEmpty, let account {
                result.notes = await DidYouMean.notes(aboutAccount: account, context)
            }
            context.print(result)
        }

        private func next(_ notifications: [ServerNotification], after: String?, _ context: CommandContext) -> Advice {
            let option = AppOptions.flag(context.bundleId)
            if let after {
                let filters = [("--type", type), ("--subtype", subtype), ("--as", account), ("--state", state)]
                var command: ShellCommand = "storebus notifications list"
                for case (let flag, let value?) in filters + [("--after", after)] { command.add(flag, value) }
                return "\(command)\(option)"
            }
            guard let first = notifications.first(where: { $0.state == .failed }) ?? notifications.first else {
                return "storebus notifications endpoint\(option)"
            }
            return "storebus notifications show \(first.shortIdentifier)\(option)"
        }
    }

    /// `storebus notifications show`
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a notification's attempts, and what it says.",
            discussion: """
                storebus notifications show 3f2a1c9e
                storebus notifications show 3f2a1c9e --jws

                The payload is decoded and not verified, with the transaction and the renewal information in it. --jws \
                prints the text that is sent.
                """)

        @OptionGroup var named: NotificationArgument

        @Flag(help: "Print the signed text and nothing else.")
        var jws = false

        @OptionGroup var app: AppOptions
        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let context = try await CommandContext.find(global, app: app)
            let uuid = try await NotificationLookup.find(named.notification, context)
            let notification = try await context.api.notification(uuid, bundleId: context.bundleId)
            var result = NotificationInfo(notification: notification).result
            if jws {
                let text = notification.signedPayload.map { "\($0)\n" } ?? ""
                result.text = { _ in text }
                result.next = nil
            }
            context.print(result)
        }
    }

    /// `storebus notifications resend`
    struct Resend: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resend", abstract: "Send a notification once more, the same bytes, outside its schedule.",
            discussion: "storebus notifications resend 3f2a1c9e")

        @OptionGroup var named: NotificationArgument
        @OptionGroup var app: AppOptions
        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let context = try await CommandContext.find(global, app: app)
            let uuid = try await NotificationLookup.find(named.notification, context)
            let sent = try await context.api.resendNotification(uuid, bundleId: context.bundleId)
            context.print(
                CommandResult(
                    "sent again  \(sent.notificationUUID)  \(sent.name)\n", data: NotificationInfo.json(sent),
                    names: [sent.notificationUUID],
                    next: "storebus notifications show \(sent.shortIdentifier)\(AppOptions.flag(context.bundleId))"))
        }
    }

    /// `storebus notifications endpoint`
    struct Endpoint: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "endpoint", abstract: "Show or set where an app's notifications go.",
            discussion: """
                storebus notifications endpoint
                storebus notifications endpoint https://example.com/apple --retry apple --timeout 2s
                storebus notifications endpoint --delete

                A failed attempt is repeated as --retry says: apple 5 times, after 1, 12, 24, 48 and 72 hours of the \
                app's clock; sandbox never; fast 5 times, after 1, 2, 4, 8 and 16 seconds. Default: apple for an app \
                in Production, else sandbox. --timeout, 100ms to 60s, is for one attempt; 5s unless given. Flags \
                without a URL change the endpoint that is there. What waits when it is deleted goes to the next one.
                """)

        @Argument(help: ArgumentHelp("http:// or https://, as the store reaches it.", valueName: "url"))
        var address: String?

        @Option(
            help: ArgumentHelp("How failed attempts are repeated: apple, sandbox or fast.", valueName: "schedule"),
            completion: .list(NotificationEndpoint.Retry.names))
        var retry: String?

        @Flag(help: "Send what is due together in a random order.")
        var shuffle = false

        @Flag(help: "Send what was delivered once more.")
        var duplicate = false

        @Flag(help: "Remove the endpoint.")
        var delete = false

        @OptionGroup var app: AppOptions
        @OptionGroup var global: GlobalOptions

        private var changes: Bool { address != nil || retry != nil || shuffle || duplicate || global.timeout != nil }

        func validate() throws {
            try Choice.check("--retry", retry, among: NotificationEndpoint.Retry.names)
            if delete, changes { throw ValidationError("--delete and a new endpoint exclude each other") }
        }

        func run() async throws {
            let context = try await CommandContext.find(global, app: app)
            let bundleId = context.bundleId
            if delete {
                try await context.api.deleteNotificationEndpoint(bundleId)
                return context.print(EndpointInfo(endpoint: nil, bundleId: bundleId).result)
            }
            let present = try await context.api.notificationEndpoint(bundleId)
            guard changes else { return context.print(EndpointInfo(endpoint: present, bundleId: bundleId).result) }
            let put = try await context.api.putNotificationEndpoint(
                try body(present, timeLimit: context.timeLimit, bundleId), bundleId: bundleId)
            context.print(EndpointInfo(endpoint: put, bundleId: bundleId).result)
        }

        /// - Parameter present: The endpoint that is changed when no URL is given.
        private func body(
            _ present: NotificationEndpoint?, timeLimit: Duration?, _ bundleId: String
        ) throws(CLIError) -> NotificationEndpointBody {
            var body: NotificationEndpointBody
            if let address {
                body = NotificationEndpointBody(url: address)
            } else if let present {
                body = NotificationEndpointBody(present)
            } else {
                throw CLIError(
                    .usage, "\(bundleId) has no endpoint to change",
                    hints: ["name one: storebus notifications endpoint URL\(AppOptions.flag(bundleId))"])
            }
            if let retry { body.retry = NotificationEndpoint.Retry(rawValue: retry) }
            if let timeLimit { body.timeoutMs = Int(timeLimit / .milliseconds(1)) }
            if shuffle { body.shuffle = true }
            if duplicate { body.duplicate = true }
            return body
        }
    }
}

extension NotificationEndpoint.Retry {
    static let names = allCases.map(\.rawValue)
}

extension NotificationEndpointBody {
    /// An endpoint as it is.
    init(_ endpoint: NotificationEndpoint) {
        self.init(url: endpoint.url, retry: endpoint.retry, timeoutMs: endpoint.timeoutMs)
        shuffle = endpoint.shuffle
        duplicate = endpoint.duplicate
    }
}

/// The argument that names a notification.
struct NotificationArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The notification's UUID, or its beginning: 3f2a1c9e.", valueName: "uuid"),
        completion: Completion.notifications)
    var notification: String
}

/// Finds notifications of an app.
enum NotificationLookup {
    /// Maximum number of notifications searched by the beginning of a UUID, newest first.
    private static let searchedMax = 5_000
    private static let uuidLength = 36
    private static let pageMax = 100

    /// - Returns: At most `limit` notifications, and the cursor of the next page.
    static func list(
        _ query: NotificationsRequest, limit: Int, _ context: CommandContext
    ) async throws(CLIError) -> (notifications: [ServerNotification], after: String?) {
        var query = query
        var notifications: [ServerNotification] = []
        repeat {
            query.limit = min(pageMax, limit - notifications.count)
            let page = try await context.api.notifications(query)
            notifications += page.notifications
            query.after = page.after
        } while query.after != nil && notifications.count < limit
        return (notifications, query.after)
    }

    /// Finds a UUID by its beginning; a whole one is not looked up.
    /// - Throws: `notFound` with the nearest one, `usage` when several match.
    static func find(_ text: String, _ context: CommandContext) async throws(CLIError) -> String {
        var wanted = text.lowercased()
        if wanted.hasSuffix("…") { wanted.removeLast() }
        if wanted.utf8.count == uuidLength { return wanted }
        let (known, _) = try await list(
            NotificationsRequest(bundleId: context.bundleId), limit: searchedMax, context)
        let uuids = known.map(\.notificationUUID)
        let matches = uuids.filter { !wanted.isEmpty && $0.hasPrefix(wanted) }
        guard matches.count <= 1 else {
            throw CLIError(
                .usage, "'\(text)' is the beginning of \(matches.count) notifications",
                hints: ["give more of it: \(matches.prefix(4).joined(separator: ", "))"])
        }
        guard let found = matches.first else {
            throw CLIError(
                CLIErrorCode(.notFound), "\(context.bundleId) has no notification '\(text)'",
                hints: Suggestion.hints(for: wanted, among: uuids + known.map(\.shortIdentifier))
                    + ["all of them: storebus notifications list\(AppOptions.flag(context.bundleId))"])
        }
        return found
    }
}
