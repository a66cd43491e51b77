-- The tables of payment-queue's database, read from a new one by SchemaPageTests on each engine.
-- STOREBUS_GOLDEN=write renews the file. A fingerprint of a released version never changes.
-- 1 '0.1.0': SQLite 1b119644d9957e7b, PostgreSQL ece3ae7a2f568bf6

-- SQLite

CREATE TABLE app_clock (
    bundle_id TEXT PRIMARY KEY,
    epoch BIGINT NOT NULL,
    anchor_wall BIGINT NOT NULL,
    anchor_business BIGINT NOT NULL,
    rate_millionths BIGINT NOT NULL CHECK (rate_millionths >= 0),
    rate_name TEXT,
    is_frozen INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE app_removal (id BIGINT PRIMARY KEY CHECK (id = 1), ended BIGINT NOT NULL);
CREATE TABLE capture (
    transaction_id TEXT PRIMARY KEY,
    written_at BIGINT NOT NULL
) WITHOUT ROWID;
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
CREATE TABLE code_redemption (
    bundle_id TEXT NOT NULL,
    customer_identifier TEXT NOT NULL,
    product_identifier TEXT NOT NULL,
    offer_identifier TEXT NOT NULL,
    transaction_id TEXT NOT NULL UNIQUE,
    PRIMARY KEY (bundle_id, customer_identifier, product_identifier, offer_identifier)
);
CREATE TABLE counter (name TEXT PRIMARY KEY, value BIGINT NOT NULL);
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
CREATE TABLE download (
    transaction_id TEXT NOT NULL REFERENCES payment_transaction (id),
    device_id TEXT NOT NULL,
    bundle_id TEXT NOT NULL,
    customer_identifier TEXT NOT NULL,
    state TEXT NOT NULL
        CHECK (state = 'waiting' OR state = 'active' OR state = 'paused' OR state = 'finished' OR state = 'failed' OR state = 'cancelled'),
    error TEXT,
    PRIMARY KEY (transaction_id, device_id),
    CHECK ((state = 'failed') = (error IS NOT NULL))
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
CREATE TABLE isolated_counter (
    bundle_id TEXT NOT NULL,
    name TEXT NOT NULL,
    value BIGINT NOT NULL,
    PRIMARY KEY (bundle_id, name)
);
CREATE TABLE journal (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    xact BIGINT NOT NULL DEFAULT 0,
    bundle_id TEXT NOT NULL,
    customer_identifier TEXT NOT NULL,
    seq BIGINT NOT NULL,
    transaction_id TEXT,
    revision INTEGER,
    kind TEXT NOT NULL CHECK (kind = 'updated' OR kind = 'removed' OR kind = 'restoreEnded' OR kind = 'downloadsUpdated' OR kind = 'entitlementsRevoked' OR kind = 'subscriptionChanged'),
    event TEXT,
    device_id TEXT,
    body TEXT NOT NULL,
    happened_at BIGINT NOT NULL,
    written_at BIGINT NOT NULL,
    UNIQUE (bundle_id, customer_identifier, seq),
    CHECK ((kind = 'restoreEnded') = (transaction_id IS NULL)),
    CHECK ((transaction_id IS NULL) = (revision IS NULL)),
    CHECK ((kind = 'restoreEnded' OR kind = 'downloadsUpdated') = (device_id IS NOT NULL))
);
CREATE INDEX journal_app ON journal (bundle_id)
    WHERE event IS NOT NULL;
CREATE TABLE lease_holder (
    name TEXT PRIMARY KEY,
    mark TEXT
);
CREATE TABLE log_removed (
    name TEXT PRIMARY KEY, last_xact BIGINT NOT NULL, last_position BIGINT NOT NULL);
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
CREATE TABLE offer_claim (
    bundle_id TEXT NOT NULL,
    customer_identifier TEXT NOT NULL,
    subscription_group TEXT NOT NULL,
    product_identifier TEXT NOT NULL,
    transaction_id TEXT NOT NULL UNIQUE REFERENCES payment_transaction (id),
    state TEXT NOT NULL CHECK (state = 'reserved' OR state = 'consumed'),
    transaction_identifier TEXT,
    PRIMARY KEY (bundle_id, customer_identifier, subscription_group),
    CHECK ((state = 'consumed') = (transaction_identifier IS NOT NULL))
);
CREATE UNIQUE INDEX offer_claim_product
    ON offer_claim (bundle_id, customer_identifier, product_identifier);
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
CREATE TABLE offer_nonce (
    bundle_id TEXT NOT NULL,
    nonce TEXT NOT NULL,
    customer_identifier TEXT NOT NULL,
    request_key TEXT NOT NULL,
    PRIMARY KEY (bundle_id, nonce)
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
CREATE TABLE paid_group (
    bundle_id TEXT NOT NULL,
    customer_identifier TEXT NOT NULL,
    original_id TEXT NOT NULL REFERENCES subscription (original_id),
    product_identifier TEXT NOT NULL,
    subscription_group TEXT NOT NULL,
    PRIMARY KEY (original_id, product_identifier, subscription_group)
);
CREATE INDEX paid_group_customer ON paid_group (bundle_id, customer_identifier);
CREATE TABLE payment_transaction (
    id TEXT PRIMARY KEY,
    bundle_id TEXT NOT NULL,
    customer_identifier TEXT NOT NULL,
    created_seq BIGINT NOT NULL,
    state TEXT NOT NULL CHECK (state = 'purchasing' OR state = 'purchased' OR state = 'failed' OR state = 'restored' OR state = 'deferred'),
    phase TEXT NOT NULL CHECK (phase = 'waiting' OR phase = 'charging' OR phase = 'granting' OR phase = 'quarantined' OR phase = 'settled'),
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
        DEFAULT 0,
    terms TEXT,
    quote TEXT,
    offer_request TEXT,
    body TEXT NOT NULL,
    answer_body TEXT,
    FOREIGN KEY (bundle_id, customer_identifier) REFERENCES customer (bundle_id, customer_identifier),
    UNIQUE (bundle_id, customer_identifier, created_seq),
    CHECK ((request_key IS NULL) = (fingerprint IS NULL)),
    CHECK (request_key IS NOT NULL OR (intent_identifier IS NULL AND answer_body IS NULL)),
    CHECK ((state = 'purchased' OR state = 'restored') = (transaction_number IS NOT NULL)),
    CHECK (is_finished = 0 OR (state = 'purchased' OR state = 'failed' OR state = 'restored')),
    CHECK (awaits_answer = 0 OR (phase = 'charging' OR phase = 'granting'))
);
CREATE INDEX payment_transaction_history
    ON payment_transaction (bundle_id, customer_identifier, modified_seq, transaction_number)
    WHERE transaction_number IS NOT NULL;
CREATE UNIQUE INDEX payment_transaction_history_order
    ON payment_transaction (bundle_id, customer_identifier, history_seq) WHERE history_seq IS NOT NULL;
CREATE UNIQUE INDEX payment_transaction_intent ON payment_transaction (bundle_id, intent_identifier)
    WHERE intent_identifier IS NOT NULL;
CREATE UNIQUE INDEX payment_transaction_key
    ON payment_transaction (bundle_id, customer_identifier, request_key) WHERE request_key IS NOT NULL;
CREATE UNIQUE INDEX payment_transaction_number ON payment_transaction (transaction_number, bundle_id)
    WHERE transaction_number IS NOT NULL;
CREATE INDEX payment_transaction_refunds
    ON payment_transaction (bundle_id, customer_identifier, refund_seq) WHERE refund_seq IS NOT NULL;
CREATE UNIQUE INDEX payment_transaction_supersedes ON payment_transaction (supersedes)
    WHERE supersedes IS NOT NULL;
CREATE INDEX payment_transaction_unfinished
    ON payment_transaction (bundle_id, customer_identifier, created_seq) WHERE is_finished = 0;
CREATE INDEX payment_transaction_unsettled ON payment_transaction (id)
    WHERE phase <> 'settled' AND awaits_answer = 0 AND waits_for IS NULL;
CREATE INDEX payment_transaction_waiting
    ON payment_transaction (bundle_id, customer_identifier, product_identifier, created_seq)
    WHERE phase = 'waiting';
CREATE INDEX payment_transaction_waits_for ON payment_transaction (waits_for) WHERE waits_for IS NOT NULL;
CREATE TABLE prompt (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    purpose TEXT NOT NULL CHECK (purpose = 'purchase' OR purpose = 'redelivery' OR purpose = 'priceConsent'),
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
CREATE TABLE purchase_slot (
    bundle_id TEXT NOT NULL,
    customer_identifier TEXT NOT NULL,
    product_identifier TEXT NOT NULL,
    transaction_id TEXT NOT NULL UNIQUE REFERENCES payment_transaction (id),
    PRIMARY KEY (bundle_id, customer_identifier, product_identifier)
);
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
    state TEXT NOT NULL CHECK (state = 'open' OR state = 'granted' OR state = 'declined'),
    reason TEXT NOT NULL,
    requested_at BIGINT NOT NULL,
    decided_at BIGINT,
    consumption TEXT,
    CHECK ((state = 'open') = (decided_at IS NULL))
);
CREATE UNIQUE INDEX refund_request_open ON refund_request (transaction_id) WHERE state = 'open';
CREATE INDEX refund_request_transaction ON refund_request (transaction_id);
CREATE INDEX refund_request_waiting ON refund_request (bundle_id, id) WHERE state = 'open';
CREATE TABLE restore (
    id TEXT PRIMARY KEY,
    bundle_id TEXT NOT NULL,
    customer_identifier TEXT NOT NULL,
    device_id TEXT NOT NULL,
    request_key TEXT NOT NULL,
    application_username TEXT,
    state TEXT NOT NULL CHECK (state = 'running' OR state = 'finished' OR state = 'failed'),
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
CREATE INDEX restore_ended ON restore (bundle_id, customer_identifier, device_id, started_seq)
    WHERE is_acknowledged = 0;
CREATE INDEX restore_running ON restore (id) WHERE state = 'running';
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
CREATE TABLE schema_migration (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, fingerprint TEXT NOT NULL);
CREATE TABLE server_event (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    xact BIGINT NOT NULL DEFAULT 0,
    bundle_id TEXT NOT NULL,
    customer_identifier TEXT NOT NULL,
    written_at BIGINT NOT NULL,
    body TEXT NOT NULL
);
CREATE TABLE server_event_reader (name TEXT PRIMARY KEY, position TEXT NOT NULL);
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
CREATE TABLE store_identity (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1), database_id TEXT NOT NULL, store_id TEXT);
CREATE TABLE subscription (
    bundle_id TEXT NOT NULL,
    customer_identifier TEXT NOT NULL,
    subscription_group TEXT NOT NULL,
    original_id TEXT NOT NULL UNIQUE REFERENCES payment_transaction (id),
    original_identifier TEXT NOT NULL,
    revision INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state = 'subscribed' OR state = 'expired' OR state = 'inBillingRetryPeriod' OR state = 'inGracePeriod' OR state = 'revoked'),
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
CREATE INDEX subscription_attempt ON subscription (bundle_id, original_id) WHERE attempt IS NOT NULL;
CREATE INDEX subscription_due ON subscription (bundle_id, due_at, original_id) WHERE due_at IS NOT NULL;
CREATE TABLE subscription_event (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    bundle_id TEXT NOT NULL,
    customer_identifier TEXT NOT NULL,
    original_id TEXT NOT NULL REFERENCES subscription (original_id),
    at BIGINT NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX subscription_event_app ON subscription_event (bundle_id, position, at);
CREATE INDEX subscription_event_timeline ON subscription_event (original_id, position);
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
CREATE TABLE tester (
    scope TEXT NOT NULL,
    account TEXT NOT NULL,
    settings TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (scope, account)
);
CREATE TABLE testers_version (id BIGINT PRIMARY KEY CHECK (id = 1), version BIGINT NOT NULL);
CREATE TABLE used_intent (
    bundle_id TEXT NOT NULL,
    intent_identifier TEXT NOT NULL,
    PRIMARY KEY (bundle_id, intent_identifier)
);
INSERT INTO app_removal VALUES (1, 0);
INSERT INTO counter VALUES ('app_transaction', 7000000000000000000);
INSERT INTO counter VALUES ('launch', 0);
INSERT INTO counter VALUES ('prompt', 0);
INSERT INTO counter VALUES ('transaction', 2000000000000000);
INSERT INTO testers_version VALUES (1, 1);

-- PostgreSQL

CREATE TABLE app_clock (
    bundle_id text COLLATE "C" NOT NULL,
    epoch bigint NOT NULL,
    anchor_wall bigint NOT NULL,
    anchor_business bigint NOT NULL,
    rate_millionths bigint NOT NULL,
    rate_name text COLLATE "C",
    is_frozen bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (bundle_id),
    CHECK ((rate_millionths >= 0))
);
CREATE TABLE app_removal (
    id bigint NOT NULL,
    ended bigint NOT NULL,
    PRIMARY KEY (id),
    CHECK ((id = 1))
);
CREATE TABLE capture (
    transaction_id text COLLATE "C" NOT NULL,
    written_at bigint NOT NULL,
    PRIMARY KEY (transaction_id)
);
CREATE TABLE clock_advance (
    id text COLLATE "C" NOT NULL,
    bundle_id text COLLATE "C" NOT NULL,
    request_key text COLLATE "C" NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    from_at bigint NOT NULL,
    to_at bigint NOT NULL,
    steps_left bigint NOT NULL DEFAULT 0,
    first_event bigint NOT NULL,
    last_event bigint,
    created_at bigint NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (bundle_id, request_key)
);
CREATE INDEX clock_advance_open ON clock_advance USING btree (id) WHERE (last_event IS NULL);
CREATE TABLE code_redemption (
    bundle_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    product_identifier text COLLATE "C" NOT NULL,
    offer_identifier text COLLATE "C" NOT NULL,
    transaction_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (bundle_id, customer_identifier, product_identifier, offer_identifier),
    UNIQUE (transaction_id)
);
CREATE TABLE customer (
    bundle_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    account text COLLATE "C" NOT NULL,
    storefront text COLLATE "C" NOT NULL,
    head_seq bigint NOT NULL DEFAULT 0,
    pruned_seq bigint NOT NULL DEFAULT 0,
    modified_seq bigint NOT NULL DEFAULT 0,
    app_transaction_number bigint,
    opened_at bigint NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (bundle_id, customer_identifier),
    UNIQUE (bundle_id, account),
    CHECK ((pruned_seq <= head_seq))
);
CREATE INDEX customer_account ON customer USING btree (account, storefront);
CREATE UNIQUE INDEX customer_app_transaction ON customer USING btree (app_transaction_number, bundle_id) WHERE (app_transaction_number IS NOT NULL);
CREATE TABLE download (
    transaction_id text COLLATE "C" NOT NULL,
    device_id text COLLATE "C" NOT NULL,
    bundle_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    error text COLLATE "C",
    PRIMARY KEY (transaction_id, device_id),
    FOREIGN KEY (transaction_id) REFERENCES payment_transaction(id),
    CHECK (((state = 'failed'::text) = (error IS NOT NULL))),
    CHECK ((state = ANY (ARRAY['waiting'::text, 'active'::text, 'paused'::text, 'finished'::text, 'failed'::text, 'cancelled'::text])))
);
CREATE TABLE family_person (
    bundle_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    family text COLLATE "C" NOT NULL,
    is_organiser bigint NOT NULL,
    shares bigint NOT NULL,
    receives bigint NOT NULL,
    is_gone bigint NOT NULL DEFAULT 0,
    shares_since bigint NOT NULL,
    receives_since bigint NOT NULL,
    joined_at bigint NOT NULL,
    shared_seq bigint NOT NULL DEFAULT '-1'::integer,
    version bigint NOT NULL DEFAULT 1,
    changes bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (bundle_id, customer_identifier),
    FOREIGN KEY (bundle_id, customer_identifier) REFERENCES customer(bundle_id, customer_identifier)
);
CREATE INDEX family_person_family ON family_person USING btree (bundle_id, family);
CREATE TABLE isolated_counter (
    bundle_id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    value bigint NOT NULL,
    PRIMARY KEY (bundle_id, name)
);
CREATE TABLE journal (
    position bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    xact bigint NOT NULL DEFAULT ((current_setting('storebus.log_origin'::text))::bigint + ((pg_current_xact_id())::text)::bigint),
    bundle_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    transaction_id text COLLATE "C",
    revision bigint,
    kind text COLLATE "C" NOT NULL,
    event text COLLATE "C",
    device_id text COLLATE "C",
    body text COLLATE "C" NOT NULL,
    happened_at bigint NOT NULL,
    written_at bigint NOT NULL,
    PRIMARY KEY ("position"),
    UNIQUE (bundle_id, customer_identifier, seq),
    CHECK (((kind = 'restoreEnded'::text) = (transaction_id IS NULL))),
    CHECK (((kind = ANY (ARRAY['restoreEnded'::text, 'downloadsUpdated'::text])) = (device_id IS NOT NULL))),
    CHECK (((transaction_id IS NULL) = (revision IS NULL))),
    CHECK ((kind = ANY (ARRAY['updated'::text, 'removed'::text, 'restoreEnded'::text, 'downloadsUpdated'::text, 'entitlementsRevoked'::text, 'subscriptionChanged'::text])))
);
CREATE INDEX journal_app ON journal USING btree (bundle_id, xact, "position") WHERE (event IS NOT NULL);
CREATE INDEX journal_xact ON journal USING btree (xact, "position");
CREATE TABLE lease_holder (
    name text COLLATE "C" NOT NULL,
    mark text COLLATE "C",
    PRIMARY KEY (name)
);
CREATE TABLE log_origin (
    only_row bigint NOT NULL,
    incarnation text NOT NULL,
    origin bigint NOT NULL,
    PRIMARY KEY (only_row),
    CHECK ((only_row = 1))
);
CREATE TABLE log_removed (
    name text COLLATE "C" NOT NULL,
    last_xact bigint NOT NULL,
    last_position bigint NOT NULL,
    PRIMARY KEY (name)
);
CREATE TABLE mass_extension (
    bundle_id text COLLATE "C" NOT NULL,
    product_identifier text COLLATE "C" NOT NULL,
    request_identifier text COLLATE "C" NOT NULL,
    days bigint NOT NULL,
    storefronts text COLLATE "C",
    place text COLLATE "C" NOT NULL DEFAULT ''::text,
    last_place text COLLATE "C" NOT NULL,
    succeeded bigint NOT NULL DEFAULT 0,
    failed bigint NOT NULL DEFAULT 0,
    created_at bigint NOT NULL,
    completed_at bigint,
    PRIMARY KEY (bundle_id, product_identifier, request_identifier)
);
CREATE INDEX mass_extension_open ON mass_extension USING btree (created_at) WHERE (completed_at IS NULL);
CREATE TABLE offer_claim (
    bundle_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    subscription_group text COLLATE "C" NOT NULL,
    product_identifier text COLLATE "C" NOT NULL,
    transaction_id text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    transaction_identifier text COLLATE "C",
    PRIMARY KEY (bundle_id, customer_identifier, subscription_group),
    UNIQUE (transaction_id),
    FOREIGN KEY (transaction_id) REFERENCES payment_transaction(id),
    CHECK (((state = 'consumed'::text) = (transaction_identifier IS NOT NULL))),
    CHECK ((state = ANY (ARRAY['reserved'::text, 'consumed'::text])))
);
CREATE UNIQUE INDEX offer_claim_product ON offer_claim USING btree (bundle_id, customer_identifier, product_identifier);
CREATE TABLE offer_code (
    id text COLLATE "C" NOT NULL,
    bundle_id text COLLATE "C" NOT NULL,
    product_identifier text COLLATE "C" NOT NULL,
    offer_identifier text COLLATE "C" NOT NULL,
    word text COLLATE "C",
    redemptions_max bigint NOT NULL,
    redemptions bigint NOT NULL DEFAULT 0,
    is_active bigint NOT NULL DEFAULT 1,
    expires_at bigint,
    created_at bigint NOT NULL,
    PRIMARY KEY (id),
    CHECK (((redemptions >= 0) AND (redemptions <= redemptions_max)))
);
CREATE INDEX offer_code_app ON offer_code USING btree (bundle_id, id);
CREATE TABLE offer_code_text (
    bundle_id text COLLATE "C" NOT NULL,
    digest text COLLATE "C" NOT NULL,
    code_id text COLLATE "C" NOT NULL,
    is_spent bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (bundle_id, digest)
);
CREATE TABLE offer_nonce (
    bundle_id text COLLATE "C" NOT NULL,
    nonce text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    request_key text COLLATE "C" NOT NULL,
    PRIMARY KEY (bundle_id, nonce)
);
CREATE TABLE owned_product (
    bundle_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    product_identifier text COLLATE "C" NOT NULL,
    transaction_id text COLLATE "C" NOT NULL,
    transaction_identifier text COLLATE "C" NOT NULL,
    PRIMARY KEY (bundle_id, customer_identifier, product_identifier),
    FOREIGN KEY (transaction_id) REFERENCES payment_transaction(id)
);
CREATE INDEX owned_product_transaction ON owned_product USING btree (transaction_id);
CREATE TABLE paid_group (
    bundle_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    original_id text COLLATE "C" NOT NULL,
    product_identifier text COLLATE "C" NOT NULL,
    subscription_group text COLLATE "C" NOT NULL,
    PRIMARY KEY (original_id, product_identifier, subscription_group),
    FOREIGN KEY (original_id) REFERENCES subscription(original_id)
);
CREATE INDEX paid_group_customer ON paid_group USING btree (bundle_id, customer_identifier);
CREATE TABLE payment_transaction (
    id text COLLATE "C" NOT NULL,
    bundle_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    created_seq bigint NOT NULL,
    state text COLLATE "C" NOT NULL,
    phase text COLLATE "C" NOT NULL,
    is_finished bigint NOT NULL DEFAULT 0,
    revision bigint NOT NULL,
    deliveries bigint NOT NULL DEFAULT 0,
    product_identifier text COLLATE "C" NOT NULL,
    origin_device_id text COLLATE "C" NOT NULL,
    transaction_number bigint,
    charge_key text COLLATE "C" NOT NULL,
    history_seq bigint,
    modified_seq bigint,
    refund_seq bigint,
    listed_type text COLLATE "C",
    is_taken_back bigint NOT NULL DEFAULT 0,
    awaits_answer bigint NOT NULL DEFAULT 0,
    was_deferred bigint NOT NULL DEFAULT 0,
    sign_ins bigint NOT NULL DEFAULT 0,
    supersedes text COLLATE "C",
    request_key text COLLATE "C",
    fingerprint text COLLATE "C",
    intent_identifier text COLLATE "C",
    waits_for text COLLATE "C",
    claimed_by text COLLATE "C",
    claimed_until bigint NOT NULL DEFAULT ((EXTRACT(epoch FROM clock_timestamp()) * (1000)::numeric))::bigint,
    terms text COLLATE "C",
    quote text COLLATE "C",
    offer_request text COLLATE "C",
    body text COLLATE "C" NOT NULL,
    answer_body text COLLATE "C",
    PRIMARY KEY (id),
    UNIQUE (bundle_id, customer_identifier, created_seq),
    FOREIGN KEY (bundle_id, customer_identifier) REFERENCES customer(bundle_id, customer_identifier),
    CHECK (((awaits_answer = 0) OR (phase = ANY (ARRAY['charging'::text, 'granting'::text])))),
    CHECK (((is_finished = 0) OR (state = ANY (ARRAY['purchased'::text, 'failed'::text, 'restored'::text])))),
    CHECK (((request_key IS NOT NULL) OR ((intent_identifier IS NULL) AND (answer_body IS NULL)))),
    CHECK (((request_key IS NULL) = (fingerprint IS NULL))),
    CHECK (((state = ANY (ARRAY['purchased'::text, 'restored'::text])) = (transaction_number IS NOT NULL))),
    CHECK ((phase = ANY (ARRAY['waiting'::text, 'charging'::text, 'granting'::text, 'quarantined'::text, 'settled'::text]))),
    CHECK ((state = ANY (ARRAY['purchasing'::text, 'purchased'::text, 'failed'::text, 'restored'::text, 'deferred'::text])))
);
CREATE INDEX payment_transaction_history ON payment_transaction USING btree (bundle_id, customer_identifier, modified_seq, transaction_number) WHERE (transaction_number IS NOT NULL);
CREATE UNIQUE INDEX payment_transaction_history_order ON payment_transaction USING btree (bundle_id, customer_identifier, history_seq) WHERE (history_seq IS NOT NULL);
CREATE UNIQUE INDEX payment_transaction_intent ON payment_transaction USING btree (bundle_id, intent_identifier) WHERE (intent_identifier IS NOT NULL);
CREATE UNIQUE INDEX payment_transaction_key ON payment_transaction USING btree (bundle_id, customer_identifier, request_key) WHERE (request_key IS NOT NULL);
CREATE UNIQUE INDEX payment_transaction_number ON payment_transaction USING btree (transaction_number, bundle_id) WHERE (transaction_number IS NOT NULL);
CREATE INDEX payment_transaction_refunds ON payment_transaction USING btree (bundle_id, customer_identifier, refund_seq) WHERE (refund_seq IS NOT NULL);
CREATE UNIQUE INDEX payment_transaction_supersedes ON payment_transaction USING btree (supersedes) WHERE (supersedes IS NOT NULL);
CREATE INDEX payment_transaction_unfinished ON payment_transaction USING btree (bundle_id, customer_identifier, created_seq) WHERE (is_finished = 0);
CREATE INDEX payment_transaction_unsettled ON payment_transaction USING btree (id) WHERE ((phase <> 'settled'::text) AND (awaits_answer = 0) AND (waits_for IS NULL));
CREATE INDEX payment_transaction_waiting ON payment_transaction USING btree (bundle_id, customer_identifier, product_identifier, created_seq) WHERE (phase = 'waiting'::text);
CREATE INDEX payment_transaction_waits_for ON payment_transaction USING btree (waits_for) WHERE (waits_for IS NOT NULL);
CREATE TABLE prompt (
    id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    purpose text COLLATE "C" NOT NULL,
    next_kinds text COLLATE "C" NOT NULL,
    bundle_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    transaction_id text COLLATE "C" NOT NULL,
    times bigint NOT NULL DEFAULT 1,
    created_at bigint NOT NULL,
    asked_at bigint NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (transaction_id, purpose),
    FOREIGN KEY (bundle_id, customer_identifier) REFERENCES customer(bundle_id, customer_identifier),
    FOREIGN KEY (transaction_id) REFERENCES payment_transaction(id),
    CHECK ((purpose = ANY (ARRAY['purchase'::text, 'redelivery'::text, 'priceConsent'::text])))
);
CREATE TABLE purchase_slot (
    bundle_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    product_identifier text COLLATE "C" NOT NULL,
    transaction_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (bundle_id, customer_identifier, product_identifier),
    UNIQUE (transaction_id),
    FOREIGN KEY (transaction_id) REFERENCES payment_transaction(id)
);
CREATE TABLE refund (
    refund_key text COLLATE "C" NOT NULL,
    bundle_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    charge_key text COLLATE "C" NOT NULL,
    transaction_id text COLLATE "C" NOT NULL,
    amount_minor bigint NOT NULL,
    currency text COLLATE "C" NOT NULL,
    is_done bigint NOT NULL DEFAULT 0,
    reversal bigint NOT NULL DEFAULT 0,
    created_at bigint NOT NULL,
    PRIMARY KEY (refund_key),
    CHECK ((amount_minor > 0))
);
CREATE INDEX refund_open ON refund USING btree (refund_key) WHERE (is_done = 0);
CREATE INDEX refund_reversal ON refund USING btree (refund_key) WHERE (reversal = 1);
CREATE INDEX refund_transaction ON refund USING btree (transaction_id);
CREATE TABLE refund_request (
    id text COLLATE "C" NOT NULL,
    bundle_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    transaction_id text COLLATE "C" NOT NULL,
    transaction_identifier text COLLATE "C" NOT NULL,
    account text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    reason text COLLATE "C" NOT NULL,
    requested_at bigint NOT NULL,
    decided_at bigint,
    consumption text COLLATE "C",
    PRIMARY KEY (id),
    CHECK (((state = 'open'::text) = (decided_at IS NULL))),
    CHECK ((state = ANY (ARRAY['open'::text, 'granted'::text, 'declined'::text])))
);
CREATE UNIQUE INDEX refund_request_open ON refund_request USING btree (transaction_id) WHERE (state = 'open'::text);
CREATE INDEX refund_request_transaction ON refund_request USING btree (transaction_id);
CREATE INDEX refund_request_waiting ON refund_request USING btree (bundle_id, id) WHERE (state = 'open'::text);
CREATE TABLE restore (
    id text COLLATE "C" NOT NULL,
    bundle_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    device_id text COLLATE "C" NOT NULL,
    request_key text COLLATE "C" NOT NULL,
    application_username text COLLATE "C",
    state text COLLATE "C" NOT NULL,
    restored bigint NOT NULL,
    error text COLLATE "C",
    through_number bigint NOT NULL,
    last_number bigint NOT NULL,
    is_acknowledged bigint NOT NULL DEFAULT 0,
    started_seq bigint NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (bundle_id, customer_identifier, request_key),
    FOREIGN KEY (bundle_id, customer_identifier) REFERENCES customer(bundle_id, customer_identifier),
    CHECK (((is_acknowledged = 0) OR (state <> 'running'::text))),
    CHECK (((state = 'failed'::text) = (error IS NOT NULL))),
    CHECK ((state = ANY (ARRAY['running'::text, 'finished'::text, 'failed'::text])))
);
CREATE INDEX restore_ended ON restore USING btree (bundle_id, customer_identifier, device_id, started_seq) WHERE (is_acknowledged = 0);
CREATE INDEX restore_running ON restore USING btree (id) WHERE (state = 'running'::text);
CREATE TABLE revocation (
    bundle_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    transaction_id text COLLATE "C" NOT NULL,
    product_identifiers text COLLATE "C" NOT NULL,
    PRIMARY KEY (bundle_id, customer_identifier, seq),
    FOREIGN KEY (transaction_id) REFERENCES payment_transaction(id)
);
CREATE TABLE revocation_seen (
    bundle_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    device_id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    PRIMARY KEY (bundle_id, customer_identifier, device_id)
);
CREATE TABLE schema_migration (
    number bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    name text COLLATE "C" NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    PRIMARY KEY (number)
);
CREATE TABLE server_event (
    position bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    xact bigint NOT NULL DEFAULT ((current_setting('storebus.log_origin'::text))::bigint + ((pg_current_xact_id())::text)::bigint),
    bundle_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    written_at bigint NOT NULL,
    body text COLLATE "C" NOT NULL,
    PRIMARY KEY ("position")
);
CREATE INDEX server_event_xact ON server_event USING btree (xact, "position");
CREATE TABLE server_event_reader (
    name text COLLATE "C" NOT NULL,
    position text COLLATE "C" NOT NULL,
    PRIMARY KEY (name)
);
CREATE TABLE shared_purchase (
    bundle_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    buyer_transaction text COLLATE "C" NOT NULL,
    buyer text COLLATE "C" NOT NULL,
    buyer_revision bigint NOT NULL,
    buyer_original text COLLATE "C",
    transaction_id text COLLATE "C" NOT NULL,
    original_id text COLLATE "C" NOT NULL,
    expires_at bigint,
    is_revoked bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (bundle_id, customer_identifier, buyer_transaction),
    UNIQUE (transaction_id),
    CHECK (((buyer_original IS NULL) = (expires_at IS NULL)))
);
CREATE INDEX shared_purchase_buyer ON shared_purchase USING btree (bundle_id, buyer);
CREATE TABLE store_identity (
    only_row bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    database_id text COLLATE "C" NOT NULL,
    store_id text COLLATE "C",
    PRIMARY KEY (only_row),
    CHECK ((only_row = 1))
);
CREATE TABLE subscription (
    bundle_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    subscription_group text COLLATE "C" NOT NULL,
    original_id text COLLATE "C" NOT NULL,
    original_identifier text COLLATE "C" NOT NULL,
    revision bigint NOT NULL,
    state text COLLATE "C" NOT NULL,
    product_identifier text COLLATE "C" NOT NULL,
    level bigint NOT NULL,
    length text COLLATE "C" NOT NULL,
    period_index bigint NOT NULL,
    period_start bigint NOT NULL,
    active_until bigint NOT NULL,
    active_id text COLLATE "C" NOT NULL,
    active_transaction text COLLATE "C" NOT NULL,
    anchor bigint NOT NULL,
    anchor_count bigint NOT NULL,
    will_auto_renew bigint NOT NULL,
    renew_product text COLLATE "C" NOT NULL,
    paid_group text COLLATE "C" NOT NULL,
    price text COLLATE "C",
    offer text COLLATE "C",
    offer_left bigint NOT NULL DEFAULT 0,
    rate text COLLATE "C" NOT NULL DEFAULT 'realTime'::text,
    renewals bigint NOT NULL DEFAULT 0,
    fails_next bigint NOT NULL DEFAULT 0,
    retry_since bigint,
    retry_count bigint NOT NULL DEFAULT 0,
    grace_until bigint,
    expiration_reason text COLLATE "C",
    due_at bigint,
    attempt text COLLATE "C",
    claimed_by text COLLATE "C",
    claimed_until bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (bundle_id, customer_identifier, subscription_group),
    UNIQUE (original_id),
    UNIQUE (original_identifier, bundle_id),
    FOREIGN KEY (bundle_id, customer_identifier) REFERENCES customer(bundle_id, customer_identifier),
    FOREIGN KEY (original_id) REFERENCES payment_transaction(id),
    CHECK ((state = ANY (ARRAY['subscribed'::text, 'expired'::text, 'inBillingRetryPeriod'::text, 'inGracePeriod'::text, 'revoked'::text])))
);
CREATE INDEX subscription_attempt ON subscription USING btree (bundle_id, original_id) WHERE (attempt IS NOT NULL);
CREATE INDEX subscription_due ON subscription USING btree (bundle_id, due_at, original_id) WHERE (due_at IS NOT NULL);
CREATE TABLE subscription_event (
    position bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    bundle_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    original_id text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    body text COLLATE "C" NOT NULL,
    PRIMARY KEY ("position"),
    FOREIGN KEY (original_id) REFERENCES subscription(original_id)
);
CREATE INDEX subscription_event_app ON subscription_event USING btree (bundle_id, "position", at);
CREATE INDEX subscription_event_timeline ON subscription_event USING btree (original_id, "position");
CREATE TABLE subscription_extension (
    bundle_id text COLLATE "C" NOT NULL,
    request_identifier text COLLATE "C" NOT NULL,
    original_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    extended_at bigint NOT NULL,
    effective_at bigint NOT NULL,
    line_item text COLLATE "C",
    PRIMARY KEY (bundle_id, request_identifier, original_id)
);
CREATE INDEX subscription_extension_original ON subscription_extension USING btree (original_id, extended_at);
CREATE TABLE subscription_period (
    bundle_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    original_id text COLLATE "C" NOT NULL,
    period_index bigint NOT NULL,
    transaction_id text COLLATE "C" NOT NULL,
    charge_key text COLLATE "C",
    amount_minor bigint NOT NULL,
    currency text COLLATE "C" NOT NULL,
    starts_at bigint NOT NULL,
    ends_at bigint NOT NULL,
    PRIMARY KEY (original_id, period_index),
    UNIQUE (charge_key),
    UNIQUE (transaction_id),
    FOREIGN KEY (original_id) REFERENCES subscription(original_id),
    FOREIGN KEY (transaction_id) REFERENCES payment_transaction(id),
    CHECK ((starts_at <= ends_at))
);
CREATE TABLE tester (
    scope text COLLATE "C" NOT NULL,
    account text COLLATE "C" NOT NULL,
    settings text COLLATE "C" NOT NULL,
    updated_at bigint NOT NULL,
    PRIMARY KEY (scope, account)
);
CREATE TABLE testers_version (
    id bigint NOT NULL,
    version bigint NOT NULL,
    PRIMARY KEY (id),
    CHECK ((id = 1))
);
CREATE TABLE used_intent (
    bundle_id text COLLATE "C" NOT NULL,
    intent_identifier text COLLATE "C" NOT NULL,
    PRIMARY KEY (bundle_id, intent_identifier)
);
CREATE SEQUENCE counter_app_transaction START WITH 7000000000000000001;
CREATE SEQUENCE counter_launch START WITH 1;
CREATE SEQUENCE counter_prompt START WITH 1;
CREATE SEQUENCE counter_transaction START WITH 2000000000000001;
INSERT INTO app_removal VALUES ('1', '0');
INSERT INTO testers_version VALUES ('1', '1');
