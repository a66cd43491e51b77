import EventLoop
import StoreModels

/// What is decided of intents, what waits for a person, and what happened.
extension FakePromotionController {
    func serveDecisions() {
        service.handle(PromotionEndpoints.decideIntent) { [self] request in
            let installation = InstallationReference(bundleId: request.bundleId, deviceId: request.deviceId)
            let found = try find(request.intentIdentifier, of: installation, request.customerIdentifier)
            contents.withLock { $0.decisions.append(request) }
            let target = StorePurchaseIntent.State(after: request.decision)
            if found.state.isFinal, found.state != target {
                throw StoreError(.intentDecided, "the intent is \(found.state.rawValue) already")
            }
            return decided(found, target, request.feedback)
        }
        service.handle(PromotionEndpoints.addIntentPayment) { [self] request in
            let installation = InstallationReference(bundleId: request.bundleId, deviceId: request.deviceId)
            let found = try find(
                request.payment.intentIdentifier ?? "", of: installation, request.customerIdentifier)
            contents.withLock { $0.additions.append(request) }
            guard found.payment.productIdentifier == request.payment.productIdentifier else {
                throw StoreError(.intentMismatch, "the intent is for another product")
            }
            return decided(found, .continued, nil)
        }
    }

    private func decided(
        _ found: StorePurchaseIntent, _ target: StorePurchaseIntent.State, _ feedback: String?
    ) -> DecideIntentReply {
        contents.withLock { contents in
            var intent = found
            intent.state = target
            intent.feedback = feedback
            contents.intents = contents.intents.map {
                $0.intentIdentifier == intent.intentIdentifier ? intent : $0
            }
            return DecideIntentReply(
                intent: intent, added: target == .continued ? contents.added : nil, isRepeated: found.state == target)
        }
    }

    func serveClearing() {
        service.handle(PromotionEndpoints.clearIntents) { [self] request in
            try check()
            return contents.withLock { contents in
                contents.cleared.append(request)
                var cancelled = 0
                for (index, intent) in contents.intents.enumerated() where !intent.state.isFinal {
                    contents.intents[index].state = .cancelled
                    cancelled += 1
                }
                return ClearIntentsReply(cancelled: cancelled, continued: contents.continued)
            }
        }
    }

    func servePrompts() {
        service.handle(PromotionEndpoints.listPrompts) { [self] request in
            try check()
            return contents.withLock { $0.prompts.page(request) }
        }
        service.handle(PromotionEndpoints.answerPrompt) { [self] request in
            try check()
            return try contents.withLock { contents in
                contents.answers.append(request)
                return try contents.prompts.answer(request)
            }
        }
        service.handle(PromotionEndpoints.listEvents) { [self] request in
            try check()
            return contents.withLock { contents in
                contents.looks += 1
                guard let start = request.after.map({ Int($0) ?? 0 }) else {
                    return IntentEventsReply(events: [], after: "\(contents.events.count)")
                }
                let found = contents.events.dropFirst(start).filter {
                    (request.type == nil || $0.type == request.type)
                        && (request.account == nil || $0.account == request.account)
                        && (request.bundleId == nil || $0.bundleId == request.bundleId)
                }.prefix(request.limit)
                return IntentEventsReply(events: Array(found), after: found.last?.id ?? "\(contents.events.count)")
            }
        }
    }

    /// Something happens to an intent, and the installation's hint tells of it.
    func happen(_ kind: IntentEvent.Kind, account: String = "alice") {
        change { contents in
            contents.events.append(
                IntentEvent(
                    id: "\(contents.events.count + 1)", type: kind, at: Timestamp(milliseconds: 0),
                    bundleId: Sample.bundleId, account: account, intent: Sample.intent("i_\(kind)")))
        }
    }
}
