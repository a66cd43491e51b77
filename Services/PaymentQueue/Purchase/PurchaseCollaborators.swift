import BusClient
import BusService
import Cryptography
import EventLoop
import ServiceDatabase
import StoreModels

/// The functions of other services that the payment queue calls. Purchases do not depend on the bus.
///
/// Deadlines are instants of the monotonic clock. A function without a reply by then throws.
struct PurchaseCollaborators: Sendable {
    /// Subscribes to the processor's callbacks, and returns a function that unsubscribes.
    typealias ChargeChanges =
        @Sendable (@escaping @Sendable (ChargeChanged) -> Void) async -> @Sendable () async -> Void

    /// Quotes one product at Catalog.
    /// - Throws: `serviceUnavailable` without a reply, `deadlineExceeded`.
    var quote: @Sendable (QuoteRequest, ContinuousClock.Instant) async throws(StoreError) -> Quote
    /// Creates a charge, idempotent by key, and returns its outcome.
    /// - Throws: For any call without a reply. Then the outcome is unknown.
    var charge: @Sendable (CreateChargeRequest, ContinuousClock.Instant) async throws(StoreError) -> Charge
    /// Authorizes or makes charges, each for itself and idempotent by key. A reply that is `pending` leaves no trace.
    /// - Throws: For any call without a reply. Then the outcome of each is unknown.
    var authorize:
        @Sendable (AuthorizeChargesRequest, ContinuousClock.Instant) async throws(StoreError) -> AuthorizeChargesReply
    /// Captures authorized charges, idempotent by key.
    /// - Throws: For any call without a reply. Then any of them may be captured.
    var capture:
        @Sendable (CaptureChargesRequest, ContinuousClock.Instant) async throws(StoreError) -> CaptureChargesReply
    /// Cancels a charge, and returns the key's charge. It is cancelled unless it was charged before.
    /// - Throws: For any call without a reply. Then it may still be charged.
    var cancelCharge: @Sendable (CancelChargeRequest, ContinuousClock.Instant) async throws(StoreError) -> Charge
    /// Refunds a part of a charge, idempotent by key.
    /// - Throws: `requestInvalid` when the processor's ledger does not allow it. Any other error is a missing reply,
    ///   and the caller asks again.
    var refund: @Sendable (CreateRefundRequest, ContinuousClock.Instant) async throws(StoreError) -> Refund
    /// Takes a refund back, idempotent by key.
    /// - Throws: As `refund`.
    var reverseRefund: @Sendable (ReverseRefundRequest, ContinuousClock.Instant) async throws(StoreError) -> Refund
    /// Copies the charges and refunds of an isolated store.
    /// - Throws: For any call without a reply.
    var copyLedger: @Sendable (CopyAppRequest, ContinuousClock.Instant) async throws(StoreError) -> Empty
    /// Notifies other services of a committed change, at most once.
    var publish: @Sendable (PublishedChange) -> Void
    /// Reads an app from Catalog.
    var app: @Sendable (AppRequest, ContinuousClock.Instant) async throws(StoreError) -> App
    /// Reads all storefronts from Catalog.
    var storefronts: @Sendable (ContinuousClock.Instant) async throws(StoreError) -> [Storefront]
    /// Subscribes to callbacks. One of this service's replicas gets each.
    var chargeChanges: ChargeChanges = { _ in {} }
    /// The versions of Catalog's apps, on leases. Nil where each quote is requested.
    var appVersions: VersionLeases<AppVersion>?
    /// Recalls another service's lease on the version of the testers' settings.
    var recallLease: LeaseIssuer.Send = { _, _, _ in false }
}

extension PurchaseCollaborators {
    /// Charges once per key.
    /// - Throws: For any call without a reply. Then the outcome is unknown.
    func reply(
        to request: CreateChargeRequest, until deadline: ContinuousClock.Instant
    ) async throws(StoreError) -> ChargeReply {
        do {
            return ChargeReply(try await charge(request, deadline), expected: request.amount)
        } catch {
            guard error.code == .requestInvalid, error.details["conflict"] == .string("amount") else { throw error }
            // The processor has another amount under this key; a retry gets the same reply.
            return .mismatch(charged: nil)
        }
    }

    /// Calls the other services over the bus without retries. The sweep and the caller nearest the client retry.
    static func onBus(_ bus: any BusClient) -> PurchaseCollaborators {
        let caller = ServiceCaller(bus: bus, caller: ServiceName.paymentQueue.rawValue)
        let storefronts = caller.function(CatalogEndpoints.listStorefronts)
        let lease = caller.function(CatalogEndpoints.leaseApp)
        let hints = ServerEventHintRate()
        return PurchaseCollaborators(
            quote: caller.function(CatalogEndpoints.quoteProduct),
            charge: caller.function(ProcessorEndpoints.createCharge),
            authorize: caller.function(ProcessorEndpoints.authorizeCharges),
            capture: caller.function(ProcessorEndpoints.captureCharges),
            cancelCharge: caller.function(ProcessorEndpoints.cancelCharge),
            refund: caller.function(ProcessorEndpoints.createRefund),
            reverseRefund: caller.function(ProcessorEndpoints.reverseRefund),
            copyLedger: caller.function(ProcessorEndpoints.copyApp),
            publish: { change in
                let key = CustomerKey.of(
                    bundleId: change.bundleId, customerIdentifier: change.customerIdentifier)
                caller.publish(event: PaymentEvents.customerChanged(key: key), change)
                if hints.isDue(at: .now) { caller.publish(event: ServerEventHints.subject, Empty()) }
            },
            app: caller.function(CatalogEndpoints.getApp),
            storefronts: { deadline throws(StoreError) in
                try await storefronts(Empty(), deadline).storefronts
            },
            chargeChanges: { handler in
                let subscription = try? await bus.subscribe(
                    ProcessorEvents.chargeChanged, queue: BusServiceLimits.queueGroup
                ) { message in
                    guard let changed = try? StoreJSON.decode(ChargeChanged.self, from: message.body) else { return }
                    handler(changed)
                }
                return { await subscription?.unsubscribe() }
            },
            appVersions: VersionLeases(of: .catalog, on: bus) { (app, holder, deadline) async throws(StoreError) in
                try await lease(AppLeaseRequest(bundleId: app.text, holder: holder), deadline)
            },
            recallLease: { holder, recalled, timeout in
                await bus.recallLease(of: holder, by: .paymentQueue, recalled, timeout: timeout)
            })
    }
}

/// Limits the hints about new server events, because a renewal of many subscriptions sends many.
final class ServerEventHintRate: Sendable {
    /// Minimum time between two hints. AppStoreServer reads once more after it.
    static let pause: Duration = .milliseconds(20)

    private let last = Locked<ContinuousClock.Instant?>(nil)

    /// Returns whether a hint is sent now, and counts it.
    func isDue(at now: ContinuousClock.Instant) -> Bool {
        last.withLock { last in
            if let last, now - last < Self.pause { return false }
            last = now
            return true
        }
    }
}

/// Makes the last token of a customer's notification subject. A hash keeps server-made text out of subjects.
enum CustomerKey {
    /// Returns 32 hexadecimal digits of SHA-256(bundleId NUL customerIdentifier).
    static func of(bundleId: String, customerIdentifier: String) -> String {
        Hex.text(SHA256.hash(data: "\(bundleId)\0\(customerIdentifier)".utf8).prefix(16))
    }
}
