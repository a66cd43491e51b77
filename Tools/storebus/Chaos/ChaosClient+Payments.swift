import Chaos
import StoreHTTP
import StoreModels

/// Purchases and the requests that follow them.
extension ChaosClient {
    /// Buys, or sends a purchase again under its key.
    /// - Parameters:
    ///   - intent: The intent whose saved payment it is.
    ///   - changesBody: Sends another body under the key on purpose. The store must refuse it.
    func purchase(
        _ phone: Phone, product: String, key: String, asksToBuy: Bool = false, intent: String? = nil,
        changesBody: Bool = false, process: Int
    ) async -> HistoryEntry.Kind {
        guard let token = await token(phone) else { return .fail }
        var line = line(.purchase, process, phone, product: product, key: key, detail: intent.map { ["intent": $0] })
        if asksToBuy { line.detail = (line.detail ?? [:]).merging(["asks": "true"]) { $1 } }
        let body = PaymentRequest(
            productIdentifier: product, applicationUsername: changesBody ? "another body" : nil,
            simulatesAskToBuyInSandbox: asksToBuy ? true : nil, intentIdentifier: intent)
        if changesBody { line.body = "another body" }
        let request = ChaosWorld.Unresolved(
            operation: .purchase, phone: phone, product: product, asksToBuy: asksToBuy, intent: intent)
        let outcome = await perform(line, PaymentRoutes.add, token: token, key: key, body: body) { made, status, end in
            end.transactions = [ObservedTransaction(made)]
            if made.transactionState == .failed { end.kind = .fail }
        }
        guard !changesBody else { return outcome.kind }
        // 202 is of a deferred transaction too, which waits for its parent and not for the store.
        let isPurchasing = outcome.value?.transactionState == .purchasing
        switch (outcome.kind, outcome.status) {
        case (.fail, 401): world.keep(nil, phone, ofStore: false)
        case (.ok, _) where isPurchasing: world.unresolve(key, request)
        case (.info, _): world.unresolve(key, request)
        default: world.resolve(key, request)
        }
        if let transaction = outcome.value { world.note(transaction, phone) }
        return outcome.kind
    }

    func finish(_ id: String, _ phone: Phone, process: Int) async -> HistoryEntry.Kind {
        guard let token = await token(phone) else { return .fail }
        let line = line(.finish, process, phone, detail: ["transaction": id])
        let outcome = await perform(
            line, TransactionRoutes.finish, [.id: id], token: token
        ) { finished, _, end in end.transactions = [ObservedTransaction(finished)] }
        if outcome.kind != .info { world.forget(id) }
        return outcome.kind
    }

    /// Starts a restore, and reads its end and then the device's queue.
    func restore(_ phone: Phone, key: String, process: Int) async -> HistoryEntry.Kind {
        guard let token = await token(phone) else { return .fail }
        let request = ChaosWorld.Unresolved(operation: .restore, phone: phone)
        let outcome = await perform(
            line(.restore, process, phone, key: key), RestoreRoutes.start, token: token, key: key, body: NewRestore()
        ) { accepted, _, end in
            end.detail = ["restore": accepted.restoreIdentifier, "state": Restore.State.running.rawValue]
            let ended = await poll {
                let restore = try? await api.call(
                    RestoreRoutes.get, [.restoreIdentifier: accepted.restoreIdentifier], token: token)
                return restore.flatMap { $0.state == .running ? nil : $0 }
            }
            guard let ended else { return }
            end.detail?["state"] = ended.state.rawValue
            end.detail?["restored"] = "\(ended.restored)"
            end.transactions = await restored(token)
        }
        if outcome.kind == .info { world.unresolve(key, request) } else { world.resolve(key, request) }
        return outcome.kind
    }

