import StoreModels

/// Accounts and what the operator has set for them.
package enum AccountRoutes {
    /// Lists the accounts that have settings or have opened an app.
    package static let list = HTTPEndpoint<Empty, TestersResponse<TesterAnswer>>(
        .get, "/admin/v1/testers", .admin, query: .page)
    /// Reads the settings of one account; an unknown account has the defaults.
    package static let get = HTTPEndpoint<Empty, TesterAnswer>(
        .get, "/admin/v1/testers/{account}", .admin)
    /// Replaces all settings of an account; a storefront moves its customers.
    package static let put = HTTPEndpoint<TesterSettings, TesterAnswer>(
        .put, "/admin/v1/testers/{account}", .admin)
    /// Sets an account back to the defaults; its purchases stay.
    package static let reset = HTTPEndpoint<Empty, NoContent>(
        .delete, "/admin/v1/testers/{account}", .admin)

    static let all: [HTTPRoute] = [
        list.route, get.route, put.route, reset.route,
    ]
}

/// Prompts that wait for an answer.
package enum PromptRoutes {
    /// Lists the open prompts, oldest first.
    package static let list = HTTPEndpoint<Empty, PromptsResponse>(
        .get, "/admin/v1/prompts", .admin, query: ["account", "after", "limit"])
    /// Answers a prompt; an answered one is `notFound`.
    package static let answer = HTTPEndpoint<PromptAnswer, Prompt>(
        .post, "/admin/v1/prompts/{id}", .admin)

    static let all: [HTTPRoute] = [
        list.route, answer.route,
    ]
}

/// Events of purchases and intents.
package enum EventRoutes {
    /// Waits for an event of a transaction, or of any kind; at most 64 requests wait at the same time.
    package static let wait = HTTPEndpoint<Empty, EventsReply>(
        .get, "/admin/v1/events/wait", .admin, query: ["type", "account", "bundleId", "timeout", "after"],
        urgency: .unlimited)
    /// The same route with the type of an intent's event.
    package static let waitForIntents = HTTPEndpoint<Empty, IntentEventsReply>(wait.route)

    /// Reads the last events of transactions, and the position behind them.
    package static let last = HTTPEndpoint<Empty, EventsReply>(
        .get, "/admin/v1/events/last", .admin, query: ["account", "bundleId", "limit"])

    /// Sends all events as they are committed, resuming by `after` or `Last-Event-ID`; at most 64 streams.
    package static let stream = HTTPEndpoint<Empty, EventStream>(
        .get, "/admin/v1/events/stream", .admin, query: ["after"], urgency: .unlimited)

    static let all: [HTTPRoute] = [wait.route, last.route, stream.route]
}
