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
}

/// An account as the operator sees it. It has the effective settings, and under `overrides` those that were set.
///
/// ```json
/// {"account":"alice","storefront":"FRA","canMakePayments":true,"askToBuy":false,"interruptPurchases":false,
///  "signIn":"ok","sheet":"auto","priceConsent":"agree","subscriptionRenewalRate":"realTime","simulatedErrors":{},
///  "overrides":{"storefront":"FRA"}}
/// ```
package struct TesterResponse: Hashable, Sendable, Codable {
    /// The shopper's name, 1…128 characters.
    package var account: String
    /// The settings in force: set by the operator, else the app's default, else StoreKit's.
    package var effective: TesterSettings
    /// The settings the operator has set.
    package var overrides: TesterSettings

    private enum CodingKeys: String, CodingKey { case account, overrides }

    /// Takes both kinds of settings from PaymentQueue's answer.
    package init(_ tester: Tester) {
        account = tester.account
        effective = tester.effective
        overrides = tester.settings
    }

    /// Reads the settings' members from the account's own object.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        account = try container.decode(String.self, forKey: .account)
        overrides = try container.decodeIfPresent(TesterSettings.self, forKey: .overrides) ?? TesterSettings()
        effective = try TesterSettings(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        try effective.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(account, forKey: .account)
        try container.encode(overrides, forKey: .overrides)
    }
}

/// A page of accounts: `{"testers":[…],"after":"bob"}`. Clients read an entry as ``TesterResponse``.
package struct TestersResponse<Entry: Sendable>: Sendable {
    /// By name, at most the request's `limit`.
    package var testers: [Entry]
    /// The next page's `after`. Absent on the last page.
    package var after: String?
}

extension TestersResponse: Encodable where Entry: Encodable {}
extension TestersResponse: Decodable where Entry: Decodable {}
extension TestersResponse: JSONForm where Entry: JSONForm { package typealias Body = TestersResponse<Entry.Body> }

/// A page of the open prompts of both services that ask people: `{"prompts":[…],"after":"p_…,ap_…","degraded":[]}`.
package struct PromptsResponse: Hashable, Sendable, Codable {
    /// Oldest first.
    package var prompts: [Prompt]
    /// Absent on the last page.
    package var after: String?
    /// Services whose prompts are missing. The list is empty, not absent, when none is.
    package var degraded: [String]? = []
}

/// The body of `POST /admin/v1/prompts/{id}`: `{"answer":"decline","error":"paymentInvalid"}`.
///
/// `error` is allowed with `decline` only. Without it the payment fails with `unknown`.
package struct PromptAnswerBody: Hashable, Sendable, Codable {
    /// One of the prompt's ``Prompt/answers``.
    package var answer: Prompt.Answer
    /// The error the payment fails with, by name or number, only with `decline`. Left out, it is `unknown`.
    package var error: NamedError?
}

/// The optional body of a request that may contain a reason: `{"error":"paymentNotAllowed"}` or
/// `{"error":"cloudServiceNetworkConnectionFailed"}`.
package struct OptionalError: Hashable, Sendable, Codable {
    /// By name or number. Left out, it is `unknown`.
    package var error: NamedError?
}

/// An `SKError` by name or number, `"paymentInvalid"` or `3`.
package struct NamedError: Hashable, Sendable, Codable {
    /// The error. Clients may name it in either form.
    package let code: SKErrorCode
    private let isNumber: Bool

    /// - Returns: Nil for text that names no `SKError`.
    package init?(_ text: String) {
        let number = Int(text)
        guard let code = number.map(SKErrorCode.init(rawValue:)) ?? SKErrorCode(name: text) else { return nil }
        self.code = code
        isNumber = number != nil
    }

    /// Reads a name or a number.
    /// - Throws: `DecodingError` for a name or number that is not an `SKError`.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let number = try? container.decode(Int.self)
        let text = try number.map(String.init) ?? container.decode(String.self)
        guard let error = NamedError(text), (number != nil) == error.isNumber else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "must be the name or the number of an SKError, such as paymentInvalid")
        }
        self = error
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if isNumber {
            try container.encode(code.rawValue)
        } else {
            try container.encode(code.name)
        }
    }
}

/// The response of `POST /admin/v1/apps/{bundleId}/reset`: `{"removedTransactions":12,"cancelledIntents":1}`.
package struct ResetResponse: Hashable, Sendable, Codable {
    /// Deleted transactions, finished ones included.
    package var removedTransactions: Int
    /// Number of open purchases that began in the store and were cancelled.
    package var cancelledIntents: Int?
}

/// The response of `DELETE /admin/v1/apps/{bundleId}/transactions`: `{"removed":12,"cancelledIntents":1}`.
package struct HistoryResponse: Hashable, Sendable, Codable {
    /// Number of transactions removed.
    package var removed: Int
    /// Number of open purchases that began in the store and were cancelled.
    package var cancelledIntents: Int?
}
