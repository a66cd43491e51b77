/// One line of `history.jsonl`: an action or observation of a worker or observer of the run.
///
/// ```json
/// {"device":"c1-1","index":7,"key":"k1","kind":"invoke","operation":"purchase","process":3,"product":"p","time":1200}
/// ```
/// The model is Jepsen's: an `invoke`, and later a line `of` it with its end.
package struct HistoryEntry: Codable, Equatable, Sendable {
    /// The line's place in its operation.
    package enum Kind: String, Codable, Sendable {
        /// The request is about to be sent.
        case invoke
        /// It succeeded for certain.
        case ok
        /// It had no effect for certain (a documented 4xx, a declined charge).
        case fail
        /// It may have had its effect (timeout, reset, 5xx).
        case info
        /// Something was observed without a request (an event of a stream, a fault).
        case event
    }

    /// The class of operation a line belongs to.
    package enum Operation: String, Codable, Sendable, CaseIterable {
        case purchase, finish, restore, approve, decline, refund, cancelSubscription
        case listUnfinished, readHistory, eligibility, moveClock
        case overrideWrite, overrideRead, storePage
        case createIntent, decideIntent
        /// A stream of one device: `event` lines for opened, delivered transactions, ended.
        case observe
        /// A signed notification to the run's receiving server (`event`). See ``ObservedNotification``.
        case notification
        /// A page of the purchases' events, as the operator's reader gets it who follows them (`event`). `detail` has `id`
        /// and `transaction` of each, separated by spaces, or in `refused` why the store does not know the position.
        case events
        /// A request of an isolated store's life. Its `app` is `<bundle id>/<store>`, and its `detail.what` is `made`,
        /// `set` (a setting of a customer there, named by `detail.setting`), `stopped` (a purchase that this setting stops),
        /// `bought`, `history`, `events`, `clock`, `reach`, `waited` (`event`), `removed`, `closed` or `expired`.
        case isolated
        /// The answers of the device (twice), the Server API and the receipt about one transaction, in `detail`.
        case story
        /// A request about a family, in an app of its own. `detail.what` is `bought`, `refunded`, `joined` or `left`, and of
        /// the last reads `held` (a person's transactions, see ``HeldTransaction``) or `charged`.
        case family
        /// A fault begins or ends (`event`), of the run itself.
        case fault
        /// State of a service, seen by the run (`event`): up, down, with recovery.
        case service
        /// The final reads after everything was healed (`ok`): one line a read.
        case finalUnfinished, finalHistory, finalCharges, finalOverride, finalIntents, finalEligibility
        /// All events of the run, read once more.
        case finalEvents
    }

    /// Number of the line, from 1.
    package var index: Int = 0
    /// Microseconds since the run began, by a monotonic clock.
    package var time: Int64
    /// The logical process: a worker until one of its operations ends with `info`, then a new number. Observers too.
    package var process: Int
    package var kind: Kind
    package var operation: Operation
    /// Number of the `invoke` line this line ends.
    package var of: Int?
    package var app: String?
    package var account: String?
    package var device: String?
    package var product: String?
    /// The idempotency key.
    package var key: String?
    /// Fingerprint of the body under the key, when one key is sent with another body on purpose.
    package var body: String?
    /// HTTP status and code of the problem, or nil if no response came.
    package var status: Int?
    package var code: String?
    package var milliseconds: Double?
    /// Transactions in the response, or in the event of a stream. After a restore's end, the restored ones of the
    /// device's queue. Nil if that read failed, and in histories of older runs.
    package var transactions: [ObservedTransaction]?
    /// Charges and refunds of the processor's ledger (finalCharges).
    package var charges: [ObservedCharge]?
    /// Everything else an operation is about, by name.
    package var detail: [String: String]?
}

/// A transaction as a response or an event has shown it.
package struct ObservedTransaction: Codable, Equatable, Sendable {
    /// The store's identifier of the payment.
    package var id: String
    /// The identifier of a purchased or restored one.
    package var transactionIdentifier: String?
    /// The identifier of the first purchase. Nil for a first purchase itself.
    package var original: String?
    /// purchasing, purchased, failed, restored or deferred.
    package var state: String
    package var product: String
    /// Minor units of the currency, the same unit as ``ObservedCharge/amount``.
    package var price: Int64?
    package var currency: String?
    package var revision: Int64?
    /// The kind of offer: introductory, trial, …. Nil at the regular price.
    package var offer: String?
    package var revoked: Bool?
    /// Milliseconds since 1970, of a subscription's period.
    package var expires: Int64?
    /// The tester's setting with which a failed one's error says that it caused it: `processor`.
    package var setting: String?
}

/// A row of the processor's ledger, with the sum of its refunds.
package struct ObservedCharge: Codable, Equatable, Sendable {
    /// `purchase:<id>`, `renew:<id of the first transaction>:<period>`, …
    package var key: String
    /// approved, declined, cancelled, pending or authorized.
    package var outcome: String
    package var amount: Int64
    package var currency: String
    package var refunded: Int64 = 0
}
