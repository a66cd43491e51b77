import Chaos
import StoreModels

/// Does one operation after the other until it is cancelled.
struct ChaosWorker: Sendable {
    let client: ChaosClient
    let workload: Workload
    /// The first number of its processes, from 1.
    let number: Int
    let seed: UInt64
    /// The least time from the beginning of an operation to the next.
    let interval: Duration

    func run() async {
        // Streams below 100 belong to the schedule.
        var random = SeededGenerator(seed: seed, stream: 100 + UInt64(number))
        var process = number
        while !Task.isCancelled {
            let next = ContinuousClock.now + interval
            let step = Step.next(
                workload, accounts: client.world.shoppers, devices: client.world.devicesEach, using: &random)
            // In a task of its own: a request under way when the worker is cancelled still gets its response.
            let (client, current) = (client, process)
            let operation = Task { await client.perform(step, process: current) }
            if await operation.value == .info { process = client.world.newProcess() }
            try? await ContinuousClock().sleep(until: next)
        }
    }
}

extension ChaosClient {
    /// Length of an advance of the app's clock: past the trial and one month.
    private static let advance = "40d"

    /// Performs a step, or buys if the step has no object yet.
    func perform(_ step: Step, process: Int) async -> HistoryEntry.Kind {
        let phone = world.phone(step.account, step.device)
        let product = ChaosCatalog.items[step.product].identifier
        let subscription = ChaosCatalog.items[2 + Int(step.pick % 2)].identifier
        switch step.choice {
        case .purchase: break
        case .askToBuy:
            return await purchase(phone, product: product, key: world.newKey(), asksToBuy: true, process: process)
        case .retry:
            if let known = world.keyToRetry(step.pick) {
                return await resend(known.key, known.request, process: process)
            }
        case .retryOtherBody:
            if let known = world.answeredPurchase(step.pick), let product = known.request.product {
                return await purchase(
                    known.request.phone, product: product, key: known.key, asksToBuy: known.request.asksToBuy,
                    intent: known.request.intent, changesBody: true, process: process)
            }
        case .finish:
            if let known = world.unfinished(step.pick) { return await finish(known.id, known.phone, process: process) }
        case .restore: return await restore(phone, key: world.newKey(), process: process)
        case .approve, .decline:
            if let known = world.deferred(step.pick) {
                return await operate(
                    step.choice == .approve ? .approve : .decline, known.id, known.phone, process: process)
            }
        case .refund:
            if let known = world.purchased(step.pick) {
                return await operate(.refund, known.id, known.phone, process: process)
            }
        case .cancelSubscription:
            if let known = world.subscription(step.pick) {
                return await operate(.cancelSubscription, known.id, known.phone, process: process)
            }
        case .listUnfinished: return await list(.listUnfinished, phone, process: process)
        case .readHistory: return await list(.readHistory, phone, process: process)
        case .eligibility: return await eligibility(phone, product: subscription, process: process)
        case .moveClock: return await moveClock(by: Self.advance, process: process)
        case .overrideWrite:
            return step.pick / 8 % 2 == 0
                ? await writeOrder(phone, step.pick, process: process)
                : await writeVisibility(phone, step.pick, process: process)
        case .overrideRead:
            return step.pick / 8 % 2 == 0
                ? await readOrder(phone, process: process)
                : await readVisibility(phone, product: self.product(of: step.pick), process: process)
        case .storePage: return await storePage(phone, process: process)
        case .createIntent: return await createIntent(phone, product: product, process: process)
        case .decideIntent:
            if let known = world.intent(step.pick) {
                return await decideIntent(known.id, known.phone, step.pick, process: process)
            }
        case .purchaseTwice:
            let key = world.newKey()
            return await twice(process) { await purchase(phone, product: product, key: key, process: $0) }
        case .purchaseOffered:
            // As an app does that shows the offer, sells it, and shows what is left.
            guard await eligibility(phone, product: subscription, process: process) != .info else { return .info }
            let bought = await purchase(phone, product: subscription, key: world.newKey(), process: process)
            return bought == .info ? .info : await eligibility(phone, product: subscription, process: process)
        case .decideIntentTwice:
            if let known = world.intent(step.pick) {
                return await twice(process) { await decideIntent(known.id, known.phone, step.pick, process: $0) }
            }
        case .payIntent:
            if let known = world.deferredIntent(step.pick) {
                return await purchase(
                    known.phone, product: known.product, key: world.newKey(), intent: known.id, process: process)
            }
        }
        return await purchase(phone, product: product, key: world.newKey(), process: process)
    }

