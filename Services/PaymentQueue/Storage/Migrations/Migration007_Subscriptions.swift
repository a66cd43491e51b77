import Persistence

extension Migration {
    /// Subscriptions that renew, refunds, revocations and clocks that are moved.
    ///
    /// - `subscription` replaces `subscription_group`: one row per customer and group (S6). Subscriptions bought before
    ///   this migration renew from their expiry on.
    /// - `subscription_period` has one row for each paid period (S1): `charge_key` is null for one that cost nothing.
    /// - `attempt` is the charge in progress with everything it was decided on, so that each replica asks the processor
    ///   about the same charge; `claimed_by` and `claimed_until` say which replica works on it.
    /// - `refund` is what the service has yet to send to the processor, which enforces P10.
    /// - `opened_at` is when a customer first came, by the app's clock; `created_at` is by the wall clock.
    /// - `offer_nonce` has the first payment of each promotional offer's nonce; `offer_request` is what else came with
    ///   a payment about an offer.
    /// - `revocation_seen` is the last `revocation` that a device's streams have delivered.
    static let subscriptions = Migration(
        number: 7, name: "subscriptions, refunds and clocks that move", sql: sql)

    private static let sql = """
        ALTER TABLE app_clock ADD COLUMN rate_name TEXT;
        ALTER TABLE app_clock ADD COLUMN is_frozen INTEGER NOT NULL DEFAULT 0;

        CREATE TABLE clock_advance (
            id TEXT PRIMARY KEY,
            bundle_id TEXT NOT NULL,
            request_key TEXT NOT NULL,
            fingerprint TEXT NOT NULL,
            from_at BIGINT NOT NULL,
            to_at BIGINT NOT NULL,
            steps_left INTEGER NOT NULL DEFAULT 0,
            first_event BIGINT NOT NULL,
            last_event BIGINT,
            created_at BIGINT NOT NULL,
            UNIQUE (bundle_id, request_key)
        );
        CREATE INDEX clock_advance_open ON clock_advance (id) WHERE last_event IS NULL;

        CREATE TABLE subscription (
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            subscription_group TEXT NOT NULL,
            original_id TEXT NOT NULL UNIQUE REFERENCES payment_transaction (id),
            original_identifier TEXT NOT NULL UNIQUE,
            revision INTEGER NOT NULL,
            state TEXT NOT NULL CHECK (
                state IN ('subscribed', 'expired', 'inBillingRetryPeriod', 'inGracePeriod', 'revoked')),
            product_identifier TEXT NOT NULL,
            level INTEGER NOT NULL,
            length TEXT NOT NULL,
            period_index INTEGER NOT NULL,
            period_start BIGINT NOT NULL,
            active_until BIGINT NOT NULL,
            active_id TEXT NOT NULL,
            active_transaction TEXT NOT NULL,
            anchor BIGINT NOT NULL,
            anchor_count INTEGER NOT NULL,
            will_auto_renew INTEGER NOT NULL,
            renew_product TEXT NOT NULL,
            offer TEXT,
            offer_left INTEGER NOT NULL DEFAULT 0,
            rate TEXT NOT NULL DEFAULT 'realTime',
            renewals INTEGER NOT NULL DEFAULT 0,
            fails_next INTEGER NOT NULL DEFAULT 0,
            retry_since BIGINT,
            retry_count INTEGER NOT NULL DEFAULT 0,
            grace_until BIGINT,
            expiration_reason TEXT,
            due_at BIGINT,
            attempt TEXT,
            claimed_by TEXT,
            claimed_until BIGINT NOT NULL DEFAULT 0,
            PRIMARY KEY (bundle_id, customer_identifier, subscription_group),
            FOREIGN KEY (bundle_id, customer_identifier) REFERENCES customer (bundle_id, customer_identifier)
        );
        INSERT INTO subscription (bundle_id, customer_identifier, subscription_group, original_id, original_identifier,
            revision, state, product_identifier, level, length, period_index, period_start, active_until, active_id,
            active_transaction, anchor, anchor_count, will_auto_renew, renew_product, due_at)
        SELECT g.bundle_id, g.customer_identifier, g.subscription_group, g.original_id,
            '' || o.transaction_number, 1, 'subscribed', g.active_product, g.active_level, 'P1M', 0,
            g.active_until, g.active_until, a.id, g.active_transaction, g.active_until, 0, 1, g.active_product,
            g.active_until
        FROM subscription_group g
        JOIN payment_transaction o ON o.id = g.original_id
        JOIN payment_transaction a ON a.transaction_number = CAST(g.active_transaction AS BIGINT);
        DROP TABLE subscription_group;
        CREATE INDEX subscription_due ON subscription (bundle_id, due_at, original_id) WHERE due_at IS NOT NULL;
        CREATE INDEX subscription_attempt ON subscription (original_id) WHERE attempt IS NOT NULL;

        CREATE TABLE subscription_period (
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            original_id TEXT NOT NULL REFERENCES subscription (original_id),
            period_index INTEGER NOT NULL,
            transaction_id TEXT NOT NULL UNIQUE REFERENCES payment_transaction (id),
            charge_key TEXT UNIQUE,
            amount_minor BIGINT NOT NULL,
            currency TEXT NOT NULL,
            starts_at BIGINT NOT NULL,
            ends_at BIGINT NOT NULL,
            PRIMARY KEY (original_id, period_index),
            CHECK (starts_at <= ends_at)
        );

        CREATE TABLE subscription_event (
            position INTEGER PRIMARY KEY,
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            original_id TEXT NOT NULL REFERENCES subscription (original_id),
            at BIGINT NOT NULL,
            body TEXT NOT NULL
        );
        CREATE INDEX subscription_event_timeline ON subscription_event (original_id, position);
        CREATE INDEX subscription_event_app ON subscription_event (bundle_id, position, at);

        CREATE TABLE refund (
            refund_key TEXT PRIMARY KEY,
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            charge_key TEXT NOT NULL,
            transaction_id TEXT NOT NULL REFERENCES payment_transaction (id),
            amount_minor BIGINT NOT NULL CHECK (amount_minor > 0),
            currency TEXT NOT NULL,
            is_done INTEGER NOT NULL DEFAULT 0,
            created_at BIGINT NOT NULL
        );
        CREATE INDEX refund_open ON refund (refund_key) WHERE is_done = 0;
        CREATE INDEX refund_transaction ON refund (transaction_id);

        ALTER TABLE customer ADD COLUMN opened_at BIGINT;
        ALTER TABLE payment_transaction ADD COLUMN offer_request TEXT;
        CREATE TABLE offer_nonce (
            bundle_id TEXT NOT NULL,
            nonce TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            request_key TEXT NOT NULL,
            PRIMARY KEY (bundle_id, nonce)
        );

        CREATE TABLE revocation (
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            seq BIGINT NOT NULL,
            transaction_id TEXT NOT NULL REFERENCES payment_transaction (id),
            product_identifiers TEXT NOT NULL,
            PRIMARY KEY (bundle_id, customer_identifier, seq)
        );
        CREATE TABLE revocation_seen (
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            device_id TEXT NOT NULL,
            seq BIGINT NOT NULL,
            PRIMARY KEY (bundle_id, customer_identifier, device_id)
        );
        """
}
