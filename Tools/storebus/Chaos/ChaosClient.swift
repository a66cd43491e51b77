import Chaos
import StoreHTTP
import StoreModels

/// Sends the requests of a run and writes to its history how each ended.
struct ChaosClient: Sendable {
    typealias Phone = ChaosWorld.Phone

    let api: StoreAPI
    let world: ChaosWorld
    let history: HistoryWriter

    /// Time for one response. The gateway answers within its own deadline.
    static let timeout = Duration.seconds(10)

    /// The end of a request.
    struct CallOutcome<Value: Sendable>: Sendable {
        var kind: HistoryEntry.Kind
        var status: Int?
        var code: String?
        var value: Value?
    }

    // MARK: Requests

    /// Writes `invoke`, sends the request, and writes its end.
    /// - Parameter other: The address of an isolated store, or nil for the run's app.
    /// - Parameter describe: Adds facts of the response to the last line, and may change its end.
    @discardableResult
    func perform<Body: Encodable & Sendable, Response: Decodable & Sendable>(
        _ line: HistoryEntry, _ endpoint: HTTPEndpoint<Body, Response>, _ values: [PathParameter: String] = [:],
        query: KeyValuePairs<String, String?> = [:], token: String?, key: String? = nil, body: Body? = nil,
        api other: StoreAPI? = nil, describe: @Sendable (Response, Int, inout HistoryEntry) async -> Void
    ) async -> CallOutcome<Response> {
        let api = other ?? api
        let request = api.request(endpoint, values, query: query, token: token, key: key, timeout: Self.timeout)
        return await exchange(line, request.with(body), api, describe) { response throws(CLIError) in
            try api.decode(endpoint, response)
        }
    }

    /// The same with an endpoint that responds without a body.
    func perform(
        _ line: HistoryEntry, _ endpoint: HTTPEndpoint<Empty, NoContent>, _ values: [PathParameter: String]
    ) async -> CallOutcome<Empty> {
        await exchange(line, api.request(endpoint, values, timeout: Self.timeout), api, { _, _, _ in }) { _ in Empty() }
    }

    private func exchange<Value: Sendable>(
        _ line: HistoryEntry, _ request: StoreRequest, _ api: StoreAPI,
        _ describe: @Sendable (Value, Int, inout HistoryEntry) async -> Void,
        _ decode: (StoreResponse) throws(CLIError) -> Value
    ) async -> CallOutcome<Value> {
        var end = line
        end.of = history.append(line).index
        let start = ContinuousClock.now
        var outcome = CallOutcome<Value>(kind: .info)
        do throws(CLIError) {
            let response = try await api.transport.send(request)
            outcome.status = response.status
            if (200..<300).contains(response.status) {
                outcome.value = try decode(response)
                outcome.kind = .ok
            } else {
                outcome.code = Problem(body: response.body)?.code?.name
                outcome.kind = Self.kind(ofStatus: response.status, outcome.code)
            }
        } catch {
            outcome.code = error.code.name
        }
        end.kind = outcome.kind
        end.status = outcome.status
        end.code = outcome.code
        // Of the response only: what follows in `describe` is no latency of the store's.
        end.milliseconds = Double((ContinuousClock.now - start).milliseconds)
        if let value = outcome.value, let status = outcome.status { await describe(value, status, &end) }
        outcome.kind = end.kind
        history.append(end)
        world.count(line.operation, end.kind)
        return outcome
    }

    /// How a response without success ends its operation: rejected for certain, or with an unknown outcome.
    static func kind(ofStatus status: Int, _ code: String?) -> HistoryEntry.Kind {
        if code == StoreErrorCode.inFlight.name || code == StoreErrorCode.outcomeUnknown.name { return .info }
        return (400..<500).contains(status) ? .fail : .info
    }

    /// Asks again until an answer fits, for effects that come after the store's answer.
    /// - Returns: Nil if the time ran out first.
    func poll<Value>(_ ask: () async -> Value?) async -> Value? {
        let deadline = ContinuousClock.now + Self.timeout
        while ContinuousClock.now < deadline, !Task.isCancelled {
            if let value = await ask() { return value }
            try? await ContinuousClock().sleep(for: .milliseconds(50))
        }
        return nil
    }

    // MARK: Sessions

    /// The session of an app on a device, or of the App Store app there. Opened if missing.
    func token(_ phone: Phone, ofStore: Bool = false) async -> String? {
        if let token = world.session(phone, ofStore: ofStore) { return token }
        let installation = Installation(
            bundleId: world.bundleId, account: phone.account, deviceId: phone.device)
        let session: SessionResponse?
        if ofStore {
            session = try? await api.call(SessionRoutes.open, body: installation.storeSessionRequest())
        } else {
            session = try? await api.call(SessionRoutes.open, body: installation.sessionRequest())
        }
        if let session { world.keep(session.token, phone, ofStore: ofStore) }
        return session?.token
    }

    /// A line about one phone.
    func line(
        _ operation: HistoryEntry.Operation, _ process: Int, _ phone: Phone, product: String? = nil,
        key: String? = nil, detail: [String: String]? = nil
    ) -> HistoryEntry {
        HistoryEntry(
            time: 0, process: process, kind: .invoke, operation: operation, app: world.bundleId, account: phone.account,
            device: phone.device, product: product, key: key, detail: detail)
    }
}

extension HistoryWriter {
    /// Writes an event that came without a request.
    func note(_ operation: HistoryEntry.Operation, app: String? = nil, _ detail: [String: String]) {
        append(HistoryEntry(time: 0, process: 0, kind: .event, operation: operation, app: app, detail: detail))
    }
}

extension ObservedTransaction {
    /// A transaction of a response, as the history has it.
    init(_ transaction: PaymentTransaction) {
        let offer = transaction.offer.map { $0.type.rawValue }
        self.init(
            id: transaction.id, transactionIdentifier: transaction.transactionIdentifier,
            original: transaction.originalTransactionIdentifier, state: transaction.transactionState.rawValue,
            product: transaction.payment.productIdentifier, price: transaction.price?.minorUnits,
            currency: transaction.price?.currency.code, revision: Int64(transaction.revision),
            offer: offer ?? (transaction.isTrialPeriod == true ? "trial" : nil),
            revoked: transaction.revocationDate == nil ? nil : true, expires: transaction.expiresDate?.milliseconds,
            setting: transaction.error?.setting)
    }
}
