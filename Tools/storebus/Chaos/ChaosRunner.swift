import BusClient
import BusService
import Chaos
import StoreHTTP
import StoreModels

/// One run: a workload, the faults of a schedule, healing, and the final reads.
struct ChaosRunner: Sendable {
    let plan: ChaosPlan
    let store: ChaosStore
    let bus: any BusClient
    /// Shows the state while it runs.
    let display: ChaosDisplay

    /// Result of a run, before its history is checked.
    struct RunOutcome: Sendable {
        var directory: String
        var operations = 0
        var faults: Int
        /// Services that did not come back, and keys without an outcome. Empty for a healed store.
        var unhealed: [String]
        var wasBrokenOff: Bool
    }

    /// Time for services to come back and for each key to get an outcome.
    private static let healTimeout = Duration.seconds(60)

    /// Runs, checks the history, and writes the reports.
    func run() async throws(CLIError) -> ChaosVerdict {
        try FileAccess.makeDirectory(plan.directory)
        let start = ContinuousClock.now
        let world = ChaosWorld(
            name: plan.name, accounts: plan.accounts, devicesEach: plan.devicesEach, workers: plan.workers)
        let history: HistoryWriter
        let options = plan.options(
            app: world.bundleId, startedAt: .wallClock(), database: store.database, processes: store.processes)
        let reporter = ChaosReporter(options, store.api)
        do throws(HistoryFault) {
            try RunDirectory(plan.directory).write(options)
            history = try HistoryWriter(
                path: "\(plan.directory)/\(RunDirectory.historyName)", onAppend: reporter.observe
            ) {
                let (seconds, attoseconds) = (ContinuousClock.now - start).components
                return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
            }
        } catch {
            throw CLIError(.dataDirectoryUnusable, "\(error)", hints: ["name another directory: --out DIR"])
        }
        let client = ChaosClient(api: store.api, world: world, history: history)
        let notifications =
            plan.parts.contains(.notifications) ? try ChaosNotifications(seed: plan.seed, history: history) : nil
        defer { notifications?.stop() }
        let hostileApp =
            plan.faults.contains(.hostileWebhooks)
            ? notifications.map { HostileApp(client: client, notifications: $0) } : nil
        let injector = ChaosInjector(
            store: store, bus: bus, seed: plan.seed, world: world, hostileApp: hostileApp)
        try await injector.check(plan.faults)
        try await setUp(client, notifications)
        try await hostileApp?.setUp()
        let monitor = ChaosMonitor(store: store, bus: bus, history: history, start: start)
        let reporting = Task { await reporter.run(monitor) }
        defer { reporting.cancel() }
        let events = try await ChaosEventReader(client)
        let following = Task { await events.run() }
        let families = plan.parts.contains(.families) ? ChaosFamilies(client, seed: plan.seed, charges) : nil
        let parts = try await parts(client, notifications) + [families].compactMap(\.self)
        for part in parts { try await part.setUp() }
        var outcome = await disturb(client, injector, monitor, reporter, parts, start)
        await end(following)
        if !outcome.wasBrokenOff {
            try await readFinally(client)
            let process = client.world.newProcess()
            try await surely { await events.readFinally(process: process) }
            if let notifications {
                await settle(notifications, client)
                await hostileApp?.settle()
                note("settled", client, reporter)
            }
        }
        for part in parts where !outcome.wasBrokenOff || part is ChaosIsolatedStores { await part.finish() }
        do throws(HistoryFault) {
            try history.flush()
        } catch {
            throw CLIError(.dataDirectoryUnusable, "\(error)", hints: ["name another directory: --out DIR"])
        }
        outcome.operations = world.counts.values.reduce(0, +)
        let verdict = try ChaosVerdict(outcome)
        await end(reporting)
        await reporter.finish(verdict)
        await end(notificationsOf: [client.world.bundleId, hostileApp?.bundleId].compactMap(\.self), client)
        // The purchases of another run are what an operator looks at.
        if verdict.isGood, store.owned == nil { await cleanUp(client, hostileApp, families) }
        return verdict
    }

