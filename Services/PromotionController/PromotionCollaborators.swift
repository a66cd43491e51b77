import BusService
import Cryptography
import StoreModels

/// The functions of other services that this service calls.
struct PromotionCollaborators: Sendable {
    /// Reads an app's business clock from PaymentQueue.
    var clock: AppTimes.Fetch
    /// Adds a payment to PaymentQueue's queue. The same key is the same payment.
    var addPayment: @Sendable (AddPaymentRequest, ContinuousClock.Instant) async throws(StoreError) -> AddPaymentReply
    /// Notifies other services that an installation's intents have changed, at most once.
    var publish: @Sendable (IntentsChanged) -> Void

    /// Calls the services over the bus without retries. The sweep and the caller nearest the client retry.
    static func onBus(_ caller: ServiceCaller) -> PromotionCollaborators {
        PromotionCollaborators(
            clock: caller.function(SubscriptionEndpoints.getClock),
            addPayment: caller.function(PaymentEndpoints.addPayment),
            publish: { changed in
                let installation = InstallationReference(bundleId: changed.bundleId, deviceId: changed.deviceId)
                let key = InstallationKey.of(installation)
                caller.publish(event: PromotionEvents.intentsChanged(key: key), changed)
            })
    }
}

/// Makes the last token of an installation's notification subject. A hash keeps device names out of subjects.
enum InstallationKey {
    /// Returns 32 hexadecimal digits of SHA-256(bundleId NUL deviceId).
    static func of(_ installation: InstallationReference) -> String {
        Hex.text(SHA256.hash(data: "\(installation.bundleId)\0\(installation.deviceId)".utf8).prefix(16))
    }
}

/// A point between two steps of a decision where a process may crash.
///
/// It has no effect in production. Tests stop the service at each point and check how the next process continues.
enum DecisionCheckpoint: String, CaseIterable, Sendable {
    /// The intent is written and not committed.
    case insideStartCommit
    case afterStartCommit
    /// The decision is written and not committed.
    case insideDecisionCommit
    /// The decision is committed, and PaymentQueue does not have the payment.
    case afterDecisionCommit
    /// PaymentQueue has replied, and its reply is not recorded.
    case afterAddition
    case insideAdditionCommit
    case afterAdditionCommit
}

/// Runs at a checkpoint. Throwing ends the step there, as a crash would.
typealias DecisionCheckpointHook = @Sendable (DecisionCheckpoint) throws -> Void
