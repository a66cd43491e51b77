extension PaymentQueueSchema {
    /// One row, which grows with each change of a tester's settings.
    static let testersVersion = """
        CREATE TABLE testers_version (id BIGINT PRIMARY KEY CHECK (id = 1), version BIGINT NOT NULL);
        INSERT INTO testers_version (id, version) VALUES (1, 1);
        """
}
