import Chaos
import StoreHTTP
import StoreModels

/// Keeps the stream of one device open and writes its events to the history.
struct ChaosObserver: Sendable {
    let client: ChaosClient
    let phone: ChaosWorld.Phone
    let process: Int

    /// Time until a broken stream is opened again.
    private static let pause = Duration.milliseconds(200)
    /// Interval of looks at whether streams are read again.
    private static let pausePoll = Duration.milliseconds(20)
    private static let eventByteCountMax = 8 * 1024 * 1024

    func run() async {
        while !Task.isCancelled {
            if let token = await client.token(phone) { await follow(token) }
            try? await ContinuousClock().sleep(for: Self.pause)
        }
    }

    private func follow(_ token: String) async {
        let bytes: any AsyncSequence<[UInt8], any Error> & Sendable
        client.history.append(client.line(.observe, process, phone))
        do throws(CLIError) {
            bytes = try await client.api.openStream(token: token)
        } catch {
            if error.is(.unauthenticated) { client.world.keep(nil, phone, ofStore: false) }
            return
        }
        note(["what": "opened"])
        var parser = ServerSentEventParser(byteCountMax: Self.eventByteCountMax)
        do {
            for try await piece in bytes {
                await waitWhilePaused()
                for case .event(let event) in try parser.append(piece) {
                    guard !show(event) else {
                        client.world.keep(nil, phone, ofStore: false)
                        return
                    }
                }
            }
            note(["what": "ended", "why": "closed"])
        } catch {
            note(["what": "ended", "why": Task.isCancelled ? "run" : "broken"])
        }
    }

    /// Stops reading for the length of a `slow-observers`. The store's events then wait in the connection.
    private func waitWhilePaused() async {
        guard client.world.arePaused else { return }
        note(["what": "paused"])
        while client.world.arePaused, !Task.isCancelled {
            try? await ContinuousClock().sleep(for: Self.pausePoll)
        }
        note(["what": "resumed"])
    }

    /// - Returns: Whether the stream was superseded.
    private func show(_ event: ServerSentEvent) -> Bool {
        switch StreamEventName(rawValue: event.name) {
        case .updatedTransactions:
            if let body = try? StoreJSON.decode(
                TransactionsEvent<PaymentTransaction>.self, from: Array(event.data))
            {
                note(["what": "transactions"], body.transactions)
                for transaction in body.transactions { client.world.note(transaction, phone) }
            }
        case .promotedPurchase:
            if let body = try? StoreJSON.decode(PromotedPurchaseEvent.self, from: Array(event.data)) {
                note(["what": "intent", "intent": body.intent.intentIdentifier, "state": body.intent.state.rawValue])
                client.world.noteIntent(body.intent.intentIdentifier, phone)
            }
        case .synchronized: note(["what": "synchronized"])
        case .superseded:
            note(["what": "ended", "why": "superseded"])
            return true
        default: break
        }
        return false
    }

    private func note(_ detail: [String: String], _ transactions: [PaymentTransaction]? = nil) {
        var line = client.line(.observe, process, phone)
        line.kind = .event
        line.detail = detail
        line.transactions = transactions?.map { ObservedTransaction($0) }
        client.history.append(line)
    }
}
