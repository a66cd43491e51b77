import PlantedBugs
import StoreModels

/// Decides the next output of one stream (ADR 0005). It sends all unfinished transactions first, then every change in
/// order, once.
///
/// A pure state machine: its input is replies of PaymentQueue and hints, its output events and ``need``, the next read.
/// A hint is a change that PaymentQueue publishes on the bus, where it may be lost.
///
/// The hint right after ``position`` is forwarded. Any other hint shows that a change was missed, which is then read
/// from the journal. A lost hint is detected with the next head, the customer's last `seq`.
struct DeliveryMachine {
    /// An event sent to the observer.
    enum Event: Equatable {
        case updated(seq: Int64, [PaymentTransaction])
        case removed(seq: Int64, [PaymentTransaction])
        case restoreEnded(seq: Int64, Restore)
        case downloadsUpdated(seq: Int64, [Download])
        /// The revocation has its own `seq`, that of its change. It may be smaller than the event's.
        case entitlementsRevoked(seq: Int64, Revocation)
        case priceConsentPending(seq: Int64, PriceConsentQuestion)
        case synchronized(seq: Int64)
        case storefrontChanged(seq: Int64, Storefront)
        /// A change of a transaction or its subscription, to be sent in signed form.
        case changed(LiveChange)
    }

    /// The read required before anything else can be sent.
    enum Need: Equatable {
        case nothing
        /// A page of the unfinished transactions. With `countsDelivery` it belongs to a launch or resume, not to a
        /// later repetition (M51).
        case snapshot(after: String?, countsDelivery: Bool)
        case changes(after: Int64)
        /// The pending purchase intents. The opening continues with ``intentsWereTold()``.
        case intents
    }

    private enum Phase {
        /// Snapshot pages are being read. `cursor` is nil before the first.
        case opening(cursor: String?)
        /// All pages were read. The intents come before the ends of restores and the rest.
        case closing
        case live
    }

    /// Maximum number of hints kept during a read. Further ones are dropped: the journal has them.
    static let heldMax = 256
    /// Maximum number of restores remembered as sent. At the bound all are dropped, so an end may be sent twice.
    static let endedRestoresMax = 256
    /// Maximum number of revocations remembered as sent, with the same effect.
    static let toldRevocationsMax = 256

    private let customer: CustomerReference
    private let deviceId: String
    private let tellsIntents: Bool
    private let tellsChanges: Bool
    private var phase = Phase.opening(cursor: nil)
    /// The `seq` of the last change this stream has processed.
    private(set) var position: Int64 = 0
    /// The largest `seq` known to exist.
    private var target: Int64 = 0
    private var held: [Int64: CustomerChange] = [:]
    /// The restores whose end is sent at the end of the opening.
    private var restores: [Restore] = []
    private var revocations: [Revocation] = []
    /// Revisions from later snapshot pages that precede their changes, kept until `newerUntil` is reached.
    private var newer: [ExactText: Int] = [:]
    private var newerUntil: Int64 = 0
    /// Restores whose end this stream has sent. Each is sent once, whether in a snapshot or live (R2).
    private var endedRestores: Set<ExactText> = []
    /// Revocations this stream has sent, by their `seq`. Each is sent once, in a snapshot or live.
    private var toldRevocations: Set<Int64> = []
    /// The price consents to send at the end of the opening.
    private var consents: [PriceConsentQuestion] = []
    private var hasSynchronized = false
    /// Whether a read failed. Nothing is read until the next head or hint.
    private var isResting = false

    /// The storefront last sent to the observer, ISO 3166-1 alpha-3.
    private(set) var storefront: String

    /// - Parameters:
    ///   - tellsIntents: Whether the opening includes the intents, between the transactions and the rest.
    ///   - tellsChanges: Whether each live change is an ``Event/changed(_:)``, too.
    init(
        customer: CustomerReference, deviceId: String, storefront: String, tellsIntents: Bool = false,
        tellsChanges: Bool = false
    ) {
        self.customer = customer
        self.deviceId = deviceId
        self.tellsIntents = tellsIntents
        self.tellsChanges = tellsChanges
        self.storefront = storefront
    }

