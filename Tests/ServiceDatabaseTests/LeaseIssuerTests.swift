import EventLoop
import Logging
import Persistence
import StoreModels
import StorebusTesting
import Testing

@testable import ServiceDatabase

/// Goal: a change is answered when every stored holder has acknowledged its recall, or when no lease can be valid.
@Suite struct LeaseIssuerTests {
    private static let alice = "aaaaaaaaaaaaaaaaaaaaaaaa"
    private static let bob = "bbbbbbbbbbbbbbbbbbbbbbbb"

    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private let schema = [Migration(number: 1, name: "leases") { _ in LeaseHolderRepository.table }]

    private func withIssuers(
        on engine: Engine, count: Int = 1, send: @escaping LeaseIssuer.Send = { _, _, _ in true },
        _ body: (any SQLDatabase, [LeaseIssuer]) async throws -> Void
    ) async throws {
        try await TestDatabase(engine).with(migrations: schema) { database in
            try await body(database, (0..<count).map { _ in LeaseIssuer(database, logger: logger, send: send) })
        }
    }

    private func stored(_ database: any SQLDatabase) async throws -> [LeaseHolder] {
        try await database.read { try await LeaseHolderRepository.all(in: $0) }
    }

    @Test(arguments: Engine.allCases)
    func `a recall by any replica goes to the holders of all replicas, and is over when they have acknowledged`(
        _ engine: Engine
    ) async throws {
        let sent = Locked<[String]>([])
        let send: LeaseIssuer.Send = { holder, recalled, timeout in
            sent.withLock { $0.append("\(holder) \(recalled.bundleId ?? "all")") }
            return timeout <= VersionLease.waitMax
        }
        try await withIssuers(on: engine, count: 2, send: send) { database, issuers in
            #expect(await issuers[0].register(Self.alice))
            #expect(await issuers[0].register(Self.alice))
            #expect(await issuers[1].register(Self.bob))
            try await issuers[1].recall("app")
            #expect(sent.withLock { $0.sorted() } == ["\(Self.alice) app", "all app", "\(Self.bob) app"])
            try await issuers[0].recall(nil)
            #expect(sent.withLock { Set($0.suffix(3)) } == ["\(Self.alice) all", "all all", "\(Self.bob) all"])
            #expect(try await stored(database).map(\.mark) == [nil, nil])
        }
    }

    @Test func `a silent holder is waited for until its lease is over, twice, and then is no more`() async throws {
        try await withIssuers(on: .sqlite, send: { holder, _, _ in holder == Self.bob }) { database, issuers in
            #expect(await issuers[0].register(Self.alice))
            #expect(await issuers[0].register(Self.bob))
            for isNoted in [{ $0?.mark != nil }, { $0 == nil }] as [(LeaseHolder?) -> Bool] {
                let begun = ContinuousClock.now
                try await issuers[0].recall("app")
                #expect(ContinuousClock.now - begun >= VersionLease.waitMax)
                try await eventually("the silent holder is noted") {
                    isNoted(try await stored(database).first { $0.name == Self.alice })
                }
            }
            #expect(try await stored(database).map(\.name) == [Self.bob])
        }
    }

    @Test func `a database that hangs after the change does not delay its answer further`() async throws {
        try await withIssuers(on: .sqlite, send: { _, _, _ in false }) { database, issuers in
            #expect(await issuers[0].register(Self.alice))
            let (answers, answer) = AsyncStream<Void>.makeStream()
            let isWriting = Locked(false)
            let writing = Task {
                try await database.write { _ in
                    isWriting.withLock { $0 = true }
                    for await _ in answers {}
                }
            }
            try await eventually("the database is busy") { isWriting.withLock { $0 } }
            try await issuers[0].recall("app")
            #expect(try await stored(database) == [LeaseHolder(name: Self.alice, mark: nil)])
            answer.finish()
            try await writing.value
            try await eventually("the silent holder is noted") { try await stored(database)[0].mark != nil }
        }
    }

    @Test func `a start removes the holders that have ended, and tells no one of a change`() async throws {
        let sent = Locked<Set<String?>>([])
        let send: LeaseIssuer.Send = { holder, recalled, _ in
            sent.withLock { _ = $0.insert(recalled.bundleId) }
            return holder != Self.alice
        }
        try await withIssuers(on: .sqlite, send: send) { database, issuers in
            #expect(await issuers[0].register(Self.alice))
            #expect(await issuers[0].register(Self.bob))
            let running = Task { [issuer = issuers[0]] in await issuer.run() }
            try await eventually("the silent holder is removed") {
                try await stored(database) == [LeaseHolder(name: Self.bob, mark: nil)]
            }
            running.cancel()
            #expect(sent.withLock { $0 } == [""])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a mark is removed by the next lease, and a recall removes only the mark that it has seen`(
        _ engine: Engine
    ) async throws {
        try await withIssuers(on: engine) { database, issuers in
            #expect(await issuers[0].register(Self.alice))
            let unmarked = LeaseHolder(name: Self.alice, mark: nil)
            let note = { @Sendable (holder: LeaseHolder, recall: String) async throws in
                try await database.write { try await LeaseHolderRepository.note(holder, in: recall, $0) }
            }
            try await note(unmarked, "r1")
            // Another recall that ran at the same time.
            try await note(unmarked, "r2")
            #expect(try await stored(database).map(\.mark) == ["r1"])
            #expect(await issuers[0].register(Self.alice))
            try await note(LeaseHolder(name: Self.alice, mark: "r1"), "r3")
            #expect(try await stored(database) == [unmarked])
            try await note(unmarked, "r4")
            try await note(LeaseHolder(name: Self.alice, mark: "r4"), "r5")
            #expect(try await stored(database).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `holders are bounded, and their names can be tokens of subjects`(_ engine: Engine) async throws {
        try await withIssuers(on: engine) { database, issuers in
            for name in [nil, "", "a.b", "*", String(repeating: "A", count: 24), String(repeating: "a", count: 25)] {
                #expect(await issuers[0].register(name) == false)
            }
            try await database.write { transaction in
                for number in 0..<LeaseHolderRepository.holdersMax {
                    _ = try await LeaseHolderRepository.store("\(number)", in: transaction)
                }
            }
            #expect(await issuers[0].register(Self.alice) == false)
            #expect(try await database.write { try await LeaseHolderRepository.store("0", in: $0) })
        }
    }

    @Test func `without its database an owner grants no leases, and waits for those it has granted`() async throws {
        try await withIssuers(on: .sqlite) { database, issuers in
            await database.close()
            #expect(await issuers[0].register(Self.alice) == false)
            let begun = ContinuousClock.now
            try await issuers[0].recall("app")
            #expect(ContinuousClock.now - begun >= VersionLease.waitMax)
        }
    }

    @Test func `a process that stops meanwhile does not answer the operator`() async throws {
        try await withIssuers(on: .sqlite, send: { _, _, _ in false }) { _, issuers in
            #expect(await issuers[0].register(Self.alice))
            let recall = Task { [issuer = issuers[0]] in try await issuer.recall("app") }
            recall.cancel()
            await #expect(throws: StoreError.self) { try await recall.value }
        }
    }
}
