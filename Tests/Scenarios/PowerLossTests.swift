import EventLoop
import Foundation
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

/// Goal: what was acknowledged survives a power failure, not only a killed process (P1, Q5).
/// Method: the payment queue runs on a disk that forgets what no fsync has followed (Tests/Durability/power-loss.c).
/// Customers buy and finish; after so many acknowledgements, drawn from a printed seed, the power fails; the next
/// process must know every acknowledged purchase and finish. The same run with synchronous=NORMAL has to lose some:
/// otherwise the test could not fail.
@Suite(.process) struct PowerLossTests {
    @Test func `with synchronous=FULL no acknowledged purchase or finish is lost`() async throws {
        for round in 1...3 {
            let toll = try await failure(synchronous: "full", round: round)
            #expect(toll.acknowledged > 0)
            #expect(toll.lost == 0, "\(toll)")
        }
    }

    @Test func `with synchronous=NORMAL some are, so this test can fail`() async throws {
        let toll = try await failure(synchronous: "normal", round: 1)
        #expect(toll.lost > 0, "\(toll)")
    }

    private struct Toll: CustomStringConvertible {
        var acknowledged = 0
        var lost = 0
        var description: String { "\(lost) of \(acknowledged) acknowledged changes lost" }
    }

    /// The client's answers: a transaction by `id`, and whether its finish was acknowledged too.
    private final class Acknowledged: Sendable {
        typealias Facts = [String: (customer: Int, isFinished: Bool)]
        private let facts = Locked<Facts>([:])

        var all: Facts { facts.withLock { $0 } }
        func note(_ id: String, customer: Int, isFinished: Bool) { facts.withLock { $0[id] = (customer, isFinished) } }
    }

    private func failure(synchronous: String, round: Int) async throws -> Toll {
        var random = SplitMix64.seeded("power loss \(synchronous) \(round)")
        let wanted = Int.random(in: 10...40, using: &random)
        let directory = try TemporaryDirectory(prefix: "storebus-power-loss")
        let environment = [
            "LD_PRELOAD": try Self.library(in: directory), "POWER_LOSS_FILE": "payment-queue.sqlite",
            "DATABASE_SYNCHRONOUS": synchronous,
        ]
        var toll = Toll()
        try await StoreStack.run(environment: environment) { store in
            var customers: [ScenarioCustomer] = []
            for index in 0..<6 { customers.append(try await store.session(account: "shopper\(index)")) }
            let acknowledged = Acknowledged()
            let killed = try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, customer) in customers.enumerated() {
                    group.addTask { await Self.buy(as: index, customer, into: acknowledged) }
                }
                try await eventually("\(wanted) purchases are acknowledged", within: .seconds(30)) {
                    acknowledged.all.count >= wanted
                }
                let killed = try store.signal("payment-queue", SIGUSR2)
                group.cancelAll()
                try await group.waitForAll()
                return killed
            }
            try await store.waitForReplacement(of: "payment-queue", after: killed)
            toll = try await Self.count(acknowledged.all, customers)
        }
        print("power loss, synchronous=\(synchronous), round \(round): \(toll)")
        return toll
    }

    /// Buys until the task is cancelled, and records the acknowledgements. Every other purchase is finished.
    private static func buy(as index: Int, _ customer: ScenarioCustomer, into acknowledged: Acknowledged) async {
        var number = 0
        while !Task.isCancelled {
            number += 1
            guard let answer = try? await customer.add("com.example.fishingHotSpots", key: "p-\(index)-\(number)"),
                answer.status == 201, let bought = try? answer.decoded(as: PaymentTransaction.self)
            else { continue }
            acknowledged.note(bought.id, customer: index, isFinished: false)
            guard number.isMultiple(of: 2),
                let finish = try? await customer.store.request(
                    .POST, "/v1/transactions/\(bought.id)/finish", token: customer.token),
                finish.status == 200
            else { continue }
            acknowledged.note(bought.id, customer: index, isFinished: true)
        }
    }

    private static func count(
        _ acknowledged: Acknowledged.Facts, _ customers: [ScenarioCustomer]
    ) async throws -> Toll {
        var toll = Toll()
        var unfinished: [Int: Set<String>] = [:]
        for (index, customer) in customers.enumerated() {
            unfinished[index] = Set(try await customer.unfinishedOrGone().map(\.id))
        }
        for (id, fact) in acknowledged {
            toll.acknowledged += fact.isFinished ? 2 : 1
            let customer = customers[fact.customer]
            let known = try await customer.store.request(.GET, "/v1/transactions/\(id)", token: customer.token)
            guard known.status == 200, try known.decoded(as: PaymentTransaction.self).transactionState == .purchased
            else {
                toll.lost += fact.isFinished ? 2 : 1
                continue
            }
            if fact.isFinished, unfinished[fact.customer, default: []].contains(id) { toll.lost += 1 }
        }
        return toll
    }

    /// Compiles the disk that forgets.
    private static func library(in directory: TemporaryDirectory) throws -> String {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Durability/power-loss.c").path
        let output = directory.file("power-loss.so")
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        compiler.arguments = ["cc", "-shared", "-fPIC", "-O2", "-o", output, source, "-ldl", "-lpthread"]
        try compiler.run()
        compiler.waitUntilExit()
        guard compiler.terminationStatus == 0 else {
            throw StackError("cannot compile \(source): install a C compiler, apt-get install gcc")
        }
        return output
    }
}
