import StoreModels

/// Accounts and the operator's settings for them.
package enum AccountRoutes {
    /// Lists the accounts that have settings or have opened an app.
    package static let list = HTTPEndpoint<Empty, TestersResponse<TesterResponse>>(
        "listTesters", .get, "/admin/v1/testers", .admin,
        parameters: .adminPage)
    /// Reads the settings of one account. An unknown account has the defaults.
    ///
    /// An account without settings behaves as in StoreKit.
    package static let get = HTTPEndpoint<Empty, TesterResponse>(
        "getTester", .get, "/admin/v1/testers/{account}", .admin)
    /// Replaces all settings of an account.
    ///
    /// A storefront moves the account's customers of every app of the installation, or of the isolated store that the
    /// request names. A member that this version cannot act on is 501, and nothing is changed.
    package static let put = HTTPEndpoint<TesterSettings, TesterResponse>(
        "putTester", .put, "/admin/v1/testers/{account}", .admin,
        responses: [
            .ok(links: [
                Link("get", to: "getTester", ["account": "$response.body#/account"], "The same"),
                Link("delete", to: "deleteTester", ["account": "$response.body#/account"], "Back to the defaults"),
            ])
        ])
    /// Sets an account back to the defaults, but keeps its purchases.
    package static let reset = HTTPEndpoint<Empty, NoContent>(
        "deleteTester", .delete, "/admin/v1/testers/{account}", .admin)

    static let all: [any HTTPOperation] = [
        list, get, put, reset,
    ]
}

/// Prompts that wait for an answer.
package enum PromptRoutes {
    /// Lists the open prompts, oldest first.
    package static let list = HTTPEndpoint<Empty, PromptsResponse>(
        "listPrompts", .get, "/admin/v1/prompts", .admin,
        parameters: [.ofAccount, .after, .limit])
    /// Answers a prompt.
    ///
    /// The first answer decides, and a second one gets 404.
    package static let answer = HTTPEndpoint<PromptAnswerBody, Prompt>(
        "answerPrompt", .post, "/admin/v1/prompts/{id}", .admin,
        responses: [
            .ok(
                "The prompt as it was, and its transaction as it is now.",
                links: [
                    Link(
                        "resolve", to: "resolveTransaction", ["id": "$response.body#/transaction/id"],
                        "Resolves an interrupted purchase"),
                    Link(
                        "approve", to: "approveTransaction", ["id": "$response.body#/transaction/id"],
                        "The outcome of the answer"),
                ])
        ], errors: [.outcomeUnknown])

    static let all: [any HTTPOperation] = [
        list, answer,
    ]
}

/// Events of purchases and intents.
package enum EventRoutes {
    /// Waits for an event of a transaction. With a type of an intent's event it waits for one of an intent.
    ///
    /// Without `after` it waits for events from now on. The position `after` is the `after` of a response, an event's
    /// `id`, or a position of the stream. An `after` that no event follows is 400, and `positionFault` says why:
    /// `malformed`, `ahead` of all events, or `removed`, because the next events are older than 30 days. At most 64
    /// requests wait at the same time. The response is the last one on its connection.
    package static let wait = HTTPEndpoint<Empty, EventsReply>(
        "waitForEvents", .get, "/admin/v1/events/wait", .admin,
        parameters: [.eventType, .ofAccount, .ofBundleId, .wait, .after], urgency: .unlimited,
        responses: [.ok("The first events that match, or none when the time is up.")], errors: [.tooMany])
    /// The same route with the type of an intent's event.
    package static let waitForIntents = HTTPEndpoint<Empty, IntentEventsReply>(wait)

    /// Reads the last events of transactions, and the position behind them.
    ///
    /// The events are of transactions and subscriptions, of all apps or of one. Events are kept for 30 days.
    package static let last = HTTPEndpoint<Empty, EventsReply>(
        "lastEvents", .get, "/admin/v1/events/last", .admin,
        parameters: [.ofAccount, .ofBundleId, .adminLimit])

    /// Streams the events of transactions and of intents as they are committed, without a gap.
    ///
    /// The stream begins with `hello`. When this store does not have the position, or its next events are older than 30
    /// days and were removed, `resync` follows: the client then reads the events before it from lists. While a service
    /// is away a comment says so and the stream stays open. When its events cannot be continued, `resync` follows. A
    /// comment comes every 15 s. At most 64 streams are open.
    package static let stream = HTTPEndpoint<Empty, EventStream>(
        "streamEvents", .get, "/admin/v1/events/stream", .admin,
        parameters: [.eventPosition, .lastEventId], urgency: .unlimited, needs: .storage,
        responses: [.ok("Server-sent events; the client resumes by their `id`.", .events(EventStreamName.events))],
        errors: [.tooMany])

    static let all: [any HTTPOperation] = [wait, waitForIntents, last, stream]
}
