import Persistence

extension Migration {
    /// Overrides, intents and prompts. An app may be installed and not launched yet. `intent_head` outlives the
    /// installation, as intents do; `addition` is the payment handed to PaymentQueue, and stays so that it can be
    /// handed over again.
    static let intents = Migration(
        number: 2, name: "overrides, intents and prompts", sql: sql)

    private static let sql = """
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
}
