import Persistence
import ServiceDatabase

/// The schema of PromotionController's database.
///
/// `docs/schema/promotion-controller.sql` shows the tables of both engines.
///
/// - Instants are milliseconds since 1970.
/// - `device.scope` is the empty text for the installation's, or the isolated store's app.
/// - An app may be installed and not launched yet.
/// - `intent_head` outlives the installation, as intents do.
/// - `purchase_intent.addition` is the payment handed to PaymentQueue, and stays so that it can be handed over again.
/// - `purchase_start` has the intent that each start has led to, including one that existed already.
/// - `intent_event` rows are removed in their order, which is the order of their ages.
enum PromotionSchema {
    static let migrations = [
        Migration(number: 1, name: "0.1.0") { sql in
            """
            \(AppRows.table)
            CREATE TABLE app_clock (
                bundle_id TEXT PRIMARY KEY,
                epoch BIGINT NOT NULL,
                anchor_wall BIGINT NOT NULL,
                anchor_business BIGINT NOT NULL,
                rate_millionths BIGINT NOT NULL,
                is_frozen INTEGER NOT NULL
            );

            CREATE TABLE device (
                scope TEXT NOT NULL,
                device_id TEXT NOT NULL,
                platform TEXT NOT NULL,
                os_version TEXT NOT NULL,
                seen_at BIGINT NOT NULL,
                PRIMARY KEY (scope, device_id)
            );
            CREATE TABLE installation (
                bundle_id TEXT NOT NULL,
                scope TEXT NOT NULL,
                device_id TEXT NOT NULL,
                version TEXT NOT NULL,
                promoted_purchases TEXT,
                launched_version TEXT,
                launched_at BIGINT,
                overrides TEXT,
                PRIMARY KEY (bundle_id, device_id),
                FOREIGN KEY (scope, device_id) REFERENCES device (scope, device_id),
                CHECK ((launched_at IS NULL) = (launched_version IS NULL))
            );
            CREATE INDEX installation_device ON installation (scope, device_id, bundle_id);
            CREATE TABLE app_prompt (
                id TEXT PRIMARY KEY,
                bundle_id TEXT NOT NULL,
                scope TEXT NOT NULL,
                device_id TEXT NOT NULL,
                customer_identifier TEXT NOT NULL,
                account TEXT NOT NULL,
                version TEXT NOT NULL,
                product_identifier TEXT,
                app_price TEXT,
                created_at BIGINT NOT NULL,
                FOREIGN KEY (scope, device_id) REFERENCES device (scope, device_id),
                UNIQUE (bundle_id, device_id, customer_identifier)
            );

            CREATE TABLE intent_head (
                bundle_id TEXT NOT NULL,
                device_id TEXT NOT NULL,
                seq BIGINT NOT NULL,
                PRIMARY KEY (bundle_id, device_id)
            );
            CREATE TABLE purchase_intent (
                intent_identifier TEXT PRIMARY KEY,
                bundle_id TEXT NOT NULL,
                device_id TEXT NOT NULL,
                customer_identifier TEXT NOT NULL,
                account TEXT NOT NULL,
                product_identifier TEXT NOT NULL,
                source TEXT NOT NULL,
                payment TEXT NOT NULL,
                product TEXT NOT NULL,
                offer TEXT,
                supported_since TEXT,
                prompt_id TEXT,
                state TEXT NOT NULL
                    CHECK \(sql.oneOf("state", "pending", "deferred", "continued", "cancelled", "expired")),
                answer_by BIGINT,
                expires_at BIGINT NOT NULL,
                deferred_by TEXT,
                feedback TEXT,
                addition TEXT,
                is_added INTEGER NOT NULL DEFAULT 0,
                transaction_id TEXT,
                revision BIGINT NOT NULL,
                started_at BIGINT NOT NULL,
                CHECK (state <> 'continued' OR addition IS NOT NULL),
                CHECK (is_added = 0 OR state = 'continued')
            );
            CREATE INDEX purchase_intent_installation ON purchase_intent (device_id, bundle_id, intent_identifier);
            CREATE INDEX purchase_intent_open ON purchase_intent (device_id, bundle_id, intent_identifier)
                WHERE state IN ('pending', 'deferred');
            CREATE INDEX purchase_intent_expiring ON purchase_intent (bundle_id, expires_at)
                WHERE state IN ('pending', 'deferred');
            CREATE INDEX purchase_intent_unanswered ON purchase_intent (answer_by) WHERE state = 'pending';
            CREATE INDEX purchase_intent_unadded ON purchase_intent (intent_identifier)
                WHERE state = 'continued' AND is_added = 0;
            CREATE INDEX purchase_intent_account ON purchase_intent (account, intent_identifier);
            CREATE INDEX purchase_intent_age ON purchase_intent (started_at);
            CREATE TABLE purchase_start (
                device_id TEXT NOT NULL,
                bundle_id TEXT NOT NULL,
                request_identifier TEXT NOT NULL,
                intent_identifier TEXT NOT NULL,
                started_at BIGINT NOT NULL,
                PRIMARY KEY (device_id, bundle_id, request_identifier)
            );
            CREATE INDEX purchase_start_age ON purchase_start (started_at);

            CREATE TABLE intent_event (
                position INTEGER PRIMARY KEY,
                xact BIGINT NOT NULL DEFAULT 0,
                kind TEXT NOT NULL,
                bundle_id TEXT NOT NULL,
                account TEXT NOT NULL,
                body TEXT NOT NULL,
                happened_at BIGINT NOT NULL,
                written_at BIGINT NOT NULL
            );
            \(sql.words(postgres: "CREATE INDEX intent_event_xact ON intent_event (xact, position);"))
            """
        }
    ]
}
