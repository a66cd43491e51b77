import EventLoop
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a batch reads what its decisions ask for, decides each customer's in their order, and writes all or nothing of
/// each.
/// Method: decisions about notes, performed as a batch of the test's, on both databases.
@Suite(.serialized) struct CustomerBatchTests {
    /// The runs of a decision.
    private final class Runs: Sendable {
        private let contents = Locked(0)
        var count: Int { contents.withLock { $0 } }

        /// - Returns: The number of runs with this one.
        @discardableResult
        func add() -> Int {
            contents.withLock { count in
                count += 1
                return count
            }
        }
    }

    /// Performs a batch.
    private static func perform(
        _ commands: [CustomerCommand], waits: Bool = false, in store: TestStore,
        checkpoint: @escaping CheckpointHook = { _ in }
    ) async throws -> [Result<CustomerBatch.Outcome, any Error>] {
        let (database, clock) = (store.database, store.current.service.context.clock)
        return try await database.write { transaction in
            try await CustomerBatch.perform(
                commands, waits: waits, clock: clock, checkpoint: checkpoint, in: transaction)
        }
    }

    /// Reads the notes from `n0` on, one after the other, and counts them.
    private static func chain(_ count: Int, of customer: CustomerReference, _ runs: Runs = Runs()) -> CustomerCommand {
        CustomerCommand(customer: customer) { state in
            runs.add()
            for number in 0..<count { _ = try state.read(BatchNote.find("n\(number)", of: state.customer)) }
            return "\(count) read"
        }
    }

    /// Writes a note.
    private static func writing(_ name: String, of customer: CustomerReference) -> CustomerCommand {
        CustomerCommand(customer: customer) { state in
            state.write(BatchNote.insert(name, "written", of: state.customer))
            return name
        }
    }

    // MARK: Rows

