import Persistence
import ServiceDatabase

/// The schema of PaymentQueue's database.
///
/// `docs/schema/payment-queue.sql` shows the tables of both engines.
///
/// Instants are milliseconds since 1970, money is minor units.
enum PaymentQueueSchema {
    static let migrations = [
        Migration(
            number: 1, name: "0.1.0",
            counters: [
                "transaction": 2_000_000_000_000_000, "prompt": 0, "launch": 0,
                "app_transaction": 7_000_000_000_000_000_000,
            ]
        ) { sql in
            [customers, transactions(sql), prompts(sql), journal(sql), subscriptions(sql), refunds(sql)]
                .joined(separator: "\n")
        }
    ]

    /// Apps' clocks, testers and customers.
    ///
    /// - `clock_advance.steps_left` counts the steps until `to_at`, and `last_event` is null until the last one is
    ///   done.
    /// - `tester.scope` is the empty text for the installation's, and `testers_version` has one row, whose version
    ///   grows with each change of a tester's settings.
    /// - `customer.opened_at` is when a customer first came, by the app's clock, and `created_at` is by the wall clock.
    ///   `modified_seq` is the place of its last change that a signed transaction shows.
    /// - `isolated_counter` has the last numbers that each isolated store has given to its transactions and
    ///   customers.
    private static let customers = """
        CREATE TABLE app_clock (
            bundle_id TEXT PRIMARY KEY,
            epoch BIGINT NOT NULL,
            anchor_wall BIGINT NOT NULL,
            anchor_business BIGINT NOT NULL,
            rate_millionths BIGINT NOT NULL CHECK (rate_millionths >= 0),
            rate_name TEXT,
            is_frozen INTEGER NOT NULL DEFAULT 0
        );
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

        CREATE TABLE tester (
            scope TEXT NOT NULL,
            account TEXT NOT NULL,
            settings TEXT NOT NULL,
            updated_at BIGINT NOT NULL,
            PRIMARY KEY (scope, account)
        );
        CREATE TABLE testers_version (id BIGINT PRIMARY KEY CHECK (id = 1), version BIGINT NOT NULL);
        INSERT INTO testers_version (id, version) VALUES (1, 1);
        \(LeaseHolderRepository.table)
        \(AppRows.table)

        CREATE TABLE customer (
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            account TEXT NOT NULL,
            storefront TEXT NOT NULL,
            head_seq BIGINT NOT NULL DEFAULT 0,
            pruned_seq BIGINT NOT NULL DEFAULT 0,
            modified_seq BIGINT NOT NULL DEFAULT 0,
            app_transaction_number BIGINT,
            opened_at BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            PRIMARY KEY (bundle_id, customer_identifier),
            UNIQUE (bundle_id, account),
            CHECK (pruned_seq <= head_seq)
        );
        CREATE INDEX customer_account ON customer (account, storefront);
        CREATE UNIQUE INDEX customer_app_transaction ON customer (app_transaction_number, bundle_id)
            WHERE app_transaction_number IS NOT NULL;

        CREATE TABLE isolated_counter (
            bundle_id TEXT NOT NULL,
            name TEXT NOT NULL,
            value BIGINT NOT NULL,
            PRIMARY KEY (bundle_id, name)
        );
        """

