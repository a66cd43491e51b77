import Persistence

/// The database's schema, migration by migration. Types and statements are those SQLite and PostgreSQL share; instants
/// are milliseconds since 1970.
enum PromotionSchema {
    static let migrations: [Migration] = [
        .devices,
        .intents,
        .eventOrder,
        .appPurchases,
        .purchaseStarts,
    ]
}
