import StoreModels

/// The purchase of another product of a subscription's group, and what it has done to the subscription.
struct SubscriptionPurchase: Sendable {
    /// What was meant; the store decides by levels and lengths what it is.
    enum Direction: String, Sendable { case upgrade, downgrade }

    let direction: Direction
    let product: String

    init(_ direction: Direction, _ product: String) {
        self.direction = direction
        self.product = product
    }

    func run(_ named: SubscriptionArguments, _ global: GlobalOptions) async throws {
        let context = try await named.context(global)
        let present = try await named.find(context)
        let before = try await context.api.timeline(present.originalTransactionIdentifier)
        let purchase = Purchase(
            productIdentifier: product, quantity: 1, applicationUsername: nil,
            key: "cli-\(Secret.make().prefix(32))", timeout: context.timeLimit ?? .seconds(30))
        let outcome = try await context.progress.during("buying \(product)") { () throws(CLIError) in
            try await purchase.run(present.installation(context), context)
        }
        guard outcome.status == .success else {
            context.print(outcome.answer)
            throw QuietExit(status: outcome.status)
        }
        let timeline = try await context.api.timeline(present.originalTransactionIdentifier)
        let change = SubscriptionChange(
            before: present, outcome: outcome, timeline: timeline, earlierEventCount: before.events.count)
        var answer = change.answer
        if let note = note(change) { answer.notes.append(note) }
        context.print(answer)
    }

    private func note(_ change: SubscriptionChange) -> String? {
        switch (direction, change.isScheduled) {
        case (.upgrade, true): "the store took it for a downgrade or a change of length: it waits for the renewal"
        case (.downgrade, false): "the store took it for an upgrade or a crossgrade: it has taken effect at once"
        default: nil
        }
    }
}
