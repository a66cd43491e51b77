-- The tables of catalog's database, read from a new one by SchemaPageTests on each engine.
-- STOREBUS_GOLDEN=write renews the file. A fingerprint of a released version never changes.
-- 1 '0.1.0': SQLite b4e38b0a57311b79, PostgreSQL 52d41bc6f4ac5879

-- SQLite

CREATE TABLE app (
    bundle_id TEXT PRIMARY KEY,
    settings BLOB NOT NULL,
    settings_revision BIGINT NOT NULL,
    catalog_version BIGINT NOT NULL,
    deletion BIGINT
);
CREATE TABLE app_removal (id BIGINT PRIMARY KEY CHECK (id = 1), ended BIGINT NOT NULL);
CREATE TABLE catalog_file (
    bundle_id TEXT PRIMARY KEY REFERENCES app (bundle_id),
    version BIGINT NOT NULL,
    file_name TEXT NOT NULL
);
CREATE TABLE catalog_part (
    bundle_id TEXT NOT NULL REFERENCES app (bundle_id),
    part BIGINT NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (bundle_id, part)
);
CREATE TABLE content_chunk (
    package_id TEXT NOT NULL REFERENCES content_package (id) ON DELETE CASCADE,
    at_byte BIGINT NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (package_id, at_byte)
);
CREATE TABLE content_package (
    id TEXT PRIMARY KEY,
    bundle_id TEXT NOT NULL REFERENCES app (bundle_id),
    product_identifier TEXT NOT NULL,
    version TEXT NOT NULL,
    kind TEXT NOT NULL DEFAULT 'content' CHECK (kind = 'content' OR kind = 'image'),
    state TEXT NOT NULL CHECK (state = 'open' OR state = 'inForce' OR state = 'dropped'),
    declared_length BIGINT NOT NULL,
    length BIGINT NOT NULL,
    part_count BIGINT NOT NULL,
    sha256 TEXT,
    is_replacement BIGINT,
    touched_at BIGINT NOT NULL,
    CHECK (state <> 'inForce' OR (sha256 IS NOT NULL AND is_replacement IS NOT NULL))
);
CREATE UNIQUE INDEX content_in_force ON content_package (bundle_id, product_identifier, version)
    WHERE state = 'inForce';
CREATE INDEX content_state ON content_package (state, touched_at);
CREATE TABLE deleted_version (id BIGINT PRIMARY KEY CHECK (id = 1), version BIGINT NOT NULL);
CREATE TABLE featured_list (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    products BLOB NOT NULL
);
CREATE TABLE import (
    id TEXT PRIMARY KEY,
    bundle_id TEXT NOT NULL,
    file_name TEXT NOT NULL,
    byte_count BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    revision BIGINT NOT NULL,
    outcome BLOB
);
CREATE INDEX import_created_at ON import (created_at);
CREATE TABLE import_part (
    import_id TEXT NOT NULL REFERENCES import (id) ON DELETE CASCADE,
    part BIGINT NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (import_id, part)
);
CREATE TABLE lease_holder (
    name TEXT PRIMARY KEY,
    mark TEXT
);
CREATE TABLE log_removed (
    name TEXT PRIMARY KEY, last_xact BIGINT NOT NULL, last_position BIGINT NOT NULL);
CREATE TABLE promotion_image (
    package_id TEXT PRIMARY KEY REFERENCES content_package (id) ON DELETE CASCADE,
    bundle_id TEXT NOT NULL REFERENCES app (bundle_id),
    product_identifier TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state = 'waiting' OR state = 'approved' OR state = 'rejected'),
    format TEXT NOT NULL CHECK (format = 'png' OR format = 'jpeg'),
    width BIGINT NOT NULL,
    height BIGINT NOT NULL,
    reason TEXT,
    UNIQUE (bundle_id, product_identifier)
);
CREATE TABLE promotion_list (
    bundle_id TEXT PRIMARY KEY REFERENCES app (bundle_id),
    entries BLOB NOT NULL
);
CREATE TABLE schema_migration (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, fingerprint TEXT NOT NULL);
CREATE TABLE store_identity (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1), database_id TEXT NOT NULL, store_id TEXT);
INSERT INTO app_removal VALUES (1, 0);
INSERT INTO deleted_version VALUES (1, 0);

-- PostgreSQL

