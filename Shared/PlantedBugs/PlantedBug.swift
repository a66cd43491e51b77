#if PLANTED_BUGS
    import Glibc
#endif

/// A mistake that a process makes on purpose, so that `storebus chaos run` shows that it finds it.
///
/// Debug builds only. A release does not define `PLANTED_BUGS`, so ``isActive(_:)`` is the constant false there, and
/// the compiler removes each bug's code and name (ADR 0038). The type is public because the compiler inlines other
/// modules' functions only if they are.
public struct PlantedBug: Sendable {
    #if PLANTED_BUGS
        @usableFromInline let name: StaticString
    #endif

    @inlinable
    init(_ name: StaticString) {
        #if PLANTED_BUGS
            self.name = name
        #endif
    }

    /// The payment queue's database answers before its commit is made, and pauses between the two as a slow disk does.
    @inlinable public static var acknowledgeBeforeCommit: PlantedBug { PlantedBug("acknowledge-before-commit") }

    /// A payment is stored without its idempotency key.
    @inlinable public static var noDeduplication: PlantedBug { PlantedBug("no-deduplication") }

    /// The idempotency key is looked up before the commit that stores it, in a table without a unique key.
    @inlinable public static var checkThenInsert: PlantedBug { PlantedBug("check-then-insert") }

    /// A finish is answered and journalled, and the transaction's row stays as it was.
    @inlinable public static var finishNotPersisted: PlantedBug { PlantedBug("finish-not-persisted") }

    /// The journal has no row of a purchase that failed.
    @inlinable public static var journalRowMissing: PlantedBug { PlantedBug("journal-row-missing") }

    /// A stream goes on behind a number that it has not received.
    @inlinable public static var gapInSeq: PlantedBug { PlantedBug("gap-in-seq") }

    /// A stream forwards a hint about another customer.
    @inlinable public static var strangersEvent: PlantedBug { PlantedBug("strangers-event") }

    /// A second writer renews the period that the first one has renewed.
    @inlinable public static var renewalWithoutUniqueRow: PlantedBug { PlantedBug("renewal-without-unique-row") }

    /// A purchase does not see that another one has claimed the introductory offer.
    @inlinable public static var offerClaimedTwice: PlantedBug { PlantedBug("offer-claimed-twice") }

    /// Each request to continue an intent adds a payment under a key of its own.
    @inlinable public static var intentPaidTwice: PlantedBug { PlantedBug("intent-paid-twice") }

    /// Eligibility remembers for seconds what a customer has had.
    @inlinable public static var cachedEligibility: PlantedBug { PlantedBug("cached-eligibility") }

    /// The second request to charge a purchase has another key than the first.
    @inlinable public static var chargeUnderNewKey: PlantedBug { PlantedBug("charge-under-new-key") }

    /// Each event gives its first notification twice, under two UUIDs.
    @inlinable public static var notificationMadeTwice: PlantedBug { PlantedBug("notification-made-twice") }

    /// The payment queue gives numbers of removed rows of its logs again, and AppStoreServer waits instead of recovering.
    @inlinable public static var positionsReused: PlantedBug { PlantedBug("positions-reused") }

    /// An operator's transaction is looked up in every isolated store.
    @inlinable public static var scopeDropped: PlantedBug { PlantedBug("scope-dropped") }

    /// The settings of a subscription's customer are found by the account's name alone.
    @inlinable public static var settingsOfEveryStore: PlantedBug { PlantedBug("settings-of-every-store") }

    /// A request has a place in the gateway as soon as its head is there.
    @inlinable public static var halvesHoldPermits: PlantedBug { PlantedBug("halves-hold-places") }

    /// The Server API does not say that a transaction was taken back.
    @inlinable public static var revocationLeftOut: PlantedBug { PlantedBug("revocation-left-out") }
}

extension PlantedBug {
    /// Tells whether this process makes the mistake.
    @inlinable
    public static func isActive(_ bug: PlantedBug) -> Bool {
        #if PLANTED_BUGS
            return named.map { $0 == bug.name.description } ?? false
        #else
            return false
        #endif
    }

    /// The name of the bug that this process is to have, or nil for none.
    @inlinable public static var chosen: String? {
        #if PLANTED_BUGS
            return named
        #else
            return nil
        #endif
    }

    /// Says why no process starts with a name.
    /// - Returns: Nil for the name of a bug.
    @inlinable
    public static func refusal(of name: String) -> String? {
        #if PLANTED_BUGS
            return all.contains { $0.name.description == name } ? nil : unknown(name)
        #else
            return nil
        #endif
    }
}

#if PLANTED_BUGS
    extension PlantedBug {
        private static let variable = "STOREBUS_PLANTED_BUG"

        /// The text of the environment variable, or nil without one.
        @usableFromInline static let named = getenv(variable).map { String(cString: $0) }

        @usableFromInline static let all: [PlantedBug] = [
            .acknowledgeBeforeCommit, .noDeduplication, .checkThenInsert, .finishNotPersisted, .journalRowMissing,
            .gapInSeq, .strangersEvent, .renewalWithoutUniqueRow, .offerClaimedTwice, .intentPaidTwice,
            .cachedEligibility, .chargeUnderNewKey, .notificationMadeTwice, .positionsReused, .scopeDropped,
            .halvesHoldPermits, .revocationLeftOut, .settingsOfEveryStore,
        ]

        @usableFromInline
        static func unknown(_ name: String) -> String {
            "\(variable): there is no bug '\(name)'; they are \(all.map(\.name.description).joined(separator: ", "))"
        }
    }
#endif
