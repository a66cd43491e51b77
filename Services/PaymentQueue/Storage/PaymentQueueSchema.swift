import Persistence

/// The database's schema, migration by migration. Types and statements are those SQLite and PostgreSQL share; instants
/// are milliseconds since 1970, money is minor units.
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
    ]
}
