import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus notifications …`
struct NotificationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "notifications", "App Store Server Notifications: their endpoint and their delivery.",
        """
        storebus notifications endpoint http://localhost:8080/apple
        storebus notifications list --state failed
        storebus notifications show 3f2a1c9e
        storebus notifications resend --state failed
        storebus notifications wait DID_RENEW --as alice

        Notifications are of version 2, signed as Apple signs them. To forward them without an endpoint that the \
        store can reach use storebus listen. To make one use storebus trigger.
        """, subcommands: [List.self, Show.self, Resend.self, NotificationsWaitCommand.self, Endpoint.self])

    /// `storebus notifications list`
    struct List: OneAppCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "list", "List an app's notifications, newest first.",
            """
            storebus notifications list
            storebus notifications list --as alice --type DID_RENEW --state failed
            """, aliases: ["ls"])

        @Option("Only of this type, such as DID_RENEW.", "type", .list(NotificationType.rawValues)) var type: String?
        @Option("Only with this subtype, such as VOLUNTARY.", "subtype", .list(NotificationSubtype.rawValues))
        var subtype: String?
        @Option(
            "Only this account's.", "account", Completion.accounts, name: [.customLong("as"), .customLong("account")])
        var account: String?
        @Option(
            "Only in this state: \(ServerNotification.State.listed).", "state",
            .list(ServerNotification.State.rawValues))
        var state: String?
        @OptionGroup var page: PageOptions
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            try Choice.check("--type", type, among: NotificationType.rawValues)
            try Choice.check("--subtype", subtype, among: NotificationSubtype.rawValues)
            try Choice.check("--state", state, among: ServerNotification.State.rawValues)
        }

        func run(_ context: CommandContext) async throws {
            let (notifications, after) = try await context.api.list(
                NotificationRoutes.list, [.bundleId: context.bundleId],
                query: ["notificationType": type, "subtype": subtype, "account": account, "state": state],
                limit: page.limit, after: page.after)
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
    struct Show: OneAppCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "show", "Show a notification's attempts and its content.",
            """
            storebus notifications show 3f2a1c9e
            storebus notifications show 3f2a1c9e --jws

            Decodes the payload with its transaction and renewal information, without verifying it. --jws prints \
            the signed text as it is sent.
            """)

        @OptionGroup var named: NotificationArgument
        @Flag(help: "Print the signed text and nothing else.") var jws = false
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let notification = try await NotificationLookup.get(named.notification, context)
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
    struct Resend: OneAppCommand {
        static let configuration = CommandConfiguration(
            "resend", "Send a notification once more, or all of one state: the same bytes, outside their schedule.",
            """
            storebus notifications resend 3f2a1c9e
            storebus notifications resend --state failed

            With --state, sends all of the app's notifications in that state, oldest first.
            """)

        @Argument("The notification's UUID, or its beginning: 3f2a1c9e.", "uuid", Completion.notifications)
        var notification: String?
        @Option(
            "All in this state: \(ServerNotification.State.listed).", "state",
            .list(ServerNotification.State.rawValues))
        var state: String?
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            try Choice.check("--state", state, among: ServerNotification.State.rawValues)
            switch (notification, state) {
            case (nil, nil): throw ValidationError("name a notification, or the state of several: --state failed")
            case (_?, _?): throw ValidationError("a notification and --state exclude each other")
            case (_?, nil), (nil, _?): break
            }
        }

        func run(_ context: CommandContext) async throws {
            if let state { return context.print(try await resendAll(in: state, context)) }
            let sent = try await resend(try await NotificationLookup.find(notification ?? "", context), context)
            context.print(
                Self.line(sent), data: NotificationInfo.json(sent), names: [sent.notificationUUID],
                next: "storebus notifications show \(sent.shortIdentifier)\(AppOptions.flag(context.bundleId))")
        }

        private func resend(_ uuid: String, _ context: CommandContext) async throws(CLIError) -> ServerNotification {
            try await context.api.call(
                NotificationRoutes.resend, [.bundleId: context.bundleId, .notificationUUID: uuid])
        }

        /// Sends all notifications of a state. The list is read before, because an attempt changes the state.
        private func resendAll(
            in state: String, _ context: CommandContext
        ) async throws(CLIError) -> CommandResult {
            let found = try await context.api.list(
                NotificationRoutes.list, [.bundleId: context.bundleId], query: ["state": state], limit: .max, after: nil
            ).items
            var sent: [ServerNotification] = []
            for one in found.reversed() {
                do throws(CLIError) {
                    sent.append(try await resend(one.notificationUUID, context))
                } catch {
                    let count = "\(sent.count) of \(found.count)"
                    throw error.with(message: "\(error.message) (\(count) were sent again)", hints: error.hints)
                }
            }
            let option = AppOptions.flag(context.bundleId)
            let lines = sent.map(Self.line).joined()
            return CommandResult(
                data: .array(sent.map(NotificationInfo.json)), names: sent.map(\.notificationUUID),
                next: sent.isEmpty
                    ? "storebus notifications list\(option)" : "storebus notifications wait --settled\(option)"
            ) { _ in lines.isEmpty ? "no notification is \(state)\n" : lines }
        }

        private static func line(_ sent: ServerNotification) -> String {
            "sent again  \(sent.notificationUUID)  \(sent.name)\n"
        }
    }

    /// `storebus notifications endpoint`
    struct Endpoint: OneAppCommand {
        static let configuration = CommandConfiguration(
            "endpoint", "Show or set where an app's notifications go.",
            """
            storebus notifications endpoint
            storebus notifications endpoint https://example.com/apple --retry apple --timeout 2s
            storebus notifications endpoint --delete

            --retry says how the store repeats a failed attempt: apple (5 times, after 1, 12, 24, 48 and 72 hours \
            of the app's clock), sandbox (never) or fast (5 times, after 1, 2, 4, 8 and 16 seconds). The default \
            is apple for an app in Production, else sandbox. --timeout, 100ms to 60s, is for one attempt, and 5s \
            unless given. Flags without a URL change the existing endpoint. After --delete, waiting notifications \
            go to the next endpoint you set.
            """)

        @Argument("http:// or https://, as the store reaches it.", "url") var address: String?
        @Option(
            "How failed attempts are repeated: apple, sandbox or fast.", "schedule",
            .list(NotificationEndpoint.Retry.rawValues))
        var retry: String?
        @Flag(help: "Send notifications that are due together in a random order.") var shuffle = false
        @Flag(help: "Send delivered notifications once more.") var duplicate = false
        @Flag(help: "Remove the endpoint.") var delete = false
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        private var changes: Bool {
            address != nil || retry != nil || shuffle || duplicate || options.timeout != nil
        }

        func validate() throws {
            try Choice.check("--retry", retry, among: NotificationEndpoint.Retry.rawValues)
            if delete, changes { throw ValidationError("--delete and a new endpoint exclude each other") }
            let range = NotificationEndpoint.timeoutMsRange
            let times = Duration.milliseconds(range.lowerBound)...Duration.milliseconds(range.upperBound)
            if let time = options.timeout?.duration, !times.contains(time) {
                throw ValidationError(
                    "--timeout of an attempt is \(TimeLimit(times.lowerBound)) to \(TimeLimit(times.upperBound))")
            }
        }

        func run(_ context: CommandContext) async throws {
            let bundleId = context.bundleId
            if delete {
                try await context.api.call(NotificationRoutes.deleteEndpoint, [.bundleId: bundleId])
                return context.print(EndpointInfo(endpoint: nil, bundleId: bundleId).result)
            }
            let present = try await context.api.call(NotificationRoutes.endpoint, [.bundleId: bundleId]).endpoint
            guard changes else { return context.print(EndpointInfo(endpoint: present, bundleId: bundleId).result) }
            let put = try await context.api.call(
                NotificationRoutes.putEndpoint, [.bundleId: bundleId],
                body: try body(present, timeLimit: context.timeLimit, bundleId))
            context.print(EndpointInfo(endpoint: put, bundleId: bundleId).result)
        }

        /// - Parameter present: The endpoint that is changed when no URL is given.
        private func body(
            _ present: NotificationEndpoint?, timeLimit: Duration?, _ bundleId: String
        ) throws(CLIError) -> NotificationEndpointBody {
            var body: NotificationEndpointBody
            if let address, !address.contains("://") {
                throw CLIError(
                    .usage, "<url> begins with http:// or https://, and '\(address)' does not",
                    hints: address.isEmpty ? [] : ["did you mean 'http://\(address)'?"])
            }
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
    @Argument("The notification's UUID, or its beginning: 3f2a1c9e.", "uuid", Completion.notifications)
    var notification: String
}

/// Finds notifications of an app.
enum NotificationLookup {
    /// Gets a notification by its UUID or the UUID's beginning.
    /// - Throws: As ``find(_:_:)``, and `notFound` for a whole UUID of no notification of the app.
    static func get(_ text: String, _ context: CommandContext) async throws(CLIError) -> ServerNotification {
        let uuid = try await find(text, context)
        return try await context.api.call(
            NotificationRoutes.get, [.bundleId: context.bundleId, .notificationUUID: uuid])
    }

    /// Maximum number of notifications searched by the beginning of a UUID, newest first.
    private static let searchedMax = 5_000
    private static let uuidLength = 36

    /// Finds a UUID by its beginning. A whole one is not looked up.
    /// - Throws: `notFound` with the nearest one, `usage` if several match.
    static func find(_ text: String, _ context: CommandContext) async throws(CLIError) -> String {
        var wanted = text.lowercased()
        if wanted.hasSuffix("…") { wanted.removeLast() }
        if wanted.utf8.count == uuidLength { return wanted }
        let known = try await context.api.list(
            NotificationRoutes.list, [.bundleId: context.bundleId], limit: searchedMax, after: nil
        ).items
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