CREATE TABLE app (
    bundle_id text COLLATE "C" NOT NULL,
    settings bytea NOT NULL,
    settings_revision bigint NOT NULL,
    catalog_version bigint NOT NULL,
    deletion bigint,
    PRIMARY KEY (bundle_id)
);
CREATE TABLE app_removal (
    id bigint NOT NULL,
    ended bigint NOT NULL,
    PRIMARY KEY (id),
    CHECK ((id = 1))
);
CREATE TABLE catalog_file (
    bundle_id text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    file_name text COLLATE "C" NOT NULL,
    PRIMARY KEY (bundle_id),
    FOREIGN KEY (bundle_id) REFERENCES app(bundle_id)
);
CREATE TABLE catalog_part (
    bundle_id text COLLATE "C" NOT NULL,
    part bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (bundle_id, part),
    FOREIGN KEY (bundle_id) REFERENCES app(bundle_id)
);
CREATE TABLE content_chunk (
    package_id text COLLATE "C" NOT NULL,
    at_byte bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (package_id, at_byte),
    FOREIGN KEY (package_id) REFERENCES content_package(id) ON DELETE CASCADE
);
CREATE TABLE content_package (
    id text COLLATE "C" NOT NULL,
    bundle_id text COLLATE "C" NOT NULL,
    product_identifier text COLLATE "C" NOT NULL,
    version text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL DEFAULT 'content'::text,
    state text COLLATE "C" NOT NULL,
    declared_length bigint NOT NULL,
    length bigint NOT NULL,
    part_count bigint NOT NULL,
    sha256 text COLLATE "C",
    is_replacement bigint,
    touched_at bigint NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY (bundle_id) REFERENCES app(bundle_id),
    CHECK (((state <> 'inForce'::text) OR ((sha256 IS NOT NULL) AND (is_replacement IS NOT NULL)))),
    CHECK ((kind = ANY (ARRAY['content'::text, 'image'::text]))),
    CHECK ((state = ANY (ARRAY['open'::text, 'inForce'::text, 'dropped'::text])))
);
CREATE UNIQUE INDEX content_in_force ON content_package USING btree (bundle_id, product_identifier, version) WHERE (state = 'inForce'::text);
CREATE INDEX content_state ON content_package USING btree (state, touched_at);
CREATE TABLE deleted_version (
    id bigint NOT NULL,
    version bigint NOT NULL,
    PRIMARY KEY (id),
    CHECK ((id = 1))
);
CREATE TABLE featured_list (
    id bigint NOT NULL,
    products bytea NOT NULL,
    PRIMARY KEY (id),
    CHECK ((id = 1))
);
CREATE TABLE import (
    id text COLLATE "C" NOT NULL,
    bundle_id text COLLATE "C" NOT NULL,
    file_name text COLLATE "C" NOT NULL,
    byte_count bigint NOT NULL,
    created_at bigint NOT NULL,
    revision bigint NOT NULL,
    outcome bytea,
    PRIMARY KEY (id)
);
CREATE INDEX import_created_at ON import USING btree (created_at);
CREATE TABLE import_part (
    import_id text COLLATE "C" NOT NULL,
    part bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (import_id, part),
    FOREIGN KEY (import_id) REFERENCES import(id) ON DELETE CASCADE
);
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
CREATE TABLE promotion_image (
    package_id text COLLATE "C" NOT NULL,
    bundle_id text COLLATE "C" NOT NULL,
    product_identifier text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    format text COLLATE "C" NOT NULL,
    width bigint NOT NULL,
    height bigint NOT NULL,
    reason text COLLATE "C",
    PRIMARY KEY (package_id),
    UNIQUE (bundle_id, product_identifier),
    FOREIGN KEY (bundle_id) REFERENCES app(bundle_id),
    FOREIGN KEY (package_id) REFERENCES content_package(id) ON DELETE CASCADE,
    CHECK ((format = ANY (ARRAY['png'::text, 'jpeg'::text]))),
    CHECK ((state = ANY (ARRAY['waiting'::text, 'approved'::text, 'rejected'::text])))
);
CREATE TABLE promotion_list (
    bundle_id text COLLATE "C" NOT NULL,
    entries bytea NOT NULL,
    PRIMARY KEY (bundle_id),
    FOREIGN KEY (bundle_id) REFERENCES app(bundle_id)
);
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
INSERT INTO deleted_version VALUES ('1', '0');