    /// Transactions with the payments that created them, and the work on them.
    ///
    /// - `request_key` is the idempotency key of the transaction's payment, and `fingerprint` its request's. A renewal,
    ///   a restored transaction and one that supersedes another have no payment of their own. The reply to a payment is
    ///   the `body` as of the terminal commit. `answer_body` has it from the first later revision on.
    /// - Before its prompt is answered, processes leave a transaction that `awaits_answer` alone. Its `phase` says how
    ///   it continues, also for a deferred transaction. `was_deferred` stays when it continues, so that a late answer
    ///   differs from one to a transaction that was never deferred.
    /// - `claimed_by` and `claimed_until` say which replica works on it, and until when (``PurchaseClaims``). On
    ///   PostgreSQL a new row begins with the moment it was written, by the server's clock. SQLite has one process.
    /// - `waits_for` is the transaction whose end a waiting purchase waits for, and the end's commit clears it. The
    ///   index of unsettled purchases leaves out those that wait, so that the search for work costs the same regardless
    ///   of their number.
    /// - `supersedes` is unique: an interrupted purchase is replaced once.
    /// - `history_seq` is the number of its journal row as a purchased or restored transaction. The customer's lock
    ///   numbers journal rows, so a later commit has a later place. That does not hold for `transaction_number`,
    ///   because a renewal takes its own before the processor is asked. `modified_seq` moves with each change that a
    ///   signed transaction shows, and a refund sets `refund_seq`, which then stays.
    /// - `listed_type` is the type of a purchased product that StoreKit 2 lists. It is null for a product that the
    ///   customer owned already, and for a change that begins with the next renewal. `is_taken_back` says whether the
    ///   purchase is refunded or revoked.
    /// - `charge_key` is the key under which the processor is asked, `offer_request` the part of a payment about an
    ///   offer, and `sign_ins` counts prompts for signing in.
    /// - `used_intent` has the promoted purchases that had their payment, including payments that were cleared since.
    /// - `offer_nonce` has the first payment of each promotional offer's nonce.
    /// - `offer_code` is a word (`word`), or a batch of one-time codes. `offer_code_text` has the digest of each code's
    ///   text, and `code_redemption` the codes that customers have redeemed, or have a purchase in progress with.
    /// - `family_person` has the persons of families, one row each. `version` grows with each change of the family,
    ///   `changes` with each change of what the person shares, and `shared_seq` is the customer's `modified_seq` up to which their purchases are
    ///   shared. A row that `is_gone` stays until what was shared is taken back.
    /// - `shared_purchase` has the transaction that a member was given for a transaction of `buyer`. It outlives both,
    ///   so that one that was deleted is not given again. `expires_at` is the end of its access.
    /// - `capture` has a row from a purchase's commit to the processor's reply to the capture of its charge, whose
    ///   key is made of the transaction's `id` (ADR 0047).
    private static func transactions(_ sql: SQLDialect) -> String {
        """
        CREATE TABLE payment_transaction (
            id TEXT PRIMARY KEY,
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            created_seq BIGINT NOT NULL,
            state TEXT NOT NULL CHECK \(sql.oneOf("state", "purchasing", "purchased", "failed", "restored", "deferred")),
            phase TEXT NOT NULL CHECK \(sql.oneOf("phase", "waiting", "charging", "granting", "quarantined", "settled")),
            is_finished INTEGER NOT NULL DEFAULT 0,
            revision INTEGER NOT NULL,
            deliveries INTEGER NOT NULL DEFAULT 0,
            product_identifier TEXT NOT NULL,
            origin_device_id TEXT NOT NULL,
            transaction_number BIGINT,
            charge_key TEXT NOT NULL,
            history_seq BIGINT,
            modified_seq BIGINT,
            refund_seq BIGINT,
            listed_type TEXT,
            is_taken_back INTEGER NOT NULL DEFAULT 0,
            awaits_answer INTEGER NOT NULL DEFAULT 0,
            was_deferred INTEGER NOT NULL DEFAULT 0,
            sign_ins INTEGER NOT NULL DEFAULT 0,
            supersedes TEXT,
            request_key TEXT,
            fingerprint TEXT,
            intent_identifier TEXT,
            waits_for TEXT,
            claimed_by TEXT,
            claimed_until BIGINT NOT NULL
                DEFAULT \(sql.words(sqlite: "0", postgres: "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)")),
            terms TEXT,
            quote TEXT,
            offer_request TEXT,
            body TEXT NOT NULL,
            answer_body TEXT,
            FOREIGN KEY (bundle_id, customer_identifier) REFERENCES customer (bundle_id, customer_identifier),
            UNIQUE (bundle_id, customer_identifier, created_seq),
            CHECK ((request_key IS NULL) = (fingerprint IS NULL)),
            CHECK (request_key IS NOT NULL OR (intent_identifier IS NULL AND answer_body IS NULL)),
            CHECK (\(sql.oneOf("state", "purchased", "restored")) = (transaction_number IS NOT NULL)),
            CHECK (is_finished = 0 OR \(sql.oneOf("state", "purchased", "failed", "restored"))),
            CHECK (awaits_answer = 0 OR \(sql.oneOf("phase", "charging", "granting")))
        );
        CREATE UNIQUE INDEX payment_transaction_key
            ON payment_transaction (bundle_id, customer_identifier, request_key) WHERE request_key IS NOT NULL;
        CREATE UNIQUE INDEX payment_transaction_intent ON payment_transaction (bundle_id, intent_identifier)
            WHERE intent_identifier IS NOT NULL;
        CREATE INDEX payment_transaction_unfinished
            ON payment_transaction (bundle_id, customer_identifier, created_seq) WHERE is_finished = 0;
        CREATE INDEX payment_transaction_unsettled ON payment_transaction (id)
            WHERE phase <> 'settled' AND awaits_answer = 0 AND waits_for IS NULL;
        CREATE INDEX payment_transaction_waiting
            ON payment_transaction (bundle_id, customer_identifier, product_identifier, created_seq)
            WHERE phase = 'waiting';
        CREATE INDEX payment_transaction_waits_for ON payment_transaction (waits_for) WHERE waits_for IS NOT NULL;
        CREATE INDEX payment_transaction_history
            ON payment_transaction (bundle_id, customer_identifier, modified_seq, transaction_number)
            WHERE transaction_number IS NOT NULL;
        CREATE UNIQUE INDEX payment_transaction_history_order
            ON payment_transaction (bundle_id, customer_identifier, history_seq) WHERE history_seq IS NOT NULL;
        CREATE UNIQUE INDEX payment_transaction_number ON payment_transaction (transaction_number, bundle_id)
            WHERE transaction_number IS NOT NULL;
        CREATE INDEX payment_transaction_refunds
            ON payment_transaction (bundle_id, customer_identifier, refund_seq) WHERE refund_seq IS NOT NULL;
        CREATE UNIQUE INDEX payment_transaction_supersedes ON payment_transaction (supersedes)
            WHERE supersedes IS NOT NULL;

        CREATE TABLE used_intent (
            bundle_id TEXT NOT NULL,
            intent_identifier TEXT NOT NULL,
            PRIMARY KEY (bundle_id, intent_identifier)
        );
        CREATE TABLE offer_nonce (
            bundle_id TEXT NOT NULL,
            nonce TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            request_key TEXT NOT NULL,
            PRIMARY KEY (bundle_id, nonce)
        );
        CREATE TABLE offer_claim (
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            subscription_group TEXT NOT NULL,
            product_identifier TEXT NOT NULL,
            transaction_id TEXT NOT NULL UNIQUE REFERENCES payment_transaction (id),
            state TEXT NOT NULL CHECK \(sql.oneOf("state", "reserved", "consumed")),
            transaction_identifier TEXT,
            PRIMARY KEY (bundle_id, customer_identifier, subscription_group),
            CHECK ((state = 'consumed') = (transaction_identifier IS NOT NULL))
        );
        CREATE UNIQUE INDEX offer_claim_product
            ON offer_claim (bundle_id, customer_identifier, product_identifier);
        CREATE TABLE purchase_slot (
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            product_identifier TEXT NOT NULL,
            transaction_id TEXT NOT NULL UNIQUE REFERENCES payment_transaction (id),
            PRIMARY KEY (bundle_id, customer_identifier, product_identifier)
        );
        CREATE TABLE owned_product (
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            product_identifier TEXT NOT NULL,
            transaction_id TEXT NOT NULL REFERENCES payment_transaction (id),
            transaction_identifier TEXT NOT NULL,
            PRIMARY KEY (bundle_id, customer_identifier, product_identifier)
        );
        CREATE INDEX owned_product_transaction ON owned_product (transaction_id);
        CREATE TABLE offer_code (
            id TEXT PRIMARY KEY,
            bundle_id TEXT NOT NULL,
            product_identifier TEXT NOT NULL,
            offer_identifier TEXT NOT NULL,
            word TEXT,
            redemptions_max BIGINT NOT NULL,
            redemptions BIGINT NOT NULL DEFAULT 0,
            is_active INTEGER NOT NULL DEFAULT 1,
            expires_at BIGINT,
            created_at BIGINT NOT NULL,
            CHECK (redemptions >= 0 AND redemptions <= redemptions_max)
        );
        CREATE INDEX offer_code_app ON offer_code (bundle_id, id);
        CREATE TABLE offer_code_text (
            bundle_id TEXT NOT NULL,
            digest TEXT NOT NULL,
            code_id TEXT NOT NULL,
            is_spent INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (bundle_id, digest)
        );
        CREATE TABLE code_redemption (
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            product_identifier TEXT NOT NULL,
            offer_identifier TEXT NOT NULL,
            transaction_id TEXT NOT NULL UNIQUE,
            PRIMARY KEY (bundle_id, customer_identifier, product_identifier, offer_identifier)
        );
        CREATE TABLE family_person (
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            family TEXT NOT NULL,
            is_organiser INTEGER NOT NULL,
            shares INTEGER NOT NULL,
            receives INTEGER NOT NULL,
            is_gone INTEGER NOT NULL DEFAULT 0,
            shares_since BIGINT NOT NULL,
            receives_since BIGINT NOT NULL,
            joined_at BIGINT NOT NULL,
            shared_seq BIGINT NOT NULL DEFAULT -1,
            version BIGINT NOT NULL DEFAULT 1,
            changes BIGINT NOT NULL DEFAULT 0,
            PRIMARY KEY (bundle_id, customer_identifier),
            FOREIGN KEY (bundle_id, customer_identifier) REFERENCES customer (bundle_id, customer_identifier)
        );
        CREATE INDEX family_person_family ON family_person (bundle_id, family);
        CREATE TABLE shared_purchase (
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            buyer_transaction TEXT NOT NULL,
            buyer TEXT NOT NULL,
            buyer_revision INTEGER NOT NULL,
            buyer_original TEXT,
            transaction_id TEXT NOT NULL UNIQUE,
            original_id TEXT NOT NULL,
            expires_at BIGINT,
            is_revoked INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (bundle_id, customer_identifier, buyer_transaction),
            CHECK ((buyer_original IS NULL) = (expires_at IS NULL))
        );
        CREATE INDEX shared_purchase_buyer ON shared_purchase (bundle_id, buyer);
        CREATE TABLE capture (
            transaction_id TEXT PRIMARY KEY,
            written_at BIGINT NOT NULL
        ) \(sql.words(sqlite: "WITHOUT ROWID"));
        """
    }

