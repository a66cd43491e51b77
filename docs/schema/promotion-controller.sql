-- The tables of promotion-controller's database, read from a new one by SchemaPageTests on each engine.
-- STOREBUS_GOLDEN=write renews the file. A fingerprint of a released version never changes.
-- 1 '0.1.0': SQLite 68ffe853706f2ed8, PostgreSQL 62d9d513f229bc95

-- SQLite

CREATE TABLE app_clock (
    bundle_id TEXT PRIMARY KEY,
    epoch BIGINT NOT NULL,
    anchor_wall BIGINT NOT NULL,
    anchor_business BIGINT NOT NULL,
    rate_millionths BIGINT NOT NULL,
    is_frozen INTEGER NOT NULL
);
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
CREATE TABLE app_removal (id BIGINT PRIMARY KEY CHECK (id = 1), ended BIGINT NOT NULL);
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
CREATE TABLE intent_event (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    xact BIGINT NOT NULL DEFAULT 0,
    kind TEXT NOT NULL,
    bundle_id TEXT NOT NULL,
    account TEXT NOT NULL,
    body TEXT NOT NULL,
    happened_at BIGINT NOT NULL,
    written_at BIGINT NOT NULL
);
CREATE TABLE intent_head (
    bundle_id TEXT NOT NULL,
    device_id TEXT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (bundle_id, device_id)
);
CREATE TABLE log_removed (
    name TEXT PRIMARY KEY, last_xact BIGINT NOT NULL, last_position BIGINT NOT NULL);
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
        CHECK (state = 'pending' OR state = 'deferred' OR state = 'continued' OR state = 'cancelled' OR state = 'expired'),
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
CREATE INDEX purchase_intent_account ON purchase_intent (account, intent_identifier);
CREATE INDEX purchase_intent_age ON purchase_intent (started_at);
CREATE INDEX purchase_intent_expiring ON purchase_intent (bundle_id, expires_at)
    WHERE state IN ('pending', 'deferred');
CREATE INDEX purchase_intent_installation ON purchase_intent (device_id, bundle_id, intent_identifier);
CREATE INDEX purchase_intent_open ON purchase_intent (device_id, bundle_id, intent_identifier)
    WHERE state IN ('pending', 'deferred');
CREATE INDEX purchase_intent_unadded ON purchase_intent (intent_identifier)
    WHERE state = 'continued' AND is_added = 0;
CREATE INDEX purchase_intent_unanswered ON purchase_intent (answer_by) WHERE state = 'pending';
CREATE TABLE purchase_start (
    device_id TEXT NOT NULL,
    bundle_id TEXT NOT NULL,
    request_identifier TEXT NOT NULL,
    intent_identifier TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    PRIMARY KEY (device_id, bundle_id, request_identifier)
);
CREATE INDEX purchase_start_age ON purchase_start (started_at);
CREATE TABLE schema_migration (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, fingerprint TEXT NOT NULL);
CREATE TABLE store_identity (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1), database_id TEXT NOT NULL, store_id TEXT);
INSERT INTO app_removal VALUES (1, 0);

-- PostgreSQL