    // MARK: Before

    /// Makes the run's app, catalogue, promotions and sessions.
    private func setUp(_ client: ChaosClient, _ notifications: ChaosNotifications?) async throws(CLIError) {
        let api = client.api
        let app: [PathParameter: String] = [.bundleId: client.world.bundleId]
        try await api.importCatalog(
            Array(ChaosCatalog.storekit.utf8), fileName: "Chaos.storekit", bundleId: client.world.bundleId)
        if let notifications {
            _ = try await api.call(
                NotificationRoutes.putEndpoint, app, body: notifications.endpoint(of: client.world.bundleId))
        }
        for item in ChaosCatalog.items {
            let product = app.merging([.id: item.identifier]) { $1 }
            var upload = api.request(ImageRoutes.put, product)
            upload.headers["Content-Type"] = "application/octet-stream"
            upload.body = ChaosCatalog.image
            _ = try await api.exchange(upload)
            _ = try await api.call(ImageRoutes.approve, product)
        }
        _ = try await api.call(
            PromotionRoutes.putSetup, app,
            body: ChaosCatalog.items.map { PromotionEntry(productIdentifier: $0.identifier, visible: true) })
        for phone in client.world.phones {
            for ofStore in [false, true] {
                try await Retry.run(until: .now + .seconds(10)) { () throws(CLIError) in
                    guard await client.token(phone, ofStore: ofStore) != nil else {
                        throw CLIError(.notReady, "no session of \(phone.account) could be opened", retryable: true)
                    }
                }
            }
        }
    }

    private func parts(
        _ client: ChaosClient, _ notifications: ChaosNotifications?
    ) async throws(CLIError) -> [any ChaosPart] {
        var parts: [any ChaosPart] = []
        if plan.parts.contains(.stories) { parts.append(try await ChaosStories(client, seed: plan.seed)) }
        if plan.parts.contains(.stores) {
            parts.append(ChaosIsolatedStores(client: client, notifications: notifications, seed: plan.seed))
        }
        return parts
    }

    // MARK: The phases

    /// Time without faults at the beginning, to have something to disturb.
    private static let warmUp = Duration.seconds(2)

    private func disturb(
        _ client: ChaosClient, _ injector: ChaosInjector, _ monitor: ChaosMonitor, _ reporter: ChaosReporter,
        _ parts: [any ChaosPart], _ start: ContinuousClock.Instant
    ) async -> RunOutcome {
        let schedule = plan.schedule
        func phase(_ name: String) { note(name, client, reporter) }
        phase("warmUp")
        let guide = client.world.newProcess()
        await client.prepare(plan.workload, process: guide)
        await client.tour(plan.workload, account: 0, process: guide)
        let probing = Task { await monitor.run { await injector.renewRules() } }
        let observing = Task { await observe(client) }
        let showing = Task { await display.run(monitor, client.world, start) }
        let working = Task { await work(client) }
        let besides = Task {
            await withDiscardingTaskGroup { group in
                for part in parts { group.addTask { await part.run() } }
            }
        }
        try? await ContinuousClock().sleep(for: min(Self.warmUp, plan.duration / 4))
        phase("faults")
        let struck = await strike(schedule, client, injector, monitor)
        // In a task of its own, because requests of a cancelled one are never sent.
        await Task { await injector.healAll(schedule.faults) }.value
        for fault in struck.open { monitor.end(fault) }
        let wasBrokenOff = Task.isCancelled
        phase("healed")
        var unhealed: [String] = []
        if !wasBrokenOff {
            if await !monitor.waitUntilUp(within: Self.healTimeout) {
                unhealed += monitor.board.services.filter { !$0.isUp }.map(\.service)
            }
            // Some load after healing shows that the store serves again.
            try? await ContinuousClock().sleep(for: .seconds(1))
        }
        await end(working)
        await end(besides)
        if !wasBrokenOff {
            phase("quiet")
            for part in parts { await part.tour() }
            await client.tour(plan.workload, account: 1, process: client.world.newProcess())
            unhealed += await resolve(client)
            // Streams get what the last operations made, and checks know that they had the time to.
            try? await ContinuousClock().sleep(for: .microseconds(QueueChecks.deadline) + .milliseconds(500))
            phase("final")
        }
        for task in [observing, showing, probing] { await end(task) }
        return RunOutcome(
            directory: plan.directory, faults: struck.count, unhealed: unhealed, wasBrokenOff: wasBrokenOff)
    }