    /// Prompts, restores and downloads.
    ///
    /// - `prompt.next_kinds` are the prompts that follow once this one is approved, separated by commas. A
    ///   transaction has at most one open prompt for a `purpose`: its purchase, signing in again when it is delivered
    ///   again, and the price of the subscription whose latest transaction it is. `times` counts sign-in prompts.
    ///   `asked_at` is `created_at` by the app's clock.
    /// - A restore is its own cursor: originals up to `through_number` belong to it, those up to `last_number` are
    ///   done. `started_seq` is the journal's head at its start, which orders a device's restores.
    /// - A download has a row when its device has touched it. Until then it waits.
    private static func prompts(_ sql: SQLDialect) -> String {
        """
        CREATE TABLE prompt (
            id TEXT PRIMARY KEY,
            kind TEXT NOT NULL,
            purpose TEXT NOT NULL CHECK \(sql.oneOf("purpose", "purchase", "redelivery", "priceConsent")),
            next_kinds TEXT NOT NULL,
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            transaction_id TEXT NOT NULL REFERENCES payment_transaction (id),
            times INTEGER NOT NULL DEFAULT 1,
            created_at BIGINT NOT NULL,
            asked_at BIGINT NOT NULL,
            FOREIGN KEY (bundle_id, customer_identifier) REFERENCES customer (bundle_id, customer_identifier),
            UNIQUE (transaction_id, purpose)
        );

        CREATE TABLE restore (
            id TEXT PRIMARY KEY,
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            device_id TEXT NOT NULL,
            request_key TEXT NOT NULL,
            application_username TEXT,
            state TEXT NOT NULL CHECK \(sql.oneOf("state", "running", "finished", "failed")),
            restored INTEGER NOT NULL,
            error TEXT,
            through_number BIGINT NOT NULL,
            last_number BIGINT NOT NULL,
            is_acknowledged INTEGER NOT NULL DEFAULT 0,
            started_seq BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            FOREIGN KEY (bundle_id, customer_identifier) REFERENCES customer (bundle_id, customer_identifier),
            UNIQUE (bundle_id, customer_identifier, request_key),
            CHECK ((state = 'failed') = (error IS NOT NULL)),
            CHECK (is_acknowledged = 0 OR state <> 'running')
        );
        CREATE INDEX restore_running ON restore (id) WHERE state = 'running';
        CREATE INDEX restore_ended ON restore (bundle_id, customer_identifier, device_id, started_seq)
            WHERE is_acknowledged = 0;
        CREATE TABLE download (
            transaction_id TEXT NOT NULL REFERENCES payment_transaction (id),
            device_id TEXT NOT NULL,
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            state TEXT NOT NULL
                CHECK \(sql.oneOf("state", "waiting", "active", "paused", "finished", "failed", "cancelled")),
            error TEXT,
            PRIMARY KEY (transaction_id, device_id),
            CHECK ((state = 'failed') = (error IS NOT NULL))
        );
        """
    }

