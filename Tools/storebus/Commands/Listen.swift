import ArgumentParser
import EventLoop
import StoreHTTP
import StoreModels

/// `storebus listen --forward-to URL`
struct ListenCommand: AsyncParsableCommand, TerminalCommand {
    static let configuration = CommandConfiguration(
        "listen", "Forward an app's notifications to a server on this machine.",
        """
        storebus listen --forward-to http://localhost:8080/apple
        storebus listen --forward-to localhost:8080/apple --since 10m
        storebus listen --forward-to localhost:8080/apple --route REFUND=http://localhost:8081/refunds

        The store leases each notification to this command, which posts it as Apple does and reports the outcome. \
        It prints a line when a notification arrives and one when the server answers, both with the same id. Runs \
        until Ctrl-C, and then restores the app's previous endpoint.

        --retry says how the store repeats failed attempts: fast (5 times, after 1, 2, 4, 8 and 16 seconds), \
        apple (5 times, after 1, 12, 24, 48 and 72 hours of the app's clock) or sandbox (never). A notification \
        without a reported outcome counts as NO_RESPONSE and is repeated too, so killing this command loses \
        nothing. --since 10m first reposts the notifications of the last 10 minutes of the app's clock, without \
        reporting their outcome. --timeout is how long the server may take, at most 59s, and 5s unless given.
        """)

    @Option("Where the app's server takes notifications.", "url") var forwardTo: String
    @Option("First repost the notifications made since: 10m, 36h, 3mo.", "time") var since: String?
    @Option("Another URL for a type, with or without its subtype.", "type=url") var route: [String] = []
    @Option(
        "How failed attempts are repeated: apple, sandbox or fast.", "schedule",
        .list(NotificationEndpoint.Retry.rawValues))
    var retry = NotificationEndpoint.Retry.fast.rawValue
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        try Choice.check("--retry", retry, among: NotificationEndpoint.Retry.rawValues)
        if let since, BusinessDuration(since) == nil {
            throw ValidationError("--since is a time such as 10m, 36h or 3mo, not '\(since)'")
        }
        if let time = options.timeout?.duration, !NotificationListener.answerTimes.contains(time) {
            throw ValidationError("--timeout is 100ms to 59s: how long the app's server may take")
        }
    }

    func run() async throws {
        let routes = try ForwardRoutes(forwardTo, route)
        let context = try await CommandContext.find(options, app: app)
        try await NotificationListener(
            context: context, routes: routes, retry: NotificationEndpoint.Retry(rawValue: retry) ?? .fast,
            since: since.flatMap { BusinessDuration($0) }
        ).run()
    }
}

/// The URLs of `--forward-to` and `--route`.
struct ForwardRoutes: Hashable, Sendable {
    /// The URL of what no route names.
    let target: String
    private var urls: [NotificationName: String] = [:]

    /// - Parameter routes: `DID_RENEW=http://…`, `EXPIRED.VOLUNTARY=http://…`
    /// - Throws: `usage`.
    init(_ url: String, _ routes: [String]) throws(CLIError) {
        target = try Self.whole(url, "--forward-to")
        for route in routes {
            let parts = route.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw CLIError(
                    .usage, "--route takes TYPE=URL, not '\(route)'",
                    hints: ["for example --route REFUND=http://localhost:8081/refunds"])
            }
            urls[try NotificationName(parsing: parts[0])] = try Self.whole(parts[1], "--route")
        }
    }

    /// Returns the URL of the route with the subtype, or of the type's, or the one for all.
    func url(of name: NotificationName) -> String { urls[name] ?? urls[NotificationName(name.type)] ?? target }

    /// Completes `localhost:8080/apple`.
    private static func whole(_ text: String, _ flag: String) throws(CLIError) -> String {
        let url = text.contains("://") ? text : "http://\(text)"
        let schemes = ["http://", "https://"]
        guard let scheme = schemes.first(where: url.hasPrefix), url.utf8.count > scheme.utf8.count,
            WebPort.isValid(in: url)
        else {
            throw CLIError(
                .usage, "\(flag) takes a URL of an app's server, not '\(text)'",
                hints: ["for example http://localhost:8080/apple"])
        }
        return url
    }
}