    private func end<Value>(_ task: Task<Value, Never>) async {
        task.cancel()
        _ = await task.value
    }

    private func note(_ name: String, _ client: ChaosClient, _ reporter: ChaosReporter) {
        client.history.note(.service, ["what": "phase", "phase": name])
        display.phase(name)
        reporter.phase(name)
    }

    private func work(_ client: ChaosClient) async {
        await withDiscardingTaskGroup { group in
            for number in 1...plan.workers {
                let worker = ChaosWorker(
                    client: client, workload: plan.workload, number: number, seed: plan.seed, interval: plan.interval)
                group.addTask { await worker.run() }
            }
        }
    }

    private func observe(_ client: ChaosClient) async {
        await withDiscardingTaskGroup { group in
            for (index, phone) in client.world.phones.enumerated() {
                let observer = ChaosObserver(client: client, phone: phone, process: ChaosWorld.firstObserver + index)
                group.addTask { await observer.run() }
            }
        }
    }

    /// Injects the schedule's faults at their moments, until its end or until the task is cancelled.
    /// - Returns: Number of faults that were begun, and those whose end had not come.
    private func strike(
        _ schedule: Schedule, _ client: ChaosClient, _ injector: ChaosInjector, _ monitor: ChaosMonitor
    ) async -> (count: Int, open: [PlannedFault]) {
        let begin = ContinuousClock.now
        var steps = schedule.faults.flatMap {
            [(at: $0.begin, fault: $0, isEnd: false), (at: $0.end, fault: $0, isEnd: true)]
        }
        // Stable for an instant fault, whose begin and end have one moment.
        steps.sort { $0.at < $1.at || $0.at == $1.at && !$0.isEnd && $1.isEnd }
        var open: [PlannedFault] = []
        var count = 0
        var surge: Task<Void, Never>?
        for step in steps {
            try? await ContinuousClock().sleep(until: begin + step.at)
            if Task.isCancelled { break }
            if step.isEnd {
                surge?.cancel()
                await injector.end(step.fault)
                monitor.end(step.fault)
                open.removeAll { $0.number == step.fault.number }
            } else {
                count += 1
                open.append(step.fault)
                display.note(step.fault)
                let beginning = await injector.begin(step.fault)
                if let refusal = beginning.refusal { display.refused(step.fault, refusal) }
                monitor.begin(step.fault, beginning)
                if step.fault.name == .overload { surge = Task { await overload(client, number: step.fault.number) } }
            }
        }
        surge?.cancel()
        await surge?.value
        if !Task.isCancelled { try? await ContinuousClock().sleep(until: begin + plan.duration) }
        return (count, open)
    }

    /// Requests under way at most while the store is overloaded.
    private static let surgeMax = 1_000

    /// Sends ten times the workers' operations without waiting for answers.
    private func overload(_ client: ChaosClient, number: Int) async {
        let interval = plan.interval / (10 * plan.workers)
        var random = SeededGenerator(seed: plan.seed, stream: 10_000 + UInt64(number))
        await withTaskGroup(of: Void.self) { group in
            var underWay = 0
            var next = ContinuousClock.now
            while !Task.isCancelled {
                next += interval
                try? await ContinuousClock().sleep(until: next)
                if underWay == Self.surgeMax {
                    await group.next()
                    underWay -= 1
                }
                let step = Step.next(
                    plan.workload, accounts: client.world.shoppers, devices: client.world.devicesEach,
                    using: &random)
                underWay += 1
                group.addTask { _ = await client.perform(step, process: client.world.newProcess()) }
            }
        }
    }