    /// Customers' journals, and the events of apps' servers until AppStoreServer has them.
    ///
    /// - A row of the journal without an `event` is a change of one customer that is not an event of the store. Rows
    ///   are
    ///   in the order in which they were written, so their ages need no index.
    /// - `journal_app` has the rows that are events. SQLite's own end of an index entry is `position`.
    /// - `server_event_reader` has one row, the last event that AppStoreServer has acknowledged.
    private static func journal(_ sql: SQLDialect) -> String {
        """
        CREATE TABLE journal (
            position INTEGER PRIMARY KEY,
            xact BIGINT NOT NULL DEFAULT 0,
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            seq BIGINT NOT NULL,
            transaction_id TEXT,
            revision INTEGER,
            kind TEXT NOT NULL CHECK \(sql.oneOf(
                "kind", "updated", "removed", "restoreEnded", "downloadsUpdated", "entitlementsRevoked",
                "subscriptionChanged")),
            event TEXT,
            device_id TEXT,
            body TEXT NOT NULL,
            happened_at BIGINT NOT NULL,
            written_at BIGINT NOT NULL,
            UNIQUE (bundle_id, customer_identifier, seq),
            CHECK ((kind = 'restoreEnded') = (transaction_id IS NULL)),
            CHECK ((transaction_id IS NULL) = (revision IS NULL)),
            CHECK (\(sql.oneOf("kind", "restoreEnded", "downloadsUpdated")) = (device_id IS NOT NULL))
        );
        CREATE INDEX journal_app ON journal (bundle_id\(sql.words(postgres: ", xact, position")))
            WHERE event IS NOT NULL;
        \(sql.words(postgres: "CREATE INDEX journal_xact ON journal (xact, position);"))

        CREATE TABLE server_event (
            position INTEGER PRIMARY KEY,
            xact BIGINT NOT NULL DEFAULT 0,
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            written_at BIGINT NOT NULL,
            body TEXT NOT NULL
        );
        \(sql.words(postgres: "CREATE INDEX server_event_xact ON server_event (xact, position);"))
        CREATE TABLE server_event_reader (name TEXT PRIMARY KEY, position TEXT NOT NULL);
        """
    }