/// Leases an app's notifications, posts them to its server and reports the outcomes.
struct NotificationListener: Sendable {
    let context: CommandContext
    let routes: ForwardRoutes
    let retry: NotificationEndpoint.Retry
    /// The age of the oldest notification to post again, or nil to post none again.
    let since: BusinessDuration?

    /// Timeout of the app's server.
    static let answerTimes = Duration.milliseconds(100)...Duration.seconds(59)
    private static let answerTime = Duration.milliseconds(NotificationEndpoint.timeoutMsDefault)
    /// The extra time of a lease for the report.
    private static let reportTime = Duration.seconds(1)
    /// Maximum number posted at the same time, as by the store.
    private static let atOnceMax = 8
    /// Timeout of one request for leases.
    private static let leaseTime = Duration.seconds(20)
    /// Timeout for restoring the endpoint while the store is away.
    private static let restoreTimeout = Duration.seconds(10)

    private var bundleId: String { context.bundleId }
    /// The app's value in the paths of routes.
    private var app: [PathParameter: String] { [.bundleId: bundleId] }
    private var answerTime: Duration { context.timeLimit ?? Self.answerTime }
    private var lines: ForwardLines { ForwardLines(context.format, context.style) }

    /// Listens until Ctrl-C, then restores the earlier endpoint.
    /// - Throws: The error of the first attempt, and errors that a retry cannot change.
    func run() async throws(CLIError) {
        let before = try await atStart { () throws(CLIError) in
            try await context.api.call(NotificationRoutes.endpoint, app).endpoint
        }
        let (result, wasStopped) = await context.environment.untilStopped { () throws(CLIError) in
            try await listen(replacing: before)
        }
        await Task { await restore(before) }.value
        // A request that Ctrl-C has ended is no failure.
        if !wasStopped { try result.get() }
    }

    private func listen(replacing before: NotificationEndpoint?) async throws(CLIError) {
        let leaseTime = min(answerTime + Self.reportTime, .milliseconds(NotificationEndpoint.timeoutMsRange.upperBound))
        let body = NotificationEndpointBody(
            url: NotificationEndpoint.listen, retry: retry, timeoutMs: Int(leaseTime / .milliseconds(1)))
        _ = try await atStart { () throws(CLIError) in
            try await context.api.call(NotificationRoutes.putEndpoint, app, body: body)
        }
        context.narrate("listening for \(bundleId), forwarding to \(Table.onOneLine(routes.target)); Ctrl-C ends\n")
        if let before {
            context.narrate(
                before.isListen
                    ? "note: \(bundleId) had a listener already; two listeners share the notifications\n"
                    : "note: this replaces \(Table.onOneLine(before.url)) until it ends\n")
        }
        if let since { try await postAgain(since) }
        try await forward()
    }

    /// Repeats the command's first request while a service of the store is away.
    /// - Throws: At once if no store answers.
    private func atStart<Value>(_ attempt: () async throws(CLIError) -> Value) async throws(CLIError) -> Value {
        var interruptions = Interruptions(context)
        while true {
            do throws(CLIError) {
                return try await attempt()
            } catch {
                try await interruptions.wait(after: error, lived: .zero)
                guard !Task.isCancelled else { throw error }
            }
        }
    }

    // MARK: Leases

    private func forward() async throws(CLIError) {
        let done = Locked(0)
        let result = await withTaskGroup(of: Void.self) { group -> Result<Void, CLIError> in
            var interruptions = Interruptions(context)
            // It has given the endpoint.
            interruptions.storeAnswered()
            var (started, awaited) = (0, 0)
            while !Task.isCancelled {
                // Those that have ended are awaited at once, and one that has not when as many as can be are under way.
                while awaited < done.withLock({ $0 }) || started - awaited >= Self.atOnceMax {
                    await group.next()
                    awaited += 1
                }
                let start = ContinuousClock.now
                do throws(CLIError) {
                    let attempts = try await lease(max: Self.atOnceMax - (started - awaited))
                    started += attempts.count
                    for attempt in attempts {
                        group.addTask {
                            await deliver(attempt)
                            done.withLock { $0 += 1 }
                        }
                    }
                } catch {
                    do throws(CLIError) {
                        try await interruptions.wait(after: error, lived: ContinuousClock.now - start)
                    } catch {
                        return .failure(await explained(error))
                    }
                }
            }
            return .success(())
        }
        try result.get()
    }

