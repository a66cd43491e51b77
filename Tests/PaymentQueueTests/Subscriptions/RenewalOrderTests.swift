import BusService
import StoreModels
import StorebusTesting
import Testing

/// Goal: what a moved clock makes happen looks the same each time, in any order of the processor's answers.
@Suite struct RenewalOrderTests {
    @Test(arguments: Engine.allCases)
    func `identifiers follow the order in which renewals fall due, not the processor's`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-01-31", frozen: true)
            let customerApps = [
                try await store.customerApp("alice"), try await store.customerApp("bob"),
                try await store.customerApp("carol"),
            ]
            for customerApp in customerApps {
                _ = try await customerApp.subscribe("news.weekly")
                try await store.jump(by: "1d")
            }
            // The first charge is answered last.
            store.processor.set(trouble: .heldOf(customerApps[0].customer))
            async let move = store.move(by: "1w", key: "k", within: .seconds(8))
            try await eventually("the others have renewed") {
                for customerApp in customerApps.dropFirst() where try await customerApp.history().transactions.count < 2
                {
                    return false
                }
                return true
            }
            store.processor.release()
            _ = try await move
            try await eventually("the move ends") { try await store.move(by: "1w", key: "k").isFinished }
            var renewals: [String] = []
            for customerApp in customerApps {
                let transactions = try await customerApp.history().transactions
                renewals += transactions.compactMap { $0.original == nil ? nil : $0.transactionIdentifier }
            }
            #expect(renewals.count == 3)
            #expect(renewals == renewals.sorted())
        }
    }
}