    /// Subscriptions, their periods and timelines, and extensions.
    ///
    /// - `subscription` has one row per customer and group (S6). `attempt` is the charge in progress with everything it
    ///   was decided on, so that each replica asks the processor about the same charge. `price` is the price its
    ///   subscriber agreed to, and the higher one that needs consent.
    /// - `subscription_period` has one row for each paid period (S1): `charge_key` is null for a free one.
    /// - `paid_group` has the groups in which each product of a subscription was paid, also those it has left.
    /// - Each sweep reads the renewals in progress app by app, twice a second: `subscription_attempt` has the app.
    /// - `subscription_extension` has the responses to extensions, by the server's name of the request.
    /// - `mass_extension` is an extension of all subscriptions of a product: `place` is the last that was decided
    ///   about, `last_place` the last there was at the request.
    private static func subscriptions(_ sql: SQLDialect) -> String {
        """
        CREATE TABLE subscription (
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            subscription_group TEXT NOT NULL,
            original_id TEXT NOT NULL UNIQUE REFERENCES payment_transaction (id),
            original_identifier TEXT NOT NULL,
            revision INTEGER NOT NULL,
            state TEXT NOT NULL CHECK \(sql.oneOf(
                "state", "subscribed", "expired", "inBillingRetryPeriod", "inGracePeriod", "revoked")),
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
            paid_group TEXT NOT NULL,
            price TEXT,
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
            UNIQUE (original_identifier, bundle_id),
            FOREIGN KEY (bundle_id, customer_identifier) REFERENCES customer (bundle_id, customer_identifier)
        );
        CREATE INDEX subscription_due ON subscription (bundle_id, due_at, original_id) WHERE due_at IS NOT NULL;
        CREATE INDEX subscription_attempt ON subscription (bundle_id, original_id) WHERE attempt IS NOT NULL;
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
        CREATE TABLE paid_group (
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            original_id TEXT NOT NULL REFERENCES subscription (original_id),
            product_identifier TEXT NOT NULL,
            subscription_group TEXT NOT NULL,
            PRIMARY KEY (original_id, product_identifier, subscription_group)
        );
        CREATE INDEX paid_group_customer ON paid_group (bundle_id, customer_identifier);
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

        CREATE TABLE subscription_extension (
            bundle_id TEXT NOT NULL,
            request_identifier TEXT NOT NULL,
            original_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            extended_at BIGINT NOT NULL,
            effective_at BIGINT NOT NULL,
            line_item TEXT,
            PRIMARY KEY (bundle_id, request_identifier, original_id)
        );
        CREATE INDEX subscription_extension_original ON subscription_extension (original_id, extended_at);
        CREATE TABLE mass_extension (
            bundle_id TEXT NOT NULL,
            product_identifier TEXT NOT NULL,
            request_identifier TEXT NOT NULL,
            days INTEGER NOT NULL,
            storefronts TEXT,
            place TEXT NOT NULL DEFAULT '',
            last_place TEXT NOT NULL,
            succeeded BIGINT NOT NULL DEFAULT 0,
            failed BIGINT NOT NULL DEFAULT 0,
            created_at BIGINT NOT NULL,
            completed_at BIGINT,
            PRIMARY KEY (bundle_id, product_identifier, request_identifier)
        );
        CREATE INDEX mass_extension_open ON mass_extension (created_at) WHERE completed_at IS NULL;
        """
    }