    /// Begins attempts, or waits for notifications.
    private func lease(max: Int) async throws(CLIError) -> [LeaseNotificationsReply.Attempt] {
        let body = LeaseNotificationsBody(max: max, waitMs: Int(Self.leaseTime / .milliseconds(1)))
        return try await context.api.call(
            NotificationRoutes.lease, app, body: body, timeout: Self.leaseTime + .seconds(10)
        ).attempts
    }

    /// Explains why no notification can be leased any more.
    private func explained(_ error: CLIError) async -> CLIError {
        guard error.is(.transactionStateInvalid) else { return error }
        do throws(CLIError) {
            _ = try await context.api.call(AppRoutes.get, app)
        } catch  where error.is(.notFound) {
            return CLIError(
                CLIErrorCode(.notFound), "\(bundleId) was deleted, so there is nothing to forward",
                hints: ["the apps there are: storebus app list"])
        } catch {}
        return CLIError(
            CLIErrorCode(.transactionStateInvalid),
            "\(bundleId) has another endpoint now, so there is nothing to forward",
            hints: ["which one: storebus notifications endpoint\(AppOptions.flag(bundleId))"])
    }

    private func deliver(_ attempt: LeaseNotificationsReply.Attempt) async {
        let name = NotificationName(attempt.notificationType, attempt.subtype)
        guard let outcome = await post(attempt.signedPayload, attempt.notificationUUID, name) else { return }
        // What was answered is reported, at Ctrl-C too.
        await Task { await report(outcome, attempt) }.value
    }

    private func report(_ outcome: ForwardOutcome, _ attempt: LeaseNotificationsReply.Attempt) async {
        let short = attempt.notificationUUID.prefix(8)
        do throws(CLIError) {
            try await Retry.run(until: .now + Self.reportTime) { () throws(CLIError) in
                try await context.api.call(
                    NotificationRoutes.report, [.bundleId: bundleId, .attemptIdentifier: attempt.attemptIdentifier],
                    body: outcome.report)
            }
        } catch {
            context.narrate("note: the store was not notified of the answer to \(short): \(error.message)\n")
        }
    }

    /// Posts a notification, and prints that it has come and how it was answered.
    /// - Parameter isAgain: Whether the store does not ask for the outcome.
    /// - Returns: Nil after Ctrl-C.
    private func post(
        _ signedPayload: String, _ uuid: String, _ name: NotificationName, isAgain: Bool = false
    ) async -> ForwardOutcome? {
        let url = routes.url(of: name)
        context.console.result(lines.arrived(uuid, name, url: url, isAgain: isAgain, at: .wallClock()))
        let outcome = await context.environment.forwarder.post(signedPayload, to: url, within: answerTime)
        guard let outcome else { return nil }
        context.console.result(lines.answered(uuid, outcome, at: .wallClock()))
        return outcome
    }

    // MARK: Again

    /// Posts notifications again that the store has made already, oldest first.
    private func postAgain(_ since: BusinessDuration) async throws(CLIError) {
        let now = try await context.api.call(ClockRoutes.get, app).now
        var notifications: [ServerNotification] = []
        var after: String?
        repeat {
            let page = try await context.api.call(
                NotificationRoutes.list, app, query: ["after": after, "limit": "100"])
            let recent = page.notifications.filter { since.end(from: $0.at) >= now }
            notifications += recent
            after = recent.isEmpty ? nil : page.after
        } while after != nil
        for notification in Self.again(notifications) {
            let whole = try await context.api.call(
                NotificationRoutes.get, [.bundleId: bundleId, .notificationUUID: notification.notificationUUID])
            guard let signedPayload = whole.signedPayload else { continue }
            let outcome = await post(signedPayload, whole.notificationUUID, whole.name, isAgain: true)
            guard outcome != nil else { return }
        }
    }