CREATE TABLE app_clock (
    bundle_id text COLLATE "C" NOT NULL,
    epoch bigint NOT NULL,
    anchor_wall bigint NOT NULL,
    anchor_business bigint NOT NULL,
    rate_millionths bigint NOT NULL,
    is_frozen bigint NOT NULL,
    PRIMARY KEY (bundle_id)
);
CREATE TABLE app_prompt (
    id text COLLATE "C" NOT NULL,
    bundle_id text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    device_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    account text COLLATE "C" NOT NULL,
    version text COLLATE "C" NOT NULL,
    product_identifier text COLLATE "C",
    app_price text COLLATE "C",
    created_at bigint NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (bundle_id, device_id, customer_identifier),
    FOREIGN KEY (scope, device_id) REFERENCES device(scope, device_id)
);
CREATE TABLE app_removal (
    id bigint NOT NULL,
    ended bigint NOT NULL,
    PRIMARY KEY (id),
    CHECK ((id = 1))
);
CREATE TABLE device (
    scope text COLLATE "C" NOT NULL,
    device_id text COLLATE "C" NOT NULL,
    platform text COLLATE "C" NOT NULL,
    os_version text COLLATE "C" NOT NULL,
    seen_at bigint NOT NULL,
    PRIMARY KEY (scope, device_id)
);
CREATE TABLE installation (
    bundle_id text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    device_id text COLLATE "C" NOT NULL,
    version text COLLATE "C" NOT NULL,
    promoted_purchases text COLLATE "C",
    launched_version text COLLATE "C",
    launched_at bigint,
    overrides text COLLATE "C",
    PRIMARY KEY (bundle_id, device_id),
    FOREIGN KEY (scope, device_id) REFERENCES device(scope, device_id),
    CHECK (((launched_at IS NULL) = (launched_version IS NULL)))
);
CREATE INDEX installation_device ON installation USING btree (scope, device_id, bundle_id);
CREATE TABLE intent_event (
    position bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    xact bigint NOT NULL DEFAULT ((current_setting('storebus.log_origin'::text))::bigint + ((pg_current_xact_id())::text)::bigint),
    kind text COLLATE "C" NOT NULL,
    bundle_id text COLLATE "C" NOT NULL,
    account text COLLATE "C" NOT NULL,
    body text COLLATE "C" NOT NULL,
    happened_at bigint NOT NULL,
    written_at bigint NOT NULL,
    PRIMARY KEY ("position")
);
CREATE INDEX intent_event_xact ON intent_event USING btree (xact, "position");
CREATE TABLE intent_head (
    bundle_id text COLLATE "C" NOT NULL,
    device_id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    PRIMARY KEY (bundle_id, device_id)
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
CREATE TABLE purchase_intent (
    intent_identifier text COLLATE "C" NOT NULL,
    bundle_id text COLLATE "C" NOT NULL,
    device_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C" NOT NULL,
    account text COLLATE "C" NOT NULL,
    product_identifier text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    payment text COLLATE "C" NOT NULL,
    product text COLLATE "C" NOT NULL,
    offer text COLLATE "C",
    supported_since text COLLATE "C",
    prompt_id text COLLATE "C",
    state text COLLATE "C" NOT NULL,
    answer_by bigint,
    expires_at bigint NOT NULL,
    deferred_by text COLLATE "C",
    feedback text COLLATE "C",
    addition text COLLATE "C",
    is_added bigint NOT NULL DEFAULT 0,
    transaction_id text COLLATE "C",
    revision bigint NOT NULL,
    started_at bigint NOT NULL,
    PRIMARY KEY (intent_identifier),
    CHECK (((is_added = 0) OR (state = 'continued'::text))),
    CHECK (((state <> 'continued'::text) OR (addition IS NOT NULL))),
    CHECK ((state = ANY (ARRAY['pending'::text, 'deferred'::text, 'continued'::text, 'cancelled'::text, 'expired'::text])))
);
CREATE INDEX purchase_intent_account ON purchase_intent USING btree (account, intent_identifier);
CREATE INDEX purchase_intent_age ON purchase_intent USING btree (started_at);
CREATE INDEX purchase_intent_expiring ON purchase_intent USING btree (bundle_id, expires_at) WHERE (state = ANY (ARRAY['pending'::text, 'deferred'::text]));
CREATE INDEX purchase_intent_installation ON purchase_intent USING btree (device_id, bundle_id, intent_identifier);
CREATE INDEX purchase_intent_open ON purchase_intent USING btree (device_id, bundle_id, intent_identifier) WHERE (state = ANY (ARRAY['pending'::text, 'deferred'::text]));
CREATE INDEX purchase_intent_unadded ON purchase_intent USING btree (intent_identifier) WHERE ((state = 'continued'::text) AND (is_added = 0));
CREATE INDEX purchase_intent_unanswered ON purchase_intent USING btree (answer_by) WHERE (state = 'pending'::text);
CREATE TABLE purchase_start (
    device_id text COLLATE "C" NOT NULL,
    bundle_id text COLLATE "C" NOT NULL,
    request_identifier text COLLATE "C" NOT NULL,
    intent_identifier text COLLATE "C" NOT NULL,
    started_at bigint NOT NULL,
    PRIMARY KEY (device_id, bundle_id, request_identifier)
);
CREATE INDEX purchase_start_age ON purchase_start USING btree (started_at);
CREATE TABLE schema_migration (
    number bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    name text COLLATE "C" NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    PRIMARY KEY (number)
);
CREATE TABLE store_identity (
    only_row bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    database_id text COLLATE "C" NOT NULL,
    store_id text COLLATE "C",
    PRIMARY KEY (only_row),
    CHECK ((only_row = 1))
);
INSERT INTO app_removal VALUES ('1', '0');