    var need: Need {
        if isResting { return .nothing }
        switch phase {
        case .opening(let cursor): return .snapshot(after: cursor, countsDelivery: !hasSynchronized)
        case .closing: return .intents
        case .live: return target > position ? .changes(after: position) : .nothing
        }
    }

    /// Processes a page of the snapshot. The first page is sent even when empty, so the observer gets an event
    /// immediately.
    mutating func receive(_ page: Snapshot) -> [Event] {
        guard case .opening(let cursor) = phase else { return [] }
        let isFirst = cursor == nil
        if isFirst {
            begin(at: page.seq)
            consents = page.priceConsents ?? []
        }
        if page.seq > position { remember(page) }
        restores += page.restores
        revocations += page.revocations
        var events: [Event] = []
        let visible = page.transactions.filter { $0.isVisible(to: deviceId) }
        if isFirst || !visible.isEmpty { events.append(.updated(seq: position, visible)) }
        if let after = page.after {
            phase = .opening(cursor: after)
        } else if tellsIntents, !hasSynchronized {
            phase = .closing
        } else {
            events += close()
        }
        return events
    }

    /// Continues the opening after the pending intents were queued, or could not be read.
    mutating func intentsWereTold() -> [Event] {
        guard case .closing = phase else { return [] }
        return close()
    }

    private mutating func close() -> [Event] {
        phase = .live
        hasSynchronized = true
        var events = revocations.flatMap { revoke($0, at: position) }
        events += restores.flatMap { end($0, at: position) }
        events += consents.map { .priceConsentPending(seq: position, $0) }
        consents.removeAll()
        events.append(.synchronized(seq: position))
        return events + advance()
    }

    /// Processes a hint from the bus. Hints for other customers are ignored: the key is a digest, and digests may
    /// collide.
    mutating func receive(hint change: CustomerChange) -> [Event] {
        if PlantedBug.isActive(.strangersEvent), !change.customerIdentifier.isExactly(customer.customerIdentifier) {
            return change.transaction.map { [.updated(seq: position, [$0])] } ?? []
        }
        guard change.bundleId.isExactly(customer.bundleId),
            change.customerIdentifier.isExactly(customer.customerIdentifier),
            change.seq > position
        else { return [] }
        isResting = false
        target = max(target, change.seq)
        if held.count < Self.heldMax { held[change.seq] = change }
        guard case .live = phase else { return [] }
        return advance()
    }

    /// Processes changes read from the journal.
    mutating func receive(_ reply: ChangesReply) -> [Event] {
        guard case .live = phase else { return [] }
        let before = position
        var events: [Event] = []
        for change in reply.changes where change.seq == position + 1 { events += forward(change) }
        events += advance()
        let isStuck = position == before && reply.head > position
        if reply.snapshotRequired || isStuck {
            restart()
        } else if position == before {
            // The journal has no later change, so the hints are discarded.
            held.removeAll()
            target = position
        } else {
            target = max(reply.head, held.keys.max() ?? 0)
        }
        return events
    }

    /// Processes the customer's last `seq`.
    /// - Parameter asked: ``position`` when the head was requested. A smaller head means that the journal began anew.
    mutating func receive(head: Int64, askedAt asked: Int64) {
        isResting = false
        guard case .live = phase else { return }
        guard head < asked else {
            target = max(target, head)
            return
        }
        // A new journal counts from 1 again, so the `seq` values of the old one mean nothing in it.
        toldRevocations.removeAll()
        restart()
    }

    /// Processes the customer's current storefront. A change is sent once and never before `synchronized`. The hub
    /// repeats the storefront each second.
    mutating func receive(_ storefront: Storefront) -> [Event] {
        guard case .live = phase, storefront.countryCode != self.storefront else { return [] }
        self.storefront = storefront.countryCode
        return [.storefrontChanged(seq: position, storefront)]
    }