    /// Returns those to post again, oldest first. A notification that was never tried is leased.
    /// - Parameter notifications: Newest first.
    static func again(_ notifications: [ServerNotification]) -> [ServerNotification] {
        notifications.reversed().filter { $0.state != .pending }
    }

    // MARK: Endpoint

    /// Restores the earlier endpoint, unless another one was set meanwhile.
    private func restore(_ before: NotificationEndpoint?) async {
        do throws(CLIError) {
            try await Retry.run(until: .now + Self.restoreTimeout) { () throws(CLIError) in
                let present = try await context.api.call(NotificationRoutes.endpoint, app).endpoint
                guard present?.isListen == true else { return }
                if let before {
                    _ = try await context.api.call(
                        NotificationRoutes.putEndpoint, app, body: NotificationEndpointBody(before))
                } else {
                    try await context.api.call(NotificationRoutes.deleteEndpoint, app)
                }
            }
        } catch  where error.is(.notFound) {
            // The endpoint has gone with its app.
        } catch {
            let option = AppOptions.flag(bundleId)
            let remedy: ShellCommand = before.map { "\($0.url) --retry \($0.retry.rawValue)" } ?? "--delete"
            context.narrate(
                "note: the endpoint of \(bundleId) is still \(NotificationEndpoint.listen) (\(error.message)); "
                    + "set it back: storebus notifications endpoint \(remedy)\(option)\n")
        }
    }
}

/// The lines of `storebus listen`:
///
/// ```
/// 12:00:01  --> DID_RENEW                                       3f2a1c9e
/// 12:00:01  <-- 200 (12 ms)                                     3f2a1c9e
/// ```
struct ForwardLines: Sendable {
    private let format: OutputFormat
    private let style: Style

    init(_ format: OutputFormat, _ style: Style) {
        self.format = format
        self.style = style
    }

    /// The width of the longest name, behind its arrow.
    private static let width =
        4
        + (NotificationType.allCases.flatMap { type in
            type.subtypes.map { NotificationName(type, $0).description.count }
        }.max() ?? 0)

    func arrived(
        _ uuid: String, _ name: NotificationName, url: String, isAgain: Bool, at now: Timestamp
    ) -> String {
        switch format {
        case .names: return "\(uuid)\n"
        case .human: return line("--> \(name)", nil, uuid, isAgain ? "again" : nil, at: now)
        case .json, .jsonl:
            var members = members("arrived", uuid, at: now)
            members["kind"] = .string(name.description)
            members["notificationType"] = .string(name.type.rawValue)
            members["subtype"] = name.subtype.map { .string($0.rawValue) }
            members["url"] = .string(url)
            members["again"] = .bool(isAgain)
            return JSONText.line(.object(members)) + "\n"
        }
    }

    func answered(_ uuid: String, _ outcome: ForwardOutcome, at now: Timestamp) -> String {
        switch format {
        case .names: return ""
        case .human:
            // The status says it, where there is a whole response.
            let isWhole = [.success, .unsuccessfulResponse].contains(outcome.result)
            let word = isWhole ? outcome.status.map { "\($0)" } : nil
            return line(
                "<-- \(word ?? outcome.result.rawValue) (\(Format.delay(outcome.duration)))",
                outcome.result == .success ? .good : .bad, uuid, isWhole ? nil : outcome.bodyStart, at: now)
        case .json, .jsonl:
            return JSONText.line(JSONText.value(outcome.report).with(members("answered", uuid, at: now))) + "\n"
        }
    }

    private func members(_ event: String, _ uuid: String, at now: Timestamp) -> [String: JSONValue] {
        ["event": .string(event), "notificationUUID": .string(uuid), "at": JSONText.value(now)]
    }

    private func line(
        _ words: String, _ tone: Style.Tone?, _ uuid: String, _ remark: String?, at now: Timestamp
    ) -> String {
        let space = String(repeating: " ", count: max(0, Self.width - words.count))
        let remark = remark.map { "  \(Table.onOneLine($0))" } ?? ""
        return "\(Format.clock(now))  \(style.paint(words, tone))\(space)  \(uuid.prefix(8))\(remark)\n"
    }
}
