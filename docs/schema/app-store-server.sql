-- The tables of app-store-server's database, read from a new one by SchemaPageTests on each engine.
-- STOREBUS_GOLDEN=write renews the file. A fingerprint of a released version never changes.
-- 1 '0.1.0': SQLite 23f9c9b078736f30, PostgreSQL dc0aa2e3184ceb5b

-- SQLite

CREATE TABLE app_key (
    key_identifier TEXT PRIMARY KEY,
    bundle_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    digest TEXT,
    public_key TEXT
);
CREATE INDEX app_key_bundle_id ON app_key (bundle_id);
CREATE TABLE app_removal (id BIGINT PRIMARY KEY CHECK (id = 1), ended BIGINT NOT NULL);
CREATE TABLE attempt (
    id TEXT PRIMARY KEY,
    position BIGINT NOT NULL REFERENCES notification (position),
    number INTEGER NOT NULL,
    attempted_at BIGINT NOT NULL,
    is_leased INTEGER NOT NULL DEFAULT 0,
    url TEXT NOT NULL,
    result TEXT,
    http_status INTEGER,
    duration_ms INTEGER,
    body_start TEXT,
    UNIQUE (position, number)
);
CREATE TABLE endpoint (bundle_id TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE log_removed (
    name TEXT PRIMARY KEY, last_xact BIGINT NOT NULL, last_position BIGINT NOT NULL);
CREATE TABLE notification (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL,
    source TEXT,
    bundle_id TEXT NOT NULL,
    customer_identifier TEXT,
    account TEXT,
    type TEXT NOT NULL,
    subtype TEXT,
    event_at BIGINT NOT NULL,
    signed_at BIGINT NOT NULL,
    state TEXT NOT NULL
        CHECK (state = 'pending' OR state = 'retrying' OR state = 'delivered' OR state = 'failed' OR state = 'noEndpoint'),
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at BIGINT,
    due_wall BIGINT,
    claimed_by TEXT,
    claimed_until BIGINT NOT NULL DEFAULT 0,
    UNIQUE (uuid, bundle_id),
    CHECK (due_at IS NULL OR due_wall IS NULL)
);
CREATE INDEX notification_app ON notification (bundle_id, position);
CREATE INDEX notification_attempt ON notification (bundle_id, claimed_by, customer_identifier)
    WHERE claimed_by IS NOT NULL;
CREATE INDEX notification_customer
    ON notification (bundle_id, customer_identifier, event_at, signed_at);
CREATE INDEX notification_due ON notification (bundle_id, due_at, position) WHERE due_at IS NOT NULL;
CREATE INDEX notification_due_wall ON notification (bundle_id, due_wall) WHERE due_wall IS NOT NULL;
CREATE INDEX notification_sent ON notification (bundle_id, signed_at, position);
CREATE UNIQUE INDEX notification_source ON notification (source) WHERE source IS NOT NULL;
CREATE TABLE notification_payload (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    draft TEXT NOT NULL,
    payload TEXT
);
CREATE TABLE outbox_reader (name TEXT PRIMARY KEY, position TEXT NOT NULL);
CREATE TABLE schema_migration (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, fingerprint TEXT NOT NULL);
CREATE TABLE server_api_app (
    bundle_id TEXT PRIMARY KEY,
    environment TEXT NOT NULL,
    app_apple_id BIGINT,
    rate_limits TEXT,
    expires_at BIGINT
);
CREATE TABLE server_api_fault (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    bundle_id TEXT NOT NULL,
    path TEXT,
    error_code BIGINT,
    outcome TEXT,
    remaining INTEGER NOT NULL CHECK (remaining >= 0),
    CHECK ((error_code IS NULL) <> (outcome IS NULL))
);
CREATE INDEX server_api_fault_app ON server_api_fault (bundle_id, position);
CREATE TABLE server_api_issuer (name TEXT PRIMARY KEY, issuer_id TEXT NOT NULL);
CREATE TABLE server_api_rate (
    bundle_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    hour BIGINT NOT NULL,
    requests BIGINT NOT NULL,
    PRIMARY KEY (bundle_id, operation)
);
CREATE TABLE signing_authority (
    name TEXT PRIMARY KEY,
    root_certificate BLOB NOT NULL,
    intermediate_certificate BLOB NOT NULL,
    leaf_certificate BLOB NOT NULL,
    root_key BLOB NOT NULL,
    intermediate_key BLOB NOT NULL,
    leaf_key BLOB NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE TABLE signing_state (
    name TEXT PRIMARY KEY,
    version BIGINT NOT NULL,
    ocsp_mode TEXT NOT NULL,
    public_url TEXT
);
CREATE TABLE store_identity (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1), database_id TEXT NOT NULL, store_id TEXT);
INSERT INTO app_removal VALUES (1, 0);

-- PostgreSQL

CREATE TABLE app_key (
    key_identifier text COLLATE "C" NOT NULL,
    bundle_id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    digest text COLLATE "C",
    public_key text COLLATE "C",
    PRIMARY KEY (key_identifier)
);
CREATE INDEX app_key_bundle_id ON app_key USING btree (bundle_id);
CREATE TABLE app_removal (
    id bigint NOT NULL,
    ended bigint NOT NULL,
    PRIMARY KEY (id),
    CHECK ((id = 1))
);
CREATE TABLE attempt (
    id text COLLATE "C" NOT NULL,
    position bigint NOT NULL,
    number bigint NOT NULL,
    attempted_at bigint NOT NULL,
    is_leased bigint NOT NULL DEFAULT 0,
    url text COLLATE "C" NOT NULL,
    result text COLLATE "C",
    http_status bigint,
    duration_ms bigint,
    body_start text COLLATE "C",
    PRIMARY KEY (id),
    UNIQUE ("position", number),
    FOREIGN KEY ("position") REFERENCES notification("position")
);
CREATE TABLE endpoint (
    bundle_id text COLLATE "C" NOT NULL,
    body text COLLATE "C" NOT NULL,
    PRIMARY KEY (bundle_id)
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
CREATE TABLE notification (
    position bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    uuid text COLLATE "C" NOT NULL,
    source text COLLATE "C",
    bundle_id text COLLATE "C" NOT NULL,
    customer_identifier text COLLATE "C",
    account text COLLATE "C",
    type text COLLATE "C" NOT NULL,
    subtype text COLLATE "C",
    event_at bigint NOT NULL,
    signed_at bigint NOT NULL,
    state text COLLATE "C" NOT NULL,
    attempts bigint NOT NULL DEFAULT 0,
    due_at bigint,
    due_wall bigint,
    claimed_by text COLLATE "C",
    claimed_until bigint NOT NULL DEFAULT 0,
    PRIMARY KEY ("position"),
    UNIQUE (uuid, bundle_id),
    CHECK (((due_at IS NULL) OR (due_wall IS NULL))),
    CHECK ((state = ANY (ARRAY['pending'::text, 'retrying'::text, 'delivered'::text, 'failed'::text, 'noEndpoint'::text])))
);
CREATE INDEX notification_app ON notification USING btree (bundle_id, "position");
CREATE INDEX notification_attempt ON notification USING btree (bundle_id, claimed_by, customer_identifier) WHERE (claimed_by IS NOT NULL);
CREATE INDEX notification_customer ON notification USING btree (bundle_id, customer_identifier, event_at, signed_at);
CREATE INDEX notification_due ON notification USING btree (bundle_id, due_at, "position") WHERE (due_at IS NOT NULL);
CREATE INDEX notification_due_wall ON notification USING btree (bundle_id, due_wall) WHERE (due_wall IS NOT NULL);
CREATE INDEX notification_sent ON notification USING btree (bundle_id, signed_at, "position");
CREATE UNIQUE INDEX notification_source ON notification USING btree (source) WHERE (source IS NOT NULL);
CREATE TABLE notification_payload (
    position bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    draft text COLLATE "C" NOT NULL,
    payload text COLLATE "C",
    PRIMARY KEY ("position")
);
CREATE TABLE outbox_reader (
    name text COLLATE "C" NOT NULL,
    position text COLLATE "C" NOT NULL,
    PRIMARY KEY (name)
);
CREATE TABLE schema_migration (
    number bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    name text COLLATE "C" NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    PRIMARY KEY (number)
);
CREATE TABLE server_api_app (
    bundle_id text COLLATE "C" NOT NULL,
    environment text COLLATE "C" NOT NULL,
    app_apple_id bigint,
    rate_limits text COLLATE "C",
    expires_at bigint,
    PRIMARY KEY (bundle_id)
);
CREATE TABLE server_api_fault (
    position bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    bundle_id text COLLATE "C" NOT NULL,
    path text COLLATE "C",
    error_code bigint,
    outcome text COLLATE "C",
    remaining bigint NOT NULL,
    PRIMARY KEY ("position"),
    CHECK (((error_code IS NULL) <> (outcome IS NULL))),
    CHECK ((remaining >= 0))
);
CREATE INDEX server_api_fault_app ON server_api_fault USING btree (bundle_id, "position");
CREATE TABLE server_api_issuer (
    name text COLLATE "C" NOT NULL,
    issuer_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (name)
);
CREATE TABLE server_api_rate (
    bundle_id text COLLATE "C" NOT NULL,
    operation text COLLATE "C" NOT NULL,
    hour bigint NOT NULL,
    requests bigint NOT NULL,
    PRIMARY KEY (bundle_id, operation)
);
CREATE TABLE signing_authority (
    name text COLLATE "C" NOT NULL,
    root_certificate bytea NOT NULL,
    intermediate_certificate bytea NOT NULL,
    leaf_certificate bytea NOT NULL,
    root_key bytea NOT NULL,
    intermediate_key bytea NOT NULL,
    leaf_key bytea NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (name)
);
CREATE TABLE signing_state (
    name text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    ocsp_mode text COLLATE "C" NOT NULL,
    public_url text COLLATE "C",
    PRIMARY KEY (name)
);
CREATE TABLE store_identity (
    only_row bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    database_id text COLLATE "C" NOT NULL,
    store_id text COLLATE "C",
    PRIMARY KEY (only_row),
    CHECK ((only_row = 1))
);
INSERT INTO app_removal VALUES ('1', '0');
