/// The name of an error in HTTP, the bus, the CLI and the docs. The code is the contract, and messages may change.
///
/// A struct and not an enum, so that a client meets a newer service's code without failing to decode it.
public struct StoreErrorCode: Hashable, Sendable, Codable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// Spelled as on the wire, in camel case.
    public let name: String

    /// Creates a code. An unregistered name has status 500 and is not retryable.
    public init(_ name: String) { self.name = name }
    public init(stringLiteral value: String) { self.init(value) }

    /// Reads any text. An unknown code is accepted.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }

    public var description: String { name }

    /// The gateway's HTTP status for the code, unless the error itself names another.
    public var status: Int { Self.registry[self]?.status ?? 500 }

    /// Whether the same request, with the same key, may succeed when it is sent again.
    public var isRetryable: Bool { Self.registry[self]?.isRetryable ?? false }

    /// One sentence that says how to resolve the error.
    public var remedy: String { Self.registry[self]?.remedy ?? "See the message." }

    /// Every code of `docs/ERRORS.md`, in its order.
    public static var all: [StoreErrorCode] { order }

    /// 400: a member, parameter or header is missing, malformed or out of range.
    public static let requestInvalid: StoreErrorCode = "requestInvalid"
    /// 401: the bearer token is missing, unknown or expired.
    public static let unauthenticated: StoreErrorCode = "unauthenticated"
    /// 403: the token is valid, but its kind may not use the path.
    public static let forbidden: StoreErrorCode = "forbidden"
    /// 404: the path or thing does not exist, or belongs to another customer.
    public static let notFound: StoreErrorCode = "notFound"
    /// 405: the path exists without such a method.
    public static let methodNotAllowed: StoreErrorCode = "methodNotAllowed"
    /// 413: the body exceeds the limit that the message names.
    public static let bodyTooLarge: StoreErrorCode = "bodyTooLarge"
    /// 400: the `Idempotency-Key` is missing, or not 1…255 printable ASCII characters.
    public static let idempotencyKeyInvalid: StoreErrorCode = "idempotencyKeyInvalid"
    /// 409: a request with the same key is still running.
    public static let inFlight: StoreErrorCode = "inFlight"
    /// 422: the same key came with another request before.
    public static let keyReused: StoreErrorCode = "keyReused"
    /// 409: the transaction is purchasing or deferred.
    public static let transactionNotFinishable: StoreErrorCode = "transactionNotFinishable"
    /// The transaction is not in the state that the operation needs, deferred or interrupted.
    public static let transactionStateInvalid: StoreErrorCode = "transactionStateInvalid"
    /// The download cannot change from its state to the requested one.
    public static let downloadStateInvalid: StoreErrorCode = "downloadStateInvalid"
    /// 404: the app's catalogue has no such product.
    public static let productNotFound: StoreErrorCode = "productNotFound"
    /// 422: the product is not promoted, or hidden on the device.
    public static let productNotPromotable: StoreErrorCode = "productNotPromotable"
    /// 409: the intent already has another decision.
    public static let intentDecided: StoreErrorCode = "intentDecided"
    /// 422: the payment differs from the one the intent carries.
    public static let intentMismatch: StoreErrorCode = "intentMismatch"
    /// 409: the intent has expired, and its purchase must begin again.
    public static let intentExpired: StoreErrorCode = "intentExpired"
    /// 409: the offer code has been redeemed as often as it may be.
    public static let codeSpent: StoreErrorCode = "codeSpent"
    /// 409: the offer code's time is over, or the operator has deactivated it.
    public static let codeExpired: StoreErrorCode = "codeExpired"
    /// 409: the customer has redeemed a code of the same offer before.
    public static let codeRedeemed: StoreErrorCode = "codeRedeemed"
    /// 409: the offer of the code is not for this customer, or the product no longer has it.
    public static let codeIneligible: StoreErrorCode = "codeIneligible"
    /// 409: the app was never launched on the device.
    public static let appNeverLaunched: StoreErrorCode = "appNeverLaunched"
    /// 409: the app declares both ways to handle promoted purchases.
    public static let promotedPurchaseHandlerConflict: StoreErrorCode = "promotedPurchaseHandlerConflict"
    /// 409: the platform or version does not support promotions.
    public static let promotionUnsupported: StoreErrorCode = "promotionUnsupported"
    /// 409: the session names another storefront than the account's own.
    public static let storefrontMismatch: StoreErrorCode = "storefrontMismatch"
    /// 409: the bus injects no faults.
    public static let faultsDisabled: StoreErrorCode = "faultsDisabled"
    /// 422: the receipt is not one that this store has signed.
    public static let receiptInvalid: StoreErrorCode = "receiptInvalid"
    /// 422: a catalogue file or content breaks a rule. Nothing was imported.
    public static let catalogInvalid: StoreErrorCode = "catalogInvalid"
    /// 422: the purchase URL has a fault, named by ``PurchaseIntentURLFault``.
    public static let urlInvalid: StoreErrorCode = "urlInvalid"
    /// 429: a limit of requests or waiting purchases is reached.
    public static let rateLimited: StoreErrorCode = "rateLimited"
    /// 504: a service did not answer in time. Repeating the request is safe.
    public static let deadlineExceeded: StoreErrorCode = "deadlineExceeded"
    /// 504: the purchase may or may not have happened.
    public static let outcomeUnknown: StoreErrorCode = "outcomeUnknown"
    /// 503: a service is away or overloaded.
    public static let serviceUnavailable: StoreErrorCode = "serviceUnavailable"
    /// 501: this version does not support the request.
    public static let notImplemented: StoreErrorCode = "notImplemented"
    /// 500: a fault of Storebus, on which clients cannot act. The trace identifier finds the log.
    public static let `internal`: StoreErrorCode = "internal"

    private struct Entry {
        let status: Int
        let remedy: String
        let isRetryable: Bool

        init(_ status: Int, _ remedy: String, isRetryable: Bool = false) {
            self.status = status
            self.remedy = remedy
            self.isRetryable = isRetryable
        }
    }

    private static let entries: [(StoreErrorCode, Entry)] = [
        (.requestInvalid, Entry(400, "Correct the member the message names.")),
        (
            .unauthenticated,
            Entry(
                401,
                "Send a valid bearer token: an app's from POST /v1/sessions, a server's API key, or for /admin "
                    + "the admin key, admin.key in the data directory.")
        ),
        (.forbidden, Entry(403, "Use a token of the kind this path is for.")),
        (.notFound, Entry(404, "Check the path and the identifier.")),
        (.methodNotAllowed, Entry(405, "Use a method the Allow header names.")),
        (.bodyTooLarge, Entry(413, "Send less than the limit the message names.")),
        (.idempotencyKeyInvalid, Entry(400, "Send an Idempotency-Key of 1 to 255 printable ASCII characters.")),
        (.inFlight, Entry(409, "Send the same request with the same key again shortly.", isRetryable: true)),
        (.keyReused, Entry(422, "Use a new Idempotency-Key for another request.")),
        (.transactionNotFinishable, Entry(409, "Finish a transaction when it is purchased, failed or restored.")),
        (
            .transactionStateInvalid,
            Entry(409, "Approve or decline a deferred transaction, resolve an interrupted one.")
        ),
        (.downloadStateInvalid, Entry(409, "Look at the download's state; a cancelled one stays so.")),
        (.productNotFound, Entry(404, "Ask for a product of this app's catalogue.")),
        (
            .productNotPromotable,
            Entry(
                422, "Promote an approved product that has an image, and show it on the device if it is hidden there.")
        ),
        (.intentDecided, Entry(409, "The intent is already decided; start the purchase again.")),
        (.intentMismatch, Entry(422, "Add the payment the intent carries, unchanged.")),
        (.intentExpired, Entry(409, "Start the purchase in the store again.")),
        (.codeSpent, Entry(409, "Redeem another code, or make one with a higher limit.")),
        (.codeExpired, Entry(409, "Redeem a code that is active and not over.")),
        (.codeRedeemed, Entry(409, "Redeem a code of another offer, or clear the customer's history in a test.")),
        (.codeIneligible, Entry(409, "Ask for the offer's audiences, and redeem a code that the customer may have.")),
        (.appNeverLaunched, Entry(409, "Launch the app on the device once.")),
        (.promotedPurchaseHandlerConflict, Entry(409, "Handle promoted purchases one way only.")),
        (.promotionUnsupported, Entry(409, "Use a platform and version that supports promotions.")),
        (.storefrontMismatch, Entry(409, "Leave out `storefront`, or name the account's own.")),
        (.faultsDisabled, Entry(409, "Start the store with its fault injector: STOREBUS_CHAOS=1 storebus up.")),
        (.receiptInvalid, Entry(422, "Send a receipt this store has signed.")),
        (.catalogInvalid, Entry(422, "Correct the places the message names; nothing was imported.")),
        (.urlInvalid, Entry(422, "Correct the part of the URL the message names.")),
        (.rateLimited, Entry(429, "Wait for the time Retry-After names.", isRetryable: true)),
        (.deadlineExceeded, Entry(504, "Try again: it is safe to send twice.", isRetryable: true)),
        (
            .outcomeUnknown,
            Entry(504, "Send the same request with the same key again: it cannot be charged twice.", isRetryable: true)
        ),
        (.serviceUnavailable, Entry(503, "Try again shortly; /readyz says which service is away.", isRetryable: true)),
        (
            .notImplemented,
            Entry(501, "This version does not do that; where there is another way, the message names it.")
        ),
        (.internal, Entry(500, "This is a fault of Storebus; report it with the trace identifier.")),
    ]
    private static let order = entries.map(\.0)
    private static let registry = Dictionary(uniqueKeysWithValues: entries)
}