    /// Refunds, requests for them, and revocations.
    ///
    /// - `refund` is the refund that the service has yet to send to the processor, which enforces P10. A row outlives
    ///   its purchase. `reversal` is 1 for a refund that must be taken back at the processor, 2 for one that was.
    /// - `revocation_seen` is the last `revocation` that a device's streams have delivered.
    private static func refunds(_ sql: SQLDialect) -> String {
        """
        CREATE TABLE refund (
            refund_key TEXT PRIMARY KEY,
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            charge_key TEXT NOT NULL,
            transaction_id TEXT NOT NULL,
            amount_minor BIGINT NOT NULL CHECK (amount_minor > 0),
            currency TEXT NOT NULL,
            is_done INTEGER NOT NULL DEFAULT 0,
            reversal INTEGER NOT NULL DEFAULT 0,
            created_at BIGINT NOT NULL
        );
        CREATE INDEX refund_open ON refund (refund_key) WHERE is_done = 0;
        CREATE INDEX refund_reversal ON refund (refund_key) WHERE reversal = 1;
        CREATE INDEX refund_transaction ON refund (transaction_id);
        CREATE TABLE refund_request (
            id TEXT PRIMARY KEY,
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            transaction_id TEXT NOT NULL,
            transaction_identifier TEXT NOT NULL,
            account TEXT NOT NULL,
            state TEXT NOT NULL CHECK \(sql.oneOf("state", "open", "granted", "declined")),
            reason TEXT NOT NULL,
            requested_at BIGINT NOT NULL,
            decided_at BIGINT,
            consumption TEXT,
            CHECK ((state = 'open') = (decided_at IS NULL))
        );
        CREATE UNIQUE INDEX refund_request_open ON refund_request (transaction_id) WHERE state = 'open';
        CREATE INDEX refund_request_transaction ON refund_request (transaction_id);
        CREATE INDEX refund_request_waiting ON refund_request (bundle_id, id) WHERE state = 'open';

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
}
