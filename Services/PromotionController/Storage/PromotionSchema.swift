import Persistence

/// Migrations of the database. Types and statements are common to SQLite and PostgreSQL; instants are milliseconds
/// since 1970.
enum PromotionSchema {
    static let migrations = [
        Migration(number: 1, name: "devices and installations", sql: first),
        Migration(number: 2, name: "overrides, intents and prompts", sql: second),
        Migration(number: 3, name: "the order of events", sql: third, postgres: thirdOnPostgres),
        Migration(number: 4, name: "what an app is bought for", sql: fourth),
        Migration(number: 5, name: "the keys of starts", sql: fifth),
    ]

    private static let first = """
        CREATE TABLE device (
            device_id TEXT PRIMARY KEY, platform TEXT NOT NULL, os_version TEXT NOT NULL,
            seen_at BIGINT NOT NULL
        );
        CREATE TABLE installation (
            bundle_id TEXT NOT NULL, device_id TEXT NOT NULL REFERENCES device (device_id),
            app_version TEXT NOT NULL, promoted_purchases TEXT NOT NULL, launched_at BIGINT NOT NULL,
            PRIMARY KEY (bundle_id, device_id)
        );
        """

    /// An app may be installed and not launched yet. `intent_head` outlives the installation, as intents do; `addition`
    /// is the payment sent to PaymentQueue, and stays so that it can be sent again.
    private static let second = """
        CREATE TABLE installation_next (
            bundle_id TEXT NOT NULL,
            device_id TEXT NOT NULL REFERENCES device (device_id),
            version TEXT NOT NULL,
            promoted_purchases TEXT,
            launched_version TEXT,
            launched_at BIGINT,
            overrides TEXT,
            PRIMARY KEY (bundle_id, device_id),
            CHECK ((launched_at IS NULL) = (launched_version IS NULL))
        );
        INSERT INTO installation_next (bundle_id, device_id, version, promoted_purchases, launched_version, launched_at)
        SELECT bundle_id, device_id, app_version, promoted_purchases, app_version, launched_at FROM installation;
        DROP TABLE installation;
        ALTER TABLE installation_next RENAME TO installation;
        CREATE INDEX installation_device ON installation (device_id, bundle_id);

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
            supported_since TEXT,
            prompt_id TEXT,
            state TEXT NOT NULL CHECK (state IN ('pending', 'deferred', 'continued', 'cancelled', 'expired')),
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

        CREATE TABLE app_prompt (
            id TEXT PRIMARY KEY,
            bundle_id TEXT NOT NULL,
            device_id TEXT NOT NULL REFERENCES device (device_id),
            customer_identifier TEXT NOT NULL,
            account TEXT NOT NULL,
            version TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            UNIQUE (bundle_id, device_id, customer_identifier)
        );

        CREATE TABLE intent_event (
            position INTEGER PRIMARY KEY,
            xact BIGINT NOT NULL DEFAULT 0,
            kind TEXT NOT NULL,
            bundle_id TEXT NOT NULL,
            account TEXT NOT NULL,
            body TEXT NOT NULL,
            written_at BIGINT NOT NULL
        );

        CREATE TABLE app_clock (
            bundle_id TEXT PRIMARY KEY,
            epoch BIGINT NOT NULL,
            anchor_wall BIGINT NOT NULL,
            anchor_business BIGINT NOT NULL,
            rate_millionths BIGINT NOT NULL,
            is_frozen INTEGER NOT NULL
        );
        """

    private static let third = "CREATE INDEX intent_event_age ON intent_event (written_at);"

    /// PostgreSQL runs commits concurrently. A row has its transaction's number, and readers stop before the oldest one
    /// in progress (``EventRepository``).
    private static let thirdOnPostgres = """
        CREATE INDEX intent_event_age ON intent_event (written_at);
        ALTER TABLE intent_event ALTER COLUMN xact SET DEFAULT (pg_current_xact_id()::text::bigint);
        CREATE INDEX intent_event_xact ON intent_event (xact, position);
        """

    /// The tapped product, and the app's price; earlier prompts have neither.
    private static let fourth = """
        ALTER TABLE app_prompt ADD COLUMN product_identifier TEXT;
        ALTER TABLE app_prompt ADD COLUMN app_price TEXT;
        """

    /// The intent of each start, including existing ones.
    private static let fifth = """
        CREATE TABLE purchase_start (
            device_id TEXT NOT NULL,
            bundle_id TEXT NOT NULL,
            request_identifier TEXT NOT NULL,
            intent_identifier TEXT NOT NULL,
            started_at BIGINT NOT NULL,
            PRIMARY KEY (device_id, bundle_id, request_identifier)
        );
        CREATE INDEX purchase_start_age ON purchase_start (started_at);
        """
}
