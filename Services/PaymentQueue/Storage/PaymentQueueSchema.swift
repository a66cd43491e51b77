import Persistence

/// Lists the migrations of the database's schema.
///
/// Types and statements are those SQLite and PostgreSQL share. Instants are milliseconds since 1970, money is minor
/// units.
enum PaymentQueueSchema {
    static let migrations: [Migration] = [
        .accounts,
        .testers,
        .waitingIndex,
        .restores,
        .eventOrder,
        .claims,
        .subscriptions,
        .revocations,
        .renewalsByApp,
        .usedIntents,
        .testersVersion,
        .productGroups,
        .promptPurposes,
        .launches,
        .chargeKeys,
        .historyOrder,
        .waitingPurchases,
        .serverAPI,
        .serverEvents,
        .serverWrites,
        .isolatedCounters,
        .captures,
        .lastEvents,
        .removedEvents,
        .refundOrder,
        .testerScopes,
    ]
}