    /// Reads the restored transactions of a device's queue, those of earlier restores too.
    ///
    /// The read is not repeated, and workers learn nothing from it. So what the run does next does not depend on it.
    /// - Returns: Nil if the read failed.
    private func restored(_ token: String) async -> [ObservedTransaction]? {
        let queue = try? await api.all(TransactionRoutes.unfinished, token: token)
        return queue?.filter { $0.transactionState == .restored }.map { ObservedTransaction($0) }
    }

    /// Decides about a deferred transaction as a parent, refunds one, or ends a renewal.
    func operate(
        _ operation: HistoryEntry.Operation, _ id: String, _ phone: Phone, process: Int
    ) async -> HistoryEntry.Kind {
        let line = line(operation, process, phone, detail: ["transaction": id])
        let describe: @Sendable (PaymentTransaction, Int, inout HistoryEntry) -> Void = { transaction, _, end in
            end.transactions = [ObservedTransaction(transaction)]
        }
        let values: [PathParameter: String] = [.id: id]
        let outcome: CallOutcome<PaymentTransaction>
        switch operation {
        case .approve: outcome = await perform(line, TransactionRoutes.approve, values, token: nil, describe: describe)
        case .decline: outcome = await perform(line, TransactionRoutes.decline, values, token: nil, describe: describe)
        case .refund: outcome = await perform(line, TransactionRoutes.refund, values, token: nil, describe: describe)
        default:
            return await perform(
                line, TransactionRoutes.operate(.disableAutoRenew), values, token: nil
            ) { reply, _, end in
                end.product = reply.subscription.productIdentifier
                end.detail?["expires"] = "\(reply.subscription.expiresDate.milliseconds)"
            }.kind
        }
        if outcome.kind != .info { world.forget(id) }
        if let transaction = outcome.value { world.note(transaction, phone) }
        return outcome.kind
    }

    /// Reads all pages of a list as one operation.
    func list(_ operation: HistoryEntry.Operation, _ phone: Phone, process: Int) async -> HistoryEntry.Kind {
        guard let token = await token(phone) else { return .fail }
        let line = line(operation, process, phone)
        var end = line
        end.of = history.append(line).index
        let start = ContinuousClock.now
        do throws(CLIError) {
            let isHistory = operation == .readHistory || operation == .finalHistory
            let route = isHistory ? TransactionRoutes.history : TransactionRoutes.unfinished
            let found = try await api.all(route, token: token)
            end.kind = .ok
            end.status = 200
            end.transactions = found.map { ObservedTransaction($0) }
            if operation == .finalHistory {
                let clock = try await api.call(ClockRoutes.get, [.bundleId: world.bundleId])
                end.detail = ["now": "\(clock.now.milliseconds)"]
                world.noteFinally(found)
            }
            if !isHistory { for transaction in found { world.note(transaction, phone) } }
        } catch {
            end.kind = error.retryable || error.status == .unreachable ? .info : .fail
            end.code = error.code.name
        }
        end.milliseconds = Double((ContinuousClock.now - start).milliseconds)
        history.append(end)
        world.count(operation, end.kind)
        return end.kind
    }

    /// Moves the app's clock and waits until all due events are done. One key is one advance.
    func moveClock(by length: String, process: Int) async -> HistoryEntry.Kind {
        let key = world.newKey()
        let line = HistoryEntry(
            time: 0, process: process, kind: .invoke, operation: .moveClock, app: world.bundleId, key: key,
            detail: ["by": length])
        return await perform(
            line, ClockRoutes.advance, [.bundleId: world.bundleId], token: nil, key: key, body: ClockMove(by: length)
        ) { answer, _, end in
            if answer.advance.isFinished { return }
            let values: [PathParameter: String] = [
                .bundleId: world.bundleId, .id: answer.advance.advanceIdentifier,
            ]
            let finished = await poll { () -> Bool? in
                let answer = try? await api.call(ClockRoutes.progress, values)
                return answer?.advance.isFinished == true ? true : nil
            }
            if finished == nil { end.kind = .info }
        }.kind
    }
}
