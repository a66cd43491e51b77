#if PLANTED_BUGS
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// A mistake that a process makes on purpose, so that `storebus chaos run` shows that it finds it.
    ///
    /// Debug builds only: the word `PLANTED_BUGS` is defined in no other, so a release contains neither a bug nor its
    /// name (ADR 0038). Without the environment variable a debug build makes none of them.
    package enum PlantedBug: String, CaseIterable, Sendable {
        /// The payment queue's database answers before its commit is made, and pauses between the two as a slow disk does.
        case acknowledgeBeforeCommit = "acknowledge-before-commit"
        /// A payment is stored without its idempotency key.
        case noDeduplication = "no-deduplication"
        /// The idempotency key is looked up before the commit that stores it, in a table without a unique key.
        case checkThenInsert = "check-then-insert"
        /// A finish is answered and journalled, and the transaction's row stays as it was.
        case finishNotPersisted = "finish-not-persisted"
        /// The journal has no row of a purchase that failed.
        case journalRowMissing = "journal-row-missing"
        /// A stream goes on behind a number that it has not received.
        case gapInSeq = "gap-in-seq"
        /// A stream forwards a hint about another customer.
        case strangersEvent = "strangers-event"
        /// A second writer renews the period that the first one has renewed.
        case renewalWithoutUniqueRow = "renewal-without-unique-row"
        /// A purchase does not see that another one has reserved the introductory offer.
        case offerClaimedTwice = "offer-claimed-twice"
        /// Each request to continue an intent adds a payment under a key of its own.
        case intentPaidTwice = "intent-paid-twice"
        /// Eligibility remembers for seconds what a customer has had.
        case cachedEligibility = "cached-eligibility"
        /// The second request to charge a purchase has another key than the first.
        case chargeUnderNewKey = "charge-under-new-key"
        /// Each event gives its first notification twice, under two UUIDs.
        case notificationMadeTwice = "notification-made-twice"
        /// The payment queue gives numbers of removed rows of its logs again, and the notifier waits instead of recovering.
        case positionsReused = "positions-reused"
        /// An operator's transaction is looked up in every isolated store.
        case scopeDropped = "scope-dropped"
        /// A request has a place in the gateway as soon as its head is there.
        case halvesHoldPlaces = "halves-hold-places"
        /// The Server API does not say that a transaction was taken back.
        case revocationLeftOut = "revocation-left-out"

        /// The variable that names the bug of a process.
        package static let variable = "STOREBUS_PLANTED_BUG"

        /// The text of the variable; nil without one.
        package static let chosen = getenv(variable).map { String(cString: $0) }

        /// The bug this process has; nil for none, and for a name that is unknown.
        package static let active = chosen.flatMap(PlantedBug.init(rawValue:))
    }
#endif
