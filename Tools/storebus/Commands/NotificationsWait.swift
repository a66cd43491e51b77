import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus notifications wait`
struct NotificationsWaitCommand: OneAppCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        "wait", "Wait for a notification, or until none is due, in tests.",
        """
        storebus notifications wait DID_RENEW --as alice
        storebus notifications wait DID_FAIL_TO_RENEW.GRACE_PERIOD --state delivered --timeout 5s
        storebus notifications wait --settled

        Ends with the newest notification that matches. One that is there already counts, unless --after names it: \
        then it takes a newer one. A type alone takes any subtype. With --settled, waits until no notification is \
        due by the app's clock and no attempt is running. A retry in an hour of that clock is not due, and without an \
        endpoint none is. Waits 30s unless --timeout says otherwise, and exits with 1 when the time is over.
        """)

    @Argument("The type, or TYPE.SUBTYPE. Default: any.", "type", .list(NotificationType.rawValues)) var type: String?
    @OptionGroup var owner: AccountFilter
    @Option(
        "Only in this state: \(ServerNotification.State.listed).", "state", .list(ServerNotification.State.rawValues))
    var state: String?
    @Option("Only newer than this notification.", "uuid", Completion.notifications) var after: String?
    @Flag(help: "Wait until no notification is due.") var settled = false
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    private static let usualWait = Duration.seconds(30)
    /// Maximum waiting time asked of one request.
    private static let pollMax = Duration.seconds(20)
    /// Notifications of a page.
    private static let pageSize = 100

    func validate() throws {
        try Choice.check("--state", state, among: ServerNotification.State.rawValues)
        if settled, type != nil || owner.account != nil || state != nil || after != nil {
            throw ValidationError(
                "--settled waits for all notifications of the app: leave out type, --as, --state, --after")
        }
    }

    func run(_ context: CommandContext) async throws {
        let name = try type.map { text throws(CLIError) in try NotificationName(parsing: text) }
        let after: ServerNotification? =
            if let after { try await NotificationLookup.get(after, context) } else { nil }
        let deadline = ContinuousClock.now + (context.timeLimit ?? Self.usualWait)
        let words = settled ? "notifications to settle" : name?.description ?? "a notification"
        let result = try await context.progress.during("waiting for \(words)") { () throws(CLIError) in
            settled
                ? try await settle(until: deadline, context)
                : try await first(name, after: after, until: deadline, context)
        }
        context.print(result)
    }

    // MARK: One

    private func first(
        _ name: NotificationName?, after: ServerNotification?, until deadline: ContinuousClock.Instant,
        _ context: CommandContext
    ) async throws(CLIError) -> CommandResult {
        while true {
            let found = try await Retry.run(until: deadline) { () throws(CLIError) in
                if let after { return try await newest(name, after: after, context) }
                return try await context.api.list(
                    NotificationRoutes.list, [.bundleId: context.bundleId],
                    query: [
                        "notificationType": name?.type.rawValue, "subtype": name?.subtype?.rawValue,
                        "account": owner.account, "state": state,
                    ], limit: 1, after: nil
                ).items.first
            }
            if let found {
                return CommandResult(
                    "\(found.state.rawValue)  \(found.notificationUUID)  \(found.name)"
                        + (found.account.map { "  \($0)" } ?? "") + "\n",
                    data: NotificationInfo.json(found), names: [found.notificationUUID],
                    next: "storebus notifications show \(found.shortIdentifier)"
                ).about(context.bundleId)
            }
            guard deadline - .now > Retry.pause else { throw await late(name, context) }
            try? await ContinuousClock().sleep(for: Retry.pause)
        }
    }

    /// Finds the newest notification that matches among those newer than `after`.
    ///
    /// The list is read whole, because `after` need not match.
    private func newest(
        _ name: NotificationName?, after: ServerNotification, _ context: CommandContext
    ) async throws(CLIError) -> ServerNotification? {
        var cursor: String?
        repeat {
            let page = try await context.api.list(
                NotificationRoutes.list, [.bundleId: context.bundleId], limit: Self.pageSize, after: cursor)
            for notification in page.items {
                if notification.notificationUUID.isExactly(after.notificationUUID) { return nil }
                if isMeant(notification, name) { return notification }
            }
            cursor = page.after
        } while cursor != nil
        return nil
    }

    private func isMeant(_ notification: ServerNotification, _ name: NotificationName?) -> Bool {
        (name == nil || name?.type == notification.notificationType)
            && (name?.subtype == nil || name?.subtype == notification.subtype)
            && (owner.account == nil || notification.account?.isExactly(owner.account) == true)
            && (state == nil || notification.state.rawValue == state)
    }

    private func late(_ name: NotificationName?, _ context: CommandContext) async -> CLIError {
        let option = AppOptions.flag(context.bundleId)
        let kind = name?.description ?? "notification"
        let whose = owner.account.map { " of \($0)" } ?? ""
        return CLIError(
            .notInTime,
            "no \(kind)\(whose) \(state.map { "was \($0)" } ?? "was made") within "
                + Format.delay(context.timeLimit ?? Self.usualWait),
            hints: await owner.notes(context) + [
                "those there are: storebus notifications list\(option)",
                "what is due next: storebus time status\(option)", "wait longer: --timeout 1m",
            ], retryable: true)
    }

    // MARK: All

    private func settle(
        until deadline: ContinuousClock.Instant, _ context: CommandContext
    ) async throws(CLIError) -> CommandResult {
        while true {
            let state = try await Retry.run(until: deadline) { () throws(CLIError) in
                let wait = min(max(.zero, deadline - .now), Self.pollMax)
                return try await context.api.call(
                    NotificationRoutes.settled, [.bundleId: context.bundleId],
                    query: ["timeout": TimeLimit(wait).description], timeout: wait + .seconds(10))
            }
            if state.settled {
                return CommandResult(
                    "settled  \(context.bundleId): \(state.made) made, \(state.delivered) delivered\n",
                    data: JSONText.value(state).with(["bundleId": .string(context.bundleId)]),
                    names: [context.bundleId], next: "storebus notifications list",
                    notes: try await notes(state.made - state.delivered, context)
                ).about(context.bundleId)
            }
            guard deadline > .now else {
                throw unsettled(state, context)
            }
        }
    }

    /// Explains notifications that are settled without a delivery.
    private func notes(_ undelivered: Int, _ context: CommandContext) async throws(CLIError) -> [Advice] {
        guard undelivered > 0 else { return [] }
        let endpoint = try await context.api.call(NotificationRoutes.endpoint, [.bundleId: context.bundleId]).endpoint
        guard endpoint == nil else { return [] }
        return ["\(undelivered) without an endpoint; set one: storebus notifications endpoint URL"]
    }

    private func unsettled(_ state: NotificationsSettled, _ context: CommandContext) -> CLIError {
        let time = Format.delay(context.timeLimit ?? Self.usualWait)
        let what =
            state.pending == 0
            ? "the store was still making notifications of \(context.bundleId) after \(time)"
            : "\(Format.count(state.pending, "notification")) of \(context.bundleId) "
                + "\(state.pending == 1 ? "is" : "are") still to be delivered after \(time)"
        return CLIError(
            .notInTime, what,
            hints: [
                "which: storebus notifications list\(AppOptions.flag(context.bundleId))", "wait longer: --timeout 1m",
            ], retryable: true, details: ["pending": .integer(state.pending)])
    }
}
