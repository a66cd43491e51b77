#if PLANTED_BUGS
    import EventLoop
    import Persistence
    import PlantedBugs
    import StoreModels

    extension PlantedBug {
        /// The tables of the schema that have no unique keys.
        private var tables: [String] {
            switch self {
            case .checkThenInsert: ["payment"]
            case .offerClaimedTwice: ["offer_claim"]
            case .renewalWithoutUniqueRow: ["subscription_period"]
            case .intentPaidTwice: ["payment", "used_intent"]
            default: []
            }
        }

        /// Makes the tables again without keys and constraints, as a schema that forgot them would.
        ///
        /// SQLite only: a table of PostgreSQL keeps them, and the bug does not show.
        func dropKeys(in database: any SQLDatabase) async {
            guard database.dialect == .sqlite else { return }
            do {
                try await database.write { transaction in
                    for table in tables {
                        try await transaction.execute("CREATE TABLE planted AS SELECT * FROM \(table)")
                        try await transaction.execute("DROP TABLE \(table)")
                        try await transaction.execute("ALTER TABLE planted RENAME TO \(table)")
                    }
                }
            } catch {
                fatalError("the bug '\(rawValue)' cannot be planted: \(error)")
            }
        }

        /// Lets the logs' next numbers fall back to the last row that is left, as SQLite's keys without AUTOINCREMENT do.
        func reusePositions(in database: any SQLDatabase) async {
            guard self == .positionsReused, database.dialect == .sqlite else { return }
            do {
                try await database.write { transaction in
                    for table in ["journal", "server_event"] {
                        try await transaction.execute(
                            """
                            CREATE TRIGGER IF NOT EXISTS planted_\(table) AFTER DELETE ON \(table) BEGIN
                                UPDATE sqlite_sequence SET seq = (SELECT COALESCE(MAX(position), 0) FROM \(table))
                                WHERE name = '\(table)';
                            END
                            """)
                    }
                }
            } catch {
                fatalError("the bug '\(rawValue)' cannot be planted: \(error)")
            }
        }

        /// Keys of charges that this process has asked for.
        fileprivate static let askedCharges = Locked<Set<ExactText>>([])
    }

    extension Payment {
        func under(key: String) -> Payment {
            var payment = self
            payment.requestIdentifier = key
            return payment
        }
    }

    extension CreateChargeRequest {
        /// The request with another key, unless it is the first for its purchase.
        var underNewKey: CreateChargeRequest {
            let isFirst = PlantedBug.askedCharges.withLock { $0.insert(ExactText(chargeKey)).inserted }
            var request = self
            if !isFirst { request.chargeKey += ":2" }
            return request
        }
    }

    extension RenewalJob {
        /// The job as a second writer has it, who takes a number of its own for the transaction.
        var ofAnotherReplica: RenewalJob {
            var job = self
            if case .charge(var attempt) = work {
                attempt.identifier = nil
                job.work = .charge(attempt)
            }
            return job
        }
    }
#endif