    // MARK: After

    /// Sends every key without an outcome again until it has one.
    ///
    /// A purchase of a product that a customer can own once waits behind a deferred one of the same. So parents decide
    /// about the deferred ones of such customers.
    /// - Returns: Keys that have no outcome in the end.
    private func resolve(_ client: ChaosClient) async -> [String] {
        let deadline = ContinuousClock.now + Self.healTimeout
        while ContinuousClock.now < deadline, !Task.isCancelled {
            let open = client.world.unresolved
            if open.isEmpty { return [] }
            for (key, request) in open {
                _ = await client.resend(key, request, process: client.world.newProcess())
            }
            let accounts = Set(client.world.unresolved.map { ExactText($0.request.phone.account) })
            for account in client.world.accounts where accounts.contains(ExactText(account)) {
                for (number, waiting) in client.world.deferred(of: account).enumerated() {
                    _ = await client.operate(
                        number % 2 == 0 ? .approve : .decline, waiting.id, waiting.phone,
                        process: client.world.newProcess())
                }
            }
            try? await ContinuousClock().sleep(for: .milliseconds(200))
        }
        return client.world.unresolved.map(\.key)
    }

    private func readFinally(_ client: ChaosClient) async throws(CLIError) {
        let process = client.world.newProcess()
        for phone in client.world.phones {
            try await surely { await client.list(.finalUnfinished, phone, process: process) }
            try await surely { await client.readOrder(phone, process: process, as: .finalOverride) }
            for item in ChaosCatalog.items {
                try await surely {
                    await client.readVisibility(
                        phone, product: item.identifier, process: process, as: .finalOverride)
                }
            }
            try await surely { await client.finalIntents(phone, process: process) }
        }
        for account in client.world.accounts.indices {
            let phone = client.world.phone(account, 0)
            try await surely { await client.list(.finalHistory, phone, process: process) }
            for item in ChaosCatalog.items where item.group != nil {
                try await surely {
                    await client.eligibility(phone, product: item.identifier, process: process, as: .finalEligibility)
                }
            }
        }
        let charges = try await capturedCharges(client.world)
        client.history.append(
            HistoryEntry(
                time: 0, process: process, kind: .ok, operation: .finalCharges, app: client.world.bundleId,
                charges: charges))
    }

    /// Quiet time after which notifications count as settled.
    private static let quiet = Duration.seconds(1)
    /// Time for notifications whose attempts have failed: the whole schedule of `fast`, and an attempt's timeout.
    private static let settleTimeout = Duration.seconds(60)
    /// The longest time between two deliveries while one is to come. It covers the last pause of `fast`, 16 s, and an
    /// attempt's timeout, 5 s. An attempt of a process that died is repeated sooner.
    private static let silenceMax = Duration.seconds(22)

    /// Waits until no notification is to come any more. The store's own word only ends the wait.
    private func settle(_ notifications: ChaosNotifications, _ client: ChaosClient) async {
        let deadline = ContinuousClock.now + Self.settleTimeout
        while ContinuousClock.now < deadline, !Task.isCancelled {
            if notifications.isQuiet(for: Self.quiet), await !hasOpenNotifications(client) { return }
            if notifications.isSilent(for: Self.silenceMax) { return }
            try? await ContinuousClock().sleep(for: .milliseconds(200))
        }
    }

    private func hasOpenNotifications(_ client: ChaosClient) async -> Bool {
        for state in [ServerNotification.State.pending, .retrying] {
            let page = try? await client.api.call(
                NotificationRoutes.list, [.bundleId: client.world.bundleId],
                query: ["state": state.rawValue, "limit": "1"])
            guard let page, page.notifications.isEmpty else { return true }
        }
        return false
    }