    /// Rounds of a tour at most. A store that heals refuses for a while.
    private static let toursMax = 20

    /// Does each operation of a workload until it has succeeded. Its preconditions are made first.
    func tour(_ workload: Workload, account: Int, process: Int) async {
        let before = world.successes
        for round in 0..<Self.toursMax {
            let left = workload.weights.map(\.0).filter {
                round == 0 || world.successes[$0.operation, default: 0] == before[$0.operation, default: 0]
            }
            if left.isEmpty { return }
            if round > 0 { try? await ContinuousClock().sleep(for: .milliseconds(250)) }
            await tour(left, account, pick: UInt64(round), process: round == 0 ? process : world.newProcess())
        }
    }

    private func tour(_ choices: [Workload.Choice], _ account: Int, pick: UInt64, process: Int) async {
        func step(_ choice: Workload.Choice, product: Int = 0) async {
            _ = await perform(
                Step(choice: choice, account: account, device: 0, product: product, pick: pick), process: process)
        }
        for choice in choices {
            switch choice {
            case .createIntent:
                _ = await writeVisibility(world.phone(account, 0), 0, process: process)
            case .approve, .decline: await step(.askToBuy)
            case .refund: await step(.purchase)
            case .cancelSubscription: await step(.purchase, product: 2)
            default: break
            }
            await step(choice)
            // Another one stays without a decision.
            if choice.operation == .decideIntent { await step(.createIntent) }
        }
    }

    /// Makes states that the workers' operations would soon hide. These are a group in which each purchase failed, and
    /// a cancelled subscription that is not bought again.
    func prepare(_ workload: Workload, process: Int) async {
        let choices = Set(workload.weights.map(\.0))
        let product = ChaosCatalog.items[2].identifier
        func buy(_ account: Int, asksToBuy: Bool) async -> ChaosWorld.Phone {
            let phone = world.phone(account, 0)
            _ = await purchase(phone, product: product, key: world.newKey(), asksToBuy: asksToBuy, process: process)
            return phone
        }
        if choices.contains(.decline) {
            let phone = await buy(world.shoppers, asksToBuy: true)
            for waiting in world.deferred(of: phone.account) {
                _ = await operate(.decline, waiting.id, phone, process: process)
            }
        }
        if choices.contains(.cancelSubscription) {
            let phone = await buy(world.shoppers + 1, asksToBuy: false)
            for bought in world.subscriptions(of: phone.account) {
                _ = await operate(.cancelSubscription, bought.id, phone, process: process)
            }
        }
    }

    /// Sends a request twice at the same time, the second time as a process of its own.
    /// - Returns: `info` unless both outcomes are known.
    private func twice(
        _ process: Int, _ send: @Sendable (Int) async -> HistoryEntry.Kind
    ) async -> HistoryEntry.Kind {
        let other = world.newProcess()
        async let second = send(other)
        let first = await send(process)
        return await second == .info ? .info : first
    }

    /// Sends a request with a key again, as it was.
    func resend(_ key: String, _ request: ChaosWorld.Unresolved, process: Int) async -> HistoryEntry.Kind {
        guard request.operation == .purchase, let product = request.product else {
            return await restore(request.phone, key: key, process: process)
        }
        return await purchase(
            request.phone, product: product, key: key, asksToBuy: request.asksToBuy, intent: request.intent,
            process: process)
    }
}