    /// Processes the failure of the read that ``need`` required.
    /// - Returns: Whether the stream is over, because its customer was deleted.
    mutating func readFailed(_ code: StoreErrorCode) -> Bool {
        isResting = true
        guard code == .notFound else { return false }
        // A later page fails when its cursor's transaction was deleted meanwhile; the first page has no cursor.
        guard case .opening(.some) = phase else { return true }
        restart()
        return false
    }

    private mutating func begin(at seq: Int64) {
        position = seq
        held = held.filter { $0.key > seq }
        target = max(seq, held.keys.max() ?? 0)
        newer.removeAll()
        newerUntil = 0
        restores.removeAll()
        revocations.removeAll()
    }

    /// Remembers a page that is newer than the first. Its changes still arrive, and must not return the observer to an
    /// earlier state.
    private mutating func remember(_ page: Snapshot) {
        for transaction in page.transactions { newer[transaction.id] = transaction.revision }
        newerUntil = max(newerUntil, page.seq)
    }

    private mutating func restart() {
        phase = .opening(cursor: nil)
    }

    /// Reads everything again. The observer then gets `synchronized` once more.
    mutating func resynchronize() {
        guard case .live = phase else { return }
        restart()
    }

    /// Forwards the hints that follow ``position``.
    private mutating func advance() -> [Event] {
        var events: [Event] = []
        if PlantedBug.isActive(.gapInSeq), let next = held.keys.min(), next > position { position = next - 1 }
        while let next = held.removeValue(forKey: position + 1) { events += forward(next) }
        if held.keys.contains(where: { $0 <= position }) { held = held.filter { $0.key > position } }
        return events
    }

    private mutating func forward(_ change: CustomerChange) -> [Event] {
        position = change.seq
        target = max(target, position)
        defer { if position >= newerUntil { newer.removeAll() } }
        let live = tellsChanges ? LiveChange(change, for: deviceId).map { [Event.changed($0)] } : nil
        guard change.isVisible(to: deviceId) else { return live ?? [] }
        return events(of: change) + (live ?? [])
    }

    private mutating func events(of change: CustomerChange) -> [Event] {
        switch change.kind {
        case .removed: return (change.transaction.map { [.removed(seq: change.seq, [$0])] }) ?? []
        case .updated: return (change.transaction.map { update($0, at: change.seq) }) ?? []
        case .restoreEnded: return (change.restore.map { end($0, at: change.seq) }) ?? []
        case .downloadsUpdated: return (change.downloads.map { [.downloadsUpdated(seq: change.seq, $0)] }) ?? []
        case .entitlementsRevoked:
            let lost = change.productIdentifiers ?? []
            return revoke(Revocation(seq: change.seq, productIdentifiers: lost), at: change.seq)
        case .subscriptionChanged:
            return change.transaction.flatMap(PriceConsentQuestion.init).map {
                [.priceConsentPending(seq: change.seq, $0)]
            } ?? []
        }
    }

    private func update(_ transaction: PaymentTransaction, at seq: Int64) -> [Event] {
        if let sent = newer[transaction.id], transaction.revision <= sent { return [] }
        return [.updated(seq: seq, [transaction])]
    }

    private mutating func end(_ restore: Restore, at seq: Int64) -> [Event] {
        if endedRestores.count >= Self.endedRestoresMax { endedRestores.removeAll() }
        guard endedRestores.insert(restore.restoreIdentifier).inserted else { return [] }
        return [.restoreEnded(seq: seq, restore)]
    }

    private mutating func revoke(_ revocation: Revocation, at seq: Int64) -> [Event] {
        if toldRevocations.count >= Self.toldRevocationsMax { toldRevocations.removeAll() }
        guard toldRevocations.insert(revocation.seq).inserted else { return [] }
        return [.entitlementsRevoked(seq: seq, revocation)]
    }
}
