import Persistence

extension Migration {
    /// What apps' servers and operators change by the App Store Server API: extensions, refund requests, reversals.
    ///
    /// - `subscription_extension` has the responses to extensions, by the server's name of the request.
    /// - `mass_extension` is an extension of all subscriptions of a product: `place` is the last that was decided about,
    ///   `last_place` the last there was at the request.
    /// - `refund.reversal` is 1 for a refund that is to be taken back at the processor, 2 for one that was.
    static let serverWrites = Migration(
        number: 20, name: "extensions, refund requests and reversals",
        sql: """
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

            CREATE TABLE refund_request (
                id TEXT PRIMARY KEY,
                bundle_id TEXT NOT NULL,
                customer_identifier TEXT NOT NULL,
                transaction_id TEXT NOT NULL,
                transaction_identifier TEXT NOT NULL,
                account TEXT NOT NULL,
                state TEXT NOT NULL CHECK (state IN ('open', 'granted', 'declined')),
                reason TEXT NOT NULL,
                requested_at BIGINT NOT NULL,
                decided_at BIGINT,
                consumption TEXT,
                CHECK ((state = 'open') = (decided_at IS NULL))
            );
            CREATE UNIQUE INDEX refund_request_open ON refund_request (transaction_id) WHERE state = 'open';
            CREATE INDEX refund_request_transaction ON refund_request (transaction_id);

            ALTER TABLE refund ADD COLUMN reversal INTEGER NOT NULL DEFAULT 0;
            CREATE INDEX refund_reversal ON refund (refund_key) WHERE reversal = 1;
            """)
}
