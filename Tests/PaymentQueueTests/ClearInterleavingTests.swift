import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: sheets, answers, cleared histories and crashes in any order leave no charge without its purchase (P1 to P7).
/// Method: a seeded mixture of all of them; then all is healed, and the ledger is compared with the journals, which
/// remember what has gone.
@Suite(.serialized, .slow) struct ClearInterleavingTests {
    @Test(arguments: 0..<6, Engine.allCases)
    func `P1 to P7: with histories cleared in between, what was charged was purchased once`(
        _ round: Int, _ engine: Engine
    )
        async throws
    {
        var random = SplitMix64.seeded("clear interleaving \(round)")
        try await TestStore.with(engine) { store in
            for step in 0..<12 {
                try await disturb(store, &random)
                let actions = (0..<6).map { number in Action("k\(step)-\(number)", &random) }
                await withTaskGroup { group in
                    for action in actions { group.addTask { await perform(action, in: store) } }
                }
                if store.current.crash.hasCrashed { try await store.restartQueue() }
            }
            store.processor.set(trouble: .none)
            try await store.restartQueue()
            try await settle(store)
            try await check(store)
            try await store.clear()
            #expect(try await store.transactions().isEmpty)
            #expect(try await store.prompts().prompts.isEmpty)
            try await check(store)
        }
    }

    private enum Action: Sendable {
        case buy(account: String, product: String, key: String)
        case answer(Prompt.Answer)
        case clear(String?)

        init(_ key: String, _ random: inout SplitMix64) {
            let account = ["alice", "bob"][Int.random(in: 0...1, using: &random)]
            switch Int.random(in: 0..<10, using: &random) {
            case 0: self = .clear(Bool.random(using: &random) ? account : nil)
            case 1, 2, 3: self = .answer(Prompt.Answer.allCases[Int.random(in: 0..<3, using: &random)])
            default:
                let products = ["coins", "beaches", "gift", "pro.monthly", "news.weekly"]
                self = .buy(
                    account: account, product: products[Int.random(in: 0..<products.count, using: &random)], key: key)
            }
        }
    }

    private func disturb(_ store: TestStore, _ random: inout SplitMix64) async throws {
        switch Int.random(in: 0..<7, using: &random) {
        case 0: store.processor.set(trouble: .before)
        case 1: store.processor.set(trouble: .after)
        case 2, 3:
            let settings = [
                TesterSettings(sheet: .interactive), TesterSettings(askToBuy: true), TesterSettings(sheet: .cancel),
                TesterSettings(),
            ]
            for account in ["alice", "bob"] {
                try await store.set(account, settings[Int.random(in: 0..<settings.count, using: &random)])
            }
        case 4, 5:
            let checkpoints = Checkpoint.allCases
            store.current.crash.arm(checkpoints[Int.random(in: 0..<checkpoints.count, using: &random)])
        default: store.processor.set(trouble: .none)
        }
    }

    /// Errors are part of the game; what counts is the final state.
    private func perform(_ action: Action, in store: TestStore) async {
        switch action {
        case .buy(let account, let product, let key):
            guard let customerApp = try? await store.customerApp(account) else { return }
            _ = try? await customerApp.add(product, key: key, within: .milliseconds(260))
        case .answer(let answer):
            guard let prompt = try? await store.prompts().prompts.first else { return }
            _ = try? await store.answer(prompt.id, answer, within: .milliseconds(260))
        case .clear(let account): _ = try? await store.clear(account, within: .seconds(1))
        }
    }

    /// Waits until every purchase is settled. It approves open sheets, because other purchases may wait for one.
    private func settle(_ store: TestStore) async throws {
        let janitor = store.current.service.purchases
        try await eventually("every sheet is answered and every purchase settled", within: .seconds(30)) {
            for prompt in try await store.prompts().prompts { try await store.answer(prompt.id, .approve) }
            guard try await janitor.sweep(now: .now + .seconds(60)) == 0 else { return false }
            return try await store.prompts().prompts.isEmpty
        }
    }

    private func check(_ store: TestStore) async throws {
        var purchased: [PaymentTransaction] = []
        for account in ["alice", "bob"] {
            let customerApp = try await store.customerApp(account)
            let changes = try await journal(of: customerApp)
            #expect(changes.map(\.seq) == [Int64](1..<Int64(changes.count) + 1))
            purchased +=
                changes.filter { $0.kind == .updated && $0.transaction?.transactionState == .purchased }
                .compactMap(\.transaction)
            // What was never removed is what is there.
            let gone = Set(changes.filter { $0.kind == .removed }.map(\.transactionID))
            let left = Set(changes.map(\.transactionID)).subtracting(gone)
            #expect(Set(try await customerApp.snapshot().transactions.map(\.id)) == left)
        }
        let paid = purchased.filter { ($0.price?.minorUnits ?? 0) > 0 }.map { "purchase:\($0.id)" }
        let captured = try await store.charges().filter { $0.outcome == .approved }.map(\.chargeKey)
        #expect(captured.sorted() == paid.sorted())
    }

    private func journal(of customerApp: CustomerApp) async throws -> [CustomerChange] {
        var changes: [CustomerChange] = []
        while true {
            let page = try await customerApp.changes(after: Int64(changes.count))
            changes += page.changes
            if page.changes.isEmpty { return changes }
        }
    }
}
