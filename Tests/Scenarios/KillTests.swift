import Foundation
import StoreModels
import StorebusTesting
import Testing

/// Goal: whichever process dies while people buy, each purchase is charged once, exists once and is delivered.
/// Method: shoppers buy at the same time, each repeating its key until the outcome is known; one process is killed
/// with SIGKILL while their payments are on the way; afterwards the processor's own ledger, the history and a freshly
/// opened stream are compared. The moment of the kill is drawn from a printed seed.
@Suite(.process) struct KillTests {
    @Test(arguments: [
        "payment-queue", "payment-processor", "catalog", "eligibility", "promotion-controller", "notifier", "gateway",
        "broker",
    ])
    func `kill -9 during purchases: one charge, one transaction, delivered`(service: String) async throws {
        var random = SplitMix64.seeded("kill \(service)")
        let delay = Int.random(in: 5...60, using: &random)
        try await StoreStack.run { store in
            try await store.expectPurchasesSurvive("kill", after: delay) {
                let killed = try store.signal(service)
                try await store.waitForReplacement(of: service, after: killed)
            }
        }
    }
}
