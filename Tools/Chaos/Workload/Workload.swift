/// A mix of operations, by its name on the command line.
package enum Workload: String, CaseIterable, Sendable {
    /// Everything that apps, customers and the operator do.
    case mix
    /// Buying, retrying and finishing only.
    case purchases
    /// Subscriptions, with moves of the clock.
    case subscriptions
    /// Payments and decisions that are sent twice at the same time.
    case repeats
    /// First subscriptions, and questions about their introductory offer.
    case offers

    /// A worker's next action. Some choices need an earlier one's result, such as an unfinished transaction. Without it
    /// the worker buys.
    package enum Choice: String, CaseIterable, Sendable {
        case purchase, askToBuy, retry, retryOtherBody, finish, restore, approve, decline, refund, cancelSubscription
        case listUnfinished, readHistory, eligibility, moveClock, overrideWrite, overrideRead, storePage
        case createIntent, decideIntent, payIntent, purchaseTwice, decideIntentTwice, purchaseOffered

        /// The class under which the history has it.
        package var operation: HistoryEntry.Operation {
            switch self {
            case .purchase, .purchaseTwice, .purchaseOffered, .askToBuy, .retry, .retryOtherBody, .payIntent: .purchase
            case .finish: .finish
            case .restore: .restore
            case .approve: .approve
            case .decline: .decline
            case .refund: .refund
            case .cancelSubscription: .cancelSubscription
            case .listUnfinished: .listUnfinished
            case .readHistory: .readHistory
            case .eligibility: .eligibility
            case .moveClock: .moveClock
            case .overrideWrite: .overrideWrite
            case .overrideRead: .overrideRead
            case .storePage: .storePage
            case .createIntent: .createIntent
            case .decideIntent, .decideIntentTwice: .decideIntent
            }
        }
    }

    /// The number of operations of each choice in a thousand.
    package var weights: [(Choice, Int)] {
        switch self {
        case .mix:
            [
                (.purchase, 340), (.askToBuy, 40), (.retry, 110), (.retryOtherBody, 20), (.finish, 160), (.restore, 50),
                (.approve, 25), (.decline, 15), (.refund, 10), (.cancelSubscription, 10), (.listUnfinished, 35),
                (.readHistory, 25), (.eligibility, 35), (.moveClock, 2), (.overrideWrite, 28), (.overrideRead, 28),
                (.storePage, 12), (.createIntent, 25), (.decideIntent, 20), (.payIntent, 10),
            ]
        case .purchases:
            [(.purchase, 550), (.retry, 150), (.finish, 250), (.listUnfinished, 30), (.readHistory, 20)]
        case .subscriptions:
            [
                (.purchase, 400), (.retry, 120), (.finish, 250), (.eligibility, 120), (.cancelSubscription, 40),
                (.moveClock, 10), (.readHistory, 40), (.refund, 20),
            ]
        case .repeats:
            [
                (.purchaseTwice, 250), (.purchase, 150), (.retry, 100), (.finish, 200), (.createIntent, 150),
                (.decideIntentTwice, 150),
            ]
        case .offers:
            [
                (.purchaseOffered, 200), (.askToBuy, 400), (.approve, 150), (.decline, 20), (.finish, 60),
                (.eligibility, 170),
            ]
        }
    }

    /// The classes of operations that its run has to exercise.
    package var operations: [HistoryEntry.Operation] {
        HistoryEntry.Operation.allCases.filter { operation in weights.contains { $0.0.operation == operation } }
    }

    /// Weights of the products of ``ChaosCatalog``, in its order.
    package var productWeights: [Int] {
        switch self {
        case .mix, .purchases: [60, 20, 12, 8]
        case .subscriptions: [10, 0, 55, 35]
        case .repeats: [70, 10, 12, 8]
        case .offers: [10, 0, 45, 45]
        }
    }
}

/// One operation as a worker is going to do it.
package struct Step: Hashable, Sendable {
    package var choice: Workload.Choice
    /// Places in the run's lists.
    package var account: Int
    package var device: Int
    package var product: Int
    /// Chooses among the results of earlier operations.
    package var pick: UInt64

    /// Draws the next step.
    /// - Parameters:
    ///   - accounts: Number of accounts.
    ///   - devices: Number of devices of each.
    package static func next(
        _ workload: Workload, accounts: Int, devices: Int, using random: inout SeededGenerator
    ) -> Step {
        Step(
            choice: draw(workload.weights, using: &random) ?? .purchase,
            account: Int.random(in: 0..<accounts, using: &random), device: Int.random(in: 0..<devices, using: &random),
            product: draw(Array(workload.productWeights.enumerated()).map { ($0.offset, $0.element) }, using: &random)
                ?? 0,
            pick: random.next())
    }

    private static func draw<Value>(_ weighted: [(Value, Int)], using random: inout SeededGenerator) -> Value? {
        var rest = Int.random(in: 0..<weighted.reduce(0) { $0 + $1.1 }, using: &random)
        for (value, weight) in weighted {
            if rest < weight { return value }
            rest -= weight
        }
        return nil
    }
}