    @Test(arguments: Engine.allCases)
    func `a decision that asks for one row after the other gets each in a reading of its own`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp().reference
            try await BatchNote.insert(["a": "b", "b": "c", "c": "end"], of: alice, in: store.database)
            let runs = Runs()
            let following = CustomerCommand(customer: alice) { state in
                runs.add()
                var path = ["a"]
                while let next = try state.read(BatchNote.find(path[path.count - 1], of: state.customer)) {
                    path.append(next)
                }
                return path.joined(separator: " ")
            }
            #expect(try await Self.perform([following], in: store).map(\.output) == ["a b c end"])
            #expect(runs.count == 5)
        }
    }

    @Test(arguments: Engine.allCases)
    func `rows that are needed together, or known before, are read together`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp().reference
            try await BatchNote.insert(["n0": "a", "n2": "c"], of: alice, in: store.database)
            let keys = (0..<3).map { BatchNote.find("n\($0)", of: alice).key }
            for (known, count) in [(0, 2), (1, 2), (3, 1)] {
                let runs = Runs()
                let command = CustomerCommand(customer: alice, lookups: Array(keys.prefix(known))) { state in
                    runs.add()
                    try state.need(keys)
                    return try (0..<3).map {
                        try state.read(BatchNote.find("n\($0)", of: state.customer)) ?? "none"
                    }.joined(separator: " ")
                }
                #expect(try await Self.perform([command], in: store).map(\.output) == ["a none c"])
                #expect(runs.count == count, "\(known) known before")
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `each customer has its own rows, and those of a customer's commands that change nothing are read once`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let customers = try await store.customerApps(5).map(\.reference)
            for (number, customer) in customers.enumerated() {
                try await BatchNote.insert(["n \(number)": "of \(number)"], of: customer, in: store.database)
            }
            let runs = Runs()
            // Four commands of each customer. The first one of each is run once more.
            let commands = (0..<20).map { place in
                CustomerCommand(customer: customers[place % 5]) { state in
                    runs.add()
                    return try (0..<5).map {
                        try state.read(BatchNote.find("n \($0)", of: state.customer)) ?? "-"
                    }.joined(separator: " ")
                }
            }
            let results = try await Self.perform(commands, in: store)
            for (place, result) in results.enumerated() {
                let expected = (0..<5).map { $0 == place % 5 ? "of \($0)" : "-" }.joined(separator: " ")
                #expect(result.output == expected)
            }
            // Each of five rows is a reading of its own.
            #expect(runs.count == 5 * 5 + 20)
        }
    }

    /// Counts up in a note, from the number that the command before has written.
    private static func counting(
        _ place: Int, _ lookup: SQLLookup<String?>
    ) -> @Sendable (inout CustomerState) throws -> String {
        { state in
            let known = try state.read(lookup)
            if let known {
                state.write(BatchNote.update("count", from: known, to: "\(place)", of: state.customer))
            } else {
                state.write(BatchNote.insert("count", "\(place)", of: state.customer))
            }
            return "\(known ?? "none") \(state.nextModifiedSeq()) \(try state.nextIdentifier())"
        }
    }

    /// Expects that 256 commands have counted up.
    private static func check(_ outputs: [String?], of customer: CustomerReference, in store: TestStore) async throws {
        let expected: [String] = (0..<256).map { place in
            "\(place == 0 ? "none" : "\(place - 1)") \(place + 1) \(2_000_000_000_000_001 + place)"
        }
        #expect(outputs.compactMap(\.self) == expected)
        #expect(try await BatchNote.all(in: store.database) == ["count": "255"])
        let modifiedSeq = try await store.database.read { reader in
            try await CustomerRepository.find(customer, in: reader)?.modifiedSeq
        }
        #expect(modifiedSeq == 256)
    }

    @Test(arguments: Engine.allCases)
    func `256 commands of one customer keep their order, and each sees what those before it have written`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp().reference
            let lookup = BatchNote.find("count", of: alice)
            let commands = (0..<256).map { place in
                let decide = Self.counting(place, lookup)
                return CustomerCommand(
                    customer: alice, lookups: [lookup.key],
                    numbers: [BatchNumbers.Key(.transaction, of: alice.bundleId): 1]
                ) { state in try decide(&state) }
            }
            let commits = store.database.statistics.commits
            let results = try await Self.perform(commands, waits: true, in: store)
            #expect(store.database.statistics.commits == commits + 1)
            try await Self.check(results.map(\.output), of: alice, in: store)
        }
    }

    @Test(arguments: Engine.allCases)
    func `256 commands of one customer that arrive together keep their order, in however many batches`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp().reference
            let lookup = BatchNote.find("count", of: alice)
            let commits = store.database.statistics.commits
            let results = try await ComposedCommits(store).run(
                (0..<256).map { place in
                    ComposedCommits.Decision(
                        customer: alice, lookups: [lookup.key], decide: Self.counting(place, lookup))
                })
            let batches = store.database.statistics.commits - commits
            #expect(batches > 1 && batches < 128)
            try await Self.check(results.map(\.output), of: alice, in: store)
        }
    }

    // MARK: Neighbours

    /// Takes an identifier, writes it down, and then fails or not.
    private static func taking(
        _ name: String, of customer: CustomerReference, fails: Bool, isKnown: Bool
    ) -> CustomerCommand {
        CustomerCommand(
            customer: customer, numbers: isKnown ? [BatchNumbers.Key(.transaction, of: customer.bundleId): 1] : [:]
        ) { state in
            let identifier = try state.nextIdentifier()
            _ = state.nextModifiedSeq()
            state.write(BatchNote.insert(name, identifier, of: state.customer))
            if fails { throw StoreError(.requestInvalid, "ordered by the test") }
            return identifier
        }
    }

    @Test(arguments: Engine.allCases, [false, true])
    func `a command that fails leaves its neighbours, and takes no number and no place`(
        _ engine: Engine, _ isKnown: Bool
    ) async throws {
        try await TestStore.with(engine) { store in
            let customers = try await store.customerApps(3).map(\.reference)
            // The second customer's only command fails, and so does one in the midst of the first customer's.
            let places = [(0, false), (1, true), (0, true), (2, false), (0, false), (0, true)]
            let commands = places.enumerated().map { number, place in
                Self.taking("\(number)", of: customers[place.0], fails: place.1, isKnown: isKnown)
            }
            let results = try await Self.perform(commands, in: store)
            for (place, result) in zip(places, results) {
                #expect((result.output == nil) == place.1)
                #expect(((result.error as? StoreError)?.code == .requestInvalid) == place.1)
            }
            let taken = results.compactMap(\.output).compactMap(Int64.init)
            #expect(taken.sorted() == [2_000_000_000_000_001, 2_000_000_000_000_002, 2_000_000_000_000_003])
            let notes = try await BatchNote.all(in: store.database)
            #expect(Set(notes.keys) == ["0", "3", "4"] && Set(notes.values) == Set(results.compactMap(\.output)))
            let modified = try await store.database.read { reader in
                var seqs: [Int64?] = []
                for customer in customers {
                    seqs.append(try await CustomerRepository.find(customer, in: reader)?.modifiedSeq)
                }
                return seqs
            }
            #expect(modified == [2, 0, 1])
            // Those that were given back are the next ones, on SQLite.
            let next: Int64 = try await store.database.write { transaction in
                try await CounterRepository.next(.transaction, in: transaction)
            }
            if engine == .sqlite { #expect(next == 2_000_000_000_000_004) }
        }
    }

    @Test(arguments: Engine.allCases)
    func `a command whose deadline has passed is not decided, and its neighbours are`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let customers = try await store.customerApps(2).map(\.reference)
            let runs = Runs()
            func late(_ customer: CustomerReference) -> CustomerCommand {
                CustomerCommand(customer: customer, deadline: .now) { _ in "\(runs.add())" }
            }
            var early = Self.writing("early", of: customers[0])
            early.deadline = ContinuousClock.now + .seconds(600)
            let commands = [late(customers[0]), early, late(customers[1]), Self.writing("own", of: customers[0])]
            let results = try await Self.perform(commands, in: store)
            for place in [0, 2] { #expect((results[place].error as? StoreError)?.code == .deadlineExceeded) }
            #expect(results[1].output == "early" && results[3].output == "own")
            #expect(runs.count == 0)
            #expect(Set(try await BatchNote.all(in: store.database).keys) == ["early", "own"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `an unknown customer's commands fail, and leave no counter of a removed store`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp().reference
            let unknown = CustomerReference(bundleId: Catalogue.bundleId, customerIdentifier: "c_unknown")
            let removed = CustomerReference(
                bundleId: IsolatedApp(shownBundleId: Catalogue.bundleId, number: 7, seed: 42).bundleId,
                customerIdentifier: alice.customerIdentifier)
            let commands = [unknown, alice, unknown, removed].enumerated().map { number, customer in
                Self.taking("\(number)", of: customer, fails: false, isKnown: true)
            }
            let results = try await Self.perform(commands, waits: true, in: store)
            for place in [0, 2, 3] { #expect((results[place].error as? StoreError)?.code == .notFound) }
            #expect(results[1].output == "2000000000000001")
            let counters = try await store.database.read { reader in
                try await reader.query("SELECT 1 AS one FROM isolated_counter").count
            }
            #expect(counters == 0)
            // Also without neighbours.
            let alone = try await Self.perform([commands[0]], in: store)
            #expect((alone[0].error as? StoreError)?.code == .notFound)
            #expect(try await BatchNote.all(in: store.database) == ["1": "2000000000000001"])
        }
    }

    @Test func `a customer that another transaction has locked is left to be decided alone, and sees its changes`()
        async throws
    {
        try await TestStore.with(.postgres) { store in
            let customers = try await store.customerApps(3).map(\.reference)
            let (gate, database, locked) = (RowGate(), store.database, customers[1])
            let holding = Task {
                try await database.write { transaction in
                    try await transaction.execute(
                        "UPDATE customer SET storefront = 'FRA' WHERE customer_identifier = ?",
                        locked.customerIdentifier)
                    await gate.wait()
                }
            }
            defer { gate.open() }
            try await eventually("the customer is locked") { gate.isWaitedFor }
            let results = try await Self.perform(
                (0..<6).map { Self.writing("\($0)", of: customers[$0 % 3]) }, in: store)
            #expect(results.map(\.isAlone) == [false, true, false, false, true, false])
            #expect(results.map(\.output) == ["0", nil, "2", "3", nil, "5"])
            // In a service, the batch ends for the others, and the locked one waits.
            let decisions = customers.enumerated().map { number, customer in
                ComposedCommits.Decision(customer: customer) { state in
                    state.write(BatchNote.insert("then \(number)", state.account.storefront, of: state.customer))
                    return state.account.storefront
                }
            }
            let tasks = try await ComposedCommits(store).begin(decisions)
            for place in [0, 2] { #expect(try await tasks[place].value == "USA") }
            #expect(try await BatchNote.all(in: database)["then 1"] == nil)
            gate.open()
            try await holding.value
            #expect(try await tasks[1].value == "FRA")
            #expect(try await BatchNote.all(in: database)["then 1"] == "FRA")
        }
    }

    @Test(arguments: Engine.allCases)
    func `a change that does not hit its row is one command's conflict, and all are decided alone`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let customers = try await store.customerApps(4).map(\.reference)
            let runs = customers.map { _ in Runs() }
            let decisions = customers.enumerated().map { number, customer in
                ComposedCommits.Decision(customer: customer, identifierCount: 1) { state in
                    runs[number].add()
                    let identifier = try state.nextIdentifier()
                    state.write(BatchNote.insert("\(number)", identifier, of: state.customer))
                    if number == 2 {
                        state.write(BatchNote.update("none", from: "a", to: "b", of: state.customer))
                    }
                    return identifier
                }
            }
            let composed = try ComposedCommits(store)
            let results = try await composed.run(decisions)
            #expect((results[2].error as? PersistenceError)?.code == .conflict)
            let notes = try await BatchNote.all(in: store.database)
            #expect(Set(notes.keys) == ["0", "1", "3"])
            for place in [0, 1, 3] { #expect(results[place].output == notes["\(place)"]) }
            #expect(Set(notes.values).count == 3)
            // In the batch, and alone.
            #expect(runs.allSatisfy { $0.count >= 2 })
            // Without it they are one commit.
            let commits = store.database.statistics.commits
            let again = try await composed.run(
                [0, 1, 3].map { number in
                    ComposedCommits.Decision(customer: customers[number]) { state in
                        state.write(
                            BatchNote.update(
                                "\(number)", from: notes["\(number)"] ?? "", to: "again", of: state.customer))
                        return "again"
                    }
                })
            #expect(again.allSatisfy { $0.output == "again" })
            #expect(store.database.statistics.commits == commits + 1)
        }
    }

    // SQLite decides them one after the other when they are alone.
    @Test func `commands of two customers that claim one row are decided alone, where the second sees the first`()
        async throws
    {
        try await TestStore.with(.sqlite) { store in
            let customers = try await store.customerApps(2).map(\.reference)
            // The first one's note, asked for by both.
            let claimed = BatchNote.find("one", of: customers[0])
            let other = BatchNote.find("one", of: customers[1])
            let decisions = customers.map { customer in
                ComposedCommits.Decision(customer: customer, lookups: [claimed.key, other.key]) { state in
                    let known = try state.read(claimed) ?? state.read(other)
                    if known == nil { state.write(BatchNote.insert("one", "claimed", of: state.customer)) }
                    return known ?? "new"
                }
            }
            let results = try await ComposedCommits(store).run(decisions)
            #expect(results.compactMap(\.output).sorted() == ["claimed", "new"])
        }
    }

    // MARK: Isolated stores

    @Test(arguments: Engine.allCases)
    func `an isolated store's numbers have no gap after commands that fail`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let app = IsolatedApp(shownBundleId: Catalogue.bundleId, number: 7, seed: 42)
            let alice = try await store.customer(of: app)
            let bob = try await store.customerApp("bob").reference
            let composed = try ComposedCommits(store)
            var taken: [Int64] = []
            for round in 0..<3 {
                // The number of identifiers that each takes, and whether it is known before.
                let wanted = [(1, true), (2, false), (0, true), (3, true), (1, false)]
                let decisions = wanted.enumerated().map { place, wanted in
                    ComposedCommits.Decision(customer: alice, identifierCount: wanted.1 ? 4 : 0) { state in
                        let numbers = try state.next(.transaction, count: wanted.0)
                        state.write(BatchNote.insert("\(round) \(place)", "written", of: state.customer))
                        if place == 1 { throw StoreError(.requestInvalid, "ordered by the test") }
                        return numbers.map { "\($0)" }.joined(separator: " ")
                    }
                }
                let neighbour = ComposedCommits.Decision(customer: bob) { state in try state.nextIdentifier() }
                let results = try await composed.run(decisions + [neighbour])
                #expect(results.map { $0.error == nil } == [true, false, true, true, true, true])
                let texts = results.dropLast().compactMap(\.output).flatMap { $0.split(separator: " ") }
                taken += texts.compactMap { Int64($0) }
            }
            #expect(taken.sorted() == [Int64](2_000_000_004_200_001...2_000_000_004_200_015))
            let next = try await store.database.write { transaction in
                try await CounterRepository.next(.transaction, of: app.bundleId, in: transaction)
            }
            #expect(next == [2_000_000_004_200_016])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a batch on PostgreSQL leaves isolated stores to be decided alone`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let app = IsolatedApp(shownBundleId: Catalogue.bundleId, number: 7, seed: 42)
            let alice = try await store.customer(of: app)
            let bob = try await store.customerApp("bob").reference
            let commands = [alice, bob].map { Self.writing("note", of: $0) }
            let results = try await Self.perform(commands, in: store)
            #expect(results.map(\.isAlone) == [engine == .postgres, false])
            if engine == .postgres {
                #expect(try await Self.perform([commands[0]], waits: true, in: store).map(\.output) == ["note"])
            }
        }
    }

    // MARK: Rounds

    @Test(arguments: Engine.allCases)
    func `a command that needs more than 12 rounds does not delay others, and is decided alone`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let customers = try await store.customerApps(4).map(\.reference)
            let commands = [
                Self.chain(11, of: customers[0]), Self.chain(12, of: customers[1]), Self.chain(40, of: customers[2]),
                Self.writing("short", of: customers[3]), Self.writing("behind", of: customers[2]),
            ]
            let results = try await Self.perform(commands, in: store)
            #expect(results.map(\.output) == ["11 read", nil, nil, "short", nil])
            #expect(results.map(\.isAlone) == [false, true, true, false, true])
            #expect(Set(try await BatchNote.all(in: store.database).keys) == ["short"])
            // In a service, they are decided behind it.
            let decided = try await ComposedCommits(store).run(
                [30, 2, 13].enumerated().map { place, count in
                    ComposedCommits.Decision(customer: customers[place]) { state in
                        for number in 0..<count {
                            _ = try state.read(BatchNote.find("n\(number)", of: state.customer))
                        }
                        return "\(count) read"
                    }
                })
            #expect(decided.map(\.output) == ["30 read", "2 read", "13 read"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a customer's commands behind 12 rounds of its own are left to the next batch, in their order`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let customers = try await store.customerApps(2).map(\.reference)
            let commands = (0..<14).map { Self.writing("\($0)", of: customers[0]) }
            let results = try await Self.perform(commands + [Self.chain(20, of: customers[1])], in: store)
            #expect(results.prefix(12).map(\.output) == (0..<12).map { "\($0)" })
            #expect(results.map(\.isAgain) == (0..<15).map { $0 == 12 || $0 == 13 })
            #expect(results[14].isAlone)
            #expect(try await BatchNote.all(in: store.database).count == 12)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a command for which no decided one waits has more rounds, and one that waits for locks has all it needs`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let customers = try await store.customerApps(2).map(\.reference)
            let both = [Self.chain(20, of: customers[0]), Self.chain(30, of: customers[1])]
            #expect(try await Self.perform(both, in: store).map(\.output) == ["20 read", nil])
            #expect(try await Self.perform([both[1]], in: store).map(\.output) == ["30 read"])
            #expect(try await Self.perform(both, waits: true, in: store).map(\.output) == ["20 read", "30 read"])
        }
    }

    @Test(.slow, arguments: Engine.allCases)
    func `a decision that never has enough ends with an error, and its neighbours are decided`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let customers = try await store.customerApps(2).map(\.reference)
            let runs = Runs()
            let results = try await ComposedCommits(store).run([
                ComposedCommits.Decision(customer: customers[0]) { state in
                    // Something else in each run.
                    let note = try state.read(BatchNote.find("n\(runs.add())", of: state.customer))
                    return note ?? "none"
                },
                ComposedCommits.Decision(customer: customers[1]) { state in
                    state.write(BatchNote.insert("own", "written", of: state.customer))
                    return "own"
                },
            ])
            #expect((results[0].error as? StoreError)?.code == .internal)
            #expect(results[1].output == "own")
            #expect(try await BatchNote.all(in: store.database) == ["own": "written"])
            // The customer is not locked any more.
            let after = ComposedCommits.Decision(customer: customers[0]) { _ in "decided" }
            #expect(try await ComposedCommits(store).run([after]).map(\.output) == ["decided"])
        }
    }

    // MARK: Commits

    @Test(arguments: Engine.allCases)
    func `the checkpoint inside a commit is reached by commands that change something, and undoes the batch`(
        _ engine: Engine
    ) async throws {
        struct Stopped: Error {}
        try await TestStore.with(engine) { store in
            let customers = try await store.customerApps(2).map(\.reference)
            var (writing, reading) = (Self.writing("note", of: customers[0]), Self.chain(2, of: customers[1]))
            (writing.reached, reading.reached) = (.insideFinishCommit, .insideRefundCommit)
            let reached = Locked<[Checkpoint]>([])
            let results = try await Self.perform([reading], in: store) { place in
                reached.withLock { $0.append(place) }
            }
            #expect(results.map(\.output) == ["2 read"])
            #expect(reached.withLock { $0 }.isEmpty)
            let commands = [writing, reading]
            await #expect(throws: Stopped.self) {
                _ = try await Self.perform(commands, in: store) { place in
                    reached.withLock { $0.append(place) }
                    throw Stopped()
                }
            }
            // SQLite runs the body of a failed group's request again.
            #expect(Set(reached.withLock { $0 }) == [.insideFinishCommit])
            #expect(try await BatchNote.all(in: store.database).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a decision inside a larger transaction is written with it, or not at all`(_ engine: Engine) async throws {
        struct Stopped: Error {}
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp().reference
            let (database, clock) = (store.database, store.current.service.context.clock)
            for fails in [true, false] {
                let outcome = await Result<String, any Error> {
                    try await database.write { transaction in
                        let decided = try await CustomerCommits.decide(alice, in: transaction, clock: clock) { state in
                            state.write(BatchNote.insert("note", "written", of: state.customer))
                            return try state.nextIdentifier()
                        }
                        // It is written, and can be read here.
                        let note = try await transaction.read(BatchNote.find("note", of: alice))
                        #expect(note == "written")
                        if fails { throw Stopped() }
                        return decided.output
                    }
                }
                #expect((outcome.error is Stopped) == fails)
                #expect(try await BatchNote.all(in: database) == (fails ? [:] : ["note": "written"]))
            }
        }
    }
}

extension Result<String, any Error> {
    /// Makes the result of an asynchronous body.
    fileprivate init(_ body: () async throws -> String) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
