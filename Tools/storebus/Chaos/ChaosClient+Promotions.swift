import Chaos
import StoreHTTP
import StoreModels

/// Overrides, the store page, intents and offers.
extension ChaosClient {
    /// Replaces the order of promoted products on a device.
    func writeOrder(_ phone: Phone, _ pick: UInt64, process: Int) async -> HistoryEntry.Kind {
        guard let token = await token(phone) else { return .fail }
        var random = SeededGenerator(seed: pick)
        let order = ChaosCatalog.items.map(\.identifier).shuffled(using: &random)
            .prefix(Int.random(in: 1...ChaosCatalog.items.count, using: &random))
        let line = line(.overrideWrite, process, phone, detail: ["order": order.joined(separator: " ")])
        return await perform(
            line, PromotionRoutes.putOrder, token: token, body: NewOrder(productIdentifiers: Array(order))
        ) { _, _, _ in }.kind
    }

    func readOrder(
        _ phone: Phone, process: Int, as operation: HistoryEntry.Operation = .overrideRead
    ) async -> HistoryEntry.Kind {
        guard let token = await token(phone) else { return .fail }
        return await perform(
            line(operation, process, phone), PromotionRoutes.order, token: token
        ) { found, _, end in end.detail = ["order": found.productIdentifiers.joined(separator: " ")] }.kind
    }

    /// Shows or hides one product on a device.
    func writeVisibility(_ phone: Phone, _ pick: UInt64, process: Int) async -> HistoryEntry.Kind {
        guard let token = await token(phone) else { return .fail }
        let choices: [StorePromotionVisibility] = [.show, .show, .show, .default, .default, .hide]
        let visibility = choices[Int(pick % UInt64(choices.count))]
        let product = product(of: pick)
        let line = line(
            .overrideWrite, process, phone, product: product, detail: ["visibility": visibility.rawValue])
        return await perform(
            line, PromotionRoutes.putVisibility, [.productIdentifier: product], token: token,
            body: NewVisibility(visibility: visibility)
        ) { _, _, _ in }.kind
    }

    func readVisibility(
        _ phone: Phone, product: String, process: Int, as operation: HistoryEntry.Operation = .overrideRead
    ) async -> HistoryEntry.Kind {
        guard let token = await token(phone) else { return .fail }
        return await perform(
            line(operation, process, phone, product: product), PromotionRoutes.visibility,
            [.productIdentifier: product], token: token
        ) { found, _, end in end.detail = ["visibility": found.visibility.rawValue] }.kind
    }

    /// The product that a pick is about, independent of the pick's lower part.
    func product(of pick: UInt64) -> String {
        ChaosCatalog.items[Int(pick / 64 % UInt64(ChaosCatalog.items.count))].identifier
    }

    func storePage(_ phone: Phone, process: Int) async -> HistoryEntry.Kind {
        guard let token = await token(phone, ofStore: true) else { return .fail }
        return await perform(
            line(.storePage, process, phone), StorePageRoutes.page, token: token
        ) { page, _, end in
            // A page without the overrides says nothing of them.
            guard page.degraded.isEmpty else { return }
            end.detail = [
                "order": page.promotions.map { $0.product.productIdentifier }.joined(separator: " ")
            ]
        }.kind
    }

    /// Taps Buy in the store.
    func createIntent(_ phone: Phone, product: String, process: Int) async -> HistoryEntry.Kind {
        guard let token = await token(phone, ofStore: true) else { return .fail }
        let outcome = await perform(
            line(.createIntent, process, phone, product: product), StorePageRoutes.purchase, token: token,
            body: StorePurchase(productIdentifier: product)
        ) { reply, _, end in
            if let intent = reply.intentIdentifier { end.detail = ["intent": intent, "state": "pending"] }
        }
        if let intent = outcome.value?.intentIdentifier { world.noteIntent(intent, phone) }
        return outcome.kind
    }

    func decideIntent(_ id: String, _ phone: Phone, _ pick: UInt64, process: Int) async -> HistoryEntry.Kind {
        guard let token = await token(phone) else { return .fail }
        let decision: DecideIntentRequest.Decision =
            pick % 8 < 5 ? .continue : pick % 8 < 7 ? .defer : .cancel
        let line = line(.decideIntent, process, phone, detail: ["intent": id, "decision": decision.rawValue])
        let outcome = await perform(
            line, IntentRoutes.decide, [.id: id], token: token, body: DecisionRequest(decision: decision)
        ) { reply, _, end in
            end.detail?["state"] = reply.intent.state.rawValue
            end.transactions = reply.transaction.map { [ObservedTransaction($0)] }
        }
        if outcome.kind != .info, decision != .defer { world.forget(id) }
        if outcome.kind == .ok, decision == .defer, let product = outcome.value?.intent.payment.productIdentifier {
            world.deferIntent(id, product, phone)
        }
        if let transaction = outcome.value?.transaction { world.note(transaction, phone) }
        return outcome.kind
    }

    /// Asks whether the customer may have the introductory offer of one subscription.
    func eligibility(
        _ phone: Phone, product: String, process: Int, as operation: HistoryEntry.Operation = .eligibility
    ) async -> HistoryEntry.Kind {
        guard let token = await token(phone) else { return .fail }
        let line = line(operation, process, phone, product: product, detail: ["group": ChaosCatalog.group])
        return await perform(
            line, ProductRoutes.eligibility, query: ["ids": product], token: token
        ) { reply, _, end in
            end.detail?["answer"] = (reply.eligibility.first?.eligibility ?? .unknown).rawValue
        }.kind
    }

    /// Lists all intents of a device.
    func finalIntents(_ phone: Phone, process: Int) async -> HistoryEntry.Kind {
        guard let token = await token(phone) else { return .fail }
        var line = line(.finalIntents, process, phone)
        do throws(CLIError) {
            let intents = try await api.all(IntentRoutes.list, token: token)
            line.kind = .ok
            line.detail = [
                "intent": intents.map(\.intentIdentifier).joined(separator: " "),
                "state": intents.map(\.state.rawValue).joined(separator: " "),
            ]
        } catch {
            line.kind = .info
            line.code = error.code.name
            return .info
        }
        history.append(line)
        world.count(.finalIntents, line.kind)
        return line.kind
    }
}