    /// Removes the apps' endpoints. Their server ends with the run.
    private func end(notificationsOf apps: [String], _ client: ChaosClient) async {
        // In a task of its own, because requests of a cancelled one are never sent.
        await Task {
            for app in apps {
                try? await client.api.call(NotificationRoutes.deleteEndpoint, [.bundleId: app])
            }
        }.value
    }

    /// Deletes purchases, prompts, devices and the accounts' settings of the run in a store that goes on.
    private func cleanUp(_ client: ChaosClient, _ hostileApp: HostileApp?, _ families: ChaosFamilies?) async {
        let devices = client.world.phones.map(\.device) + (hostileApp?.devices ?? []) + (families?.devices ?? [])
        do throws(CLIError) {
            for app in [client.world.bundleId, hostileApp?.bundleId, families?.bundleId].compactMap(\.self) {
                _ = try await client.api.call(AppRoutes.reset, [.bundleId: app], timeout: Self.healTimeout)
            }
            for device in devices {
                try await ifFound { () throws(CLIError) in
                    try await client.api.call(DeviceRoutes.delete, [.deviceId: device])
                }
            }
            for account in client.world.accounts + (families?.accounts ?? []) {
                try await client.api.call(AccountRoutes.reset, [.account: account])
            }
        } catch {
            display.note("the purchases of \(client.world.bundleId) stay: \(error.message)")
        }
    }

    private func surely(_ read: () async -> HistoryEntry.Kind) async throws(CLIError) {
        try await Retry.run(until: .now + .seconds(30)) { () throws(CLIError) in
            guard await read() == .ok else {
                throw CLIError(.notReady, "a final read had no response", retryable: true)
            }
        }
    }

    /// Reads the processor's ledger once every purchase's charge is captured, or as it is after ``healTimeout``.
    ///
    /// Authorizations of purchases that were never committed lapse, and no read waits for them.
    private func capturedCharges(_ world: ChaosWorld) async throws(CLIError) -> [ObservedCharge] {
        let deadline = ContinuousClock.now + Self.healTimeout
        while true {
            let charges = try await charges(of: world.bundleId)
            let isWhole = !charges.contains { charge in
                charge.outcome == Charge.Outcome.authorized.rawValue && charge.key.hasPrefix("purchase:")
                    && world.isFinallyPurchased(String(charge.key.dropFirst("purchase:".utf8.count)))
            }
            if isWhole || ContinuousClock.now >= deadline { return charges }
            try? await ContinuousClock().sleep(for: .milliseconds(200))
        }
    }

    /// Reads the processor's ledger of an app over the bus.
    @Sendable
    private func charges(of bundleId: String) async throws(CLIError) -> [ObservedCharge] {
        let caller = ServiceCaller(bus: bus, caller: "chaos", retries: true)
        do throws(StoreError) {
            var refunded: [ExactText: Int64] = [:]
            for page in try await caller.ledger(ProcessorEndpoints.listRefunds, of: bundleId, \.after) {
                for refund in page.refunds {
                    refunded[ExactText(refund.chargeKey), default: 0] += refund.amount.minorUnits
                }
            }
            let pages = try await caller.ledger(ProcessorEndpoints.listCharges, of: bundleId, \.after)
            return pages.flatMap(\.charges).map { charge in
                ObservedCharge(
                    key: charge.chargeKey, outcome: charge.outcome.rawValue,
                    amount: charge.amount?.minorUnits ?? 0, currency: charge.amount?.currency.code ?? "",
                    refunded: refunded[ExactText(charge.chargeKey)] ?? 0)
            }
        } catch {
            throw CLIError(.noResponders, "the ledger cannot be read: \(error.message)", retryable: true)
        }
    }
}
