import StoreHTTP
import StoreModels

/// The operator's requests that are more than a call.
extension StoreAPI {
    /// Says whether purchases are taken and completed, with the response of any status.
    func readiness() async throws(CLIError) -> (isReady: Bool, body: Received<ReadinessResponse>?) {
        let endpoint = MonitoringRoutes.readiness
        let response = try await transport.send(at(nil).request(endpoint, timeout: .seconds(5)))
        let body = try? decode(endpoint, as: Received<ReadinessResponse>.self, response)
        return (response.status == 200 && (body?.degraded ?? []).isEmpty, body)
    }

    /// Says whether the store takes imports. With files of ``InitDirectory`` it is ready only after these.
    func takesImports() async throws(CLIError) -> (isReady: Bool, body: Received<ReadinessResponse>?) {
        var (isReady, body) = try await readiness()
        if !isReady, let answer = body?.value, answer.imports?.isEmpty == false {
            isReady =
                answer.bus == "connected" && (answer.degraded ?? []).isEmpty
                && answer.services?.allSatisfy { $0.value == "answering" } == true
        }
        return (isReady, body)
    }

    // MARK: Isolated stores

    /// Finds the isolated store of the address. Nil for the installation's own store, and without the admin key.
    /// - Throws: `isolatedStoreNotFound` with those that are open.
    func isolatedStore() async throws(CLIError) -> IsolatedStore? {
        guard let name = address.store, adminKey != nil else { return nil }
        let open = try await at(nil).all(IsolatedStoreRoutes.list).open
        if let found = open.first(where: { $0.store.isExactly(name) }) { return found }
        let others: Advice =
            open.isEmpty
            ? "there is none; make one: storebus store create"
            : "open are \(open.suffix(Self.namesMax).map(\.store).joined(separator: ", ")), all: storebus store list"
        throw CLIError(
            .isolatedStoreNotFound, "there is no isolated store \(name) at \(address.installation)", hints: [others])
    }

    /// The most stores that an error names.
    private static let namesMax = 5

    /// Creates an address of the console that signs one browser in, within a minute. It shows the store in use.
    func consoleAddress() async throws(CLIError) -> (url: String, expiresAt: Timestamp) {
        let store = try await isolatedStore()
        let ticket = try await at(nil).call(ConsoleRoutes.createTicket)
        let fragment = ConsoleRoutes.fragment(ticket: ticket.ticket, store: store)
        return ("\(address.installation)/\(fragment)", ticket.expiresAt)
    }

    // MARK: Accounts

    /// Lists accounts, all unless `limit` is smaller.
    func testers(limit: Int = .max) async throws(CLIError) -> [Received<TesterResponse>] {
        try await pages(
            as: TestersResponse<Received<TesterResponse>>.self, request(AccountRoutes.list), limit: limit
        ).items
    }

    /// Reads the settings the operator has set. Empty for an unknown account.
    func settings(of account: String) async throws(CLIError) -> AccountSettings {
        let endpoint = AccountRoutes.get
        let response = try await ifFound { () throws(CLIError) in
            try await exchange(request(endpoint, [.account: account]))
        }
        guard let response else { return AccountSettings() }
        return try decode(endpoint, as: AccountOverrides.self, response).overrides ?? AccountSettings()
    }

    /// Replaces all settings of an account.
    @discardableResult
    func putTester(_ account: String, _ settings: AccountSettings) async throws(CLIError) -> Received<TesterResponse> {
        let endpoint = AccountRoutes.put
        let request = request(endpoint, [.account: account]).with(settings)
        return try decode(endpoint, as: Received.self, await exchange(request))
    }

    // MARK: Catalogue

    /// Imports a catalogue.
    /// - Parameter isTrial: Whether the file is only checked. A store without that feature rejects it.
    @discardableResult
    func importCatalog(
        _ bytes: [UInt8], fileName: String, bundleId: String, isTrial: Bool = false
    ) async throws(CLIError) -> ImportReport {
        let endpoint = AppRoutes.importCatalog
        var request = request(
            endpoint, [.bundleId: bundleId], query: ["fileName": fileName, "dryRun": isTrial ? "true" : nil],
            timeout: .seconds(120))
        request.body = bytes
        return try decode(endpoint, await exchange(request))
    }

    /// Makes an isolated store with a catalogue.
    func makeStore(
        _ bytes: [UInt8], query: KeyValuePairs<String, String?>
    ) async throws(CLIError) -> Received<IsolatedStoreResponse> {
        let endpoint = IsolatedStoreRoutes.createFromFile
        var request = request(endpoint, query: query, timeout: .seconds(120))
        request.body = bytes
        return try decode(endpoint, as: Received.self, await exchange(request))
    }

    /// Reads the file in force, as it was imported.
    func exportCatalog(_ bundleId: String) async throws(CLIError) -> [UInt8] {
        try await bytes(AppRoutes.exportCatalog, [.bundleId: bundleId], timeout: .seconds(120))
    }

    /// Reads the file in force as JSON. Nil for an app without one.
    func catalogFile(_ bundleId: String) async throws(CLIError) -> JSONValue? {
        let bytes = try await ifFound { () throws(CLIError) in try await exportCatalog(bundleId) }
        return bytes.flatMap { try? StrictJSON.parse($0) }
    }

    /// Lists an app's products in the catalogue's order.
    /// - Parameter storefront: Nil for the app's.
    func catalogProducts(_ bundleId: String, storefront: String? = nil) async throws(CLIError) -> [Product] {
        try await all(AppRoutes.products, [.bundleId: bundleId], query: ["storefront": storefront])
    }

    // MARK: Devices and purchases

    /// Reads a device, or nil for an unknown one.
    func knownDevice(_ device: String) async throws(CLIError) -> Device? {
        try await ifFound { () throws(CLIError) in try await call(DeviceRoutes.get, [.deviceId: device]) }
    }

    /// Finds one intent. Lists are in the order of identifiers, so it begins a page.
    func intent(_ identifier: String) async throws(CLIError) -> StorePurchaseIntent? {
        let page = try await call(
            IntentRoutes.search, query: ["after": String(identifier.dropLast()), "limit": "32"])
        return page.intents.first { $0.intentIdentifier.isExactly(identifier) }
    }

    /// Reads a subscription's whole timeline.
    /// - Parameter id: Any transaction of the subscription.
    func timeline(_ id: String) async throws(CLIError) -> SubscriptionTimeline {
        let route = SubscriptionRoutes.timeline
        var timeline = try await call(route, [.id: id], query: ["limit": "500"])
        while let after = timeline.after {
            let page = try await call(route, [.id: id], query: ["after": after, "limit": "500"])
            timeline.events += page.events
            timeline.after = page.after
        }
        return timeline
    }

    // MARK: Events

    /// Waits for events after `after`, or from now on.
    func events(_ filter: EventsRequest, within time: Duration) async throws(CLIError) -> EventsReply {
        try await wait(
            EventRoutes.wait, filter.type?.rawValue, filter.account, filter.bundleId, after: filter.after, within: time)
    }

    /// Waits for events of intents.
    func intentEvents(
        _ filter: IntentEventsRequest, within time: Duration
    ) async throws(CLIError) -> IntentEventsReply {
        try await wait(
            EventRoutes.waitForIntents, filter.type?.rawValue, filter.account, filter.bundleId, after: filter.after,
            within: time)
    }

    private func wait<Reply: Decodable>(
        _ endpoint: HTTPEndpoint<Empty, Reply>, _ type: String?, _ account: String?, _ bundleId: String?,
        after: String?, within time: Duration
    ) async throws(CLIError) -> Reply {
        try await call(
            endpoint,
            query: [
                "type": type, "account": account, "bundleId": bundleId, "after": after,
                "timeout": TimeLimit(time).description,
            ], timeout: time + .seconds(10))
    }
}

/// The settings of an account as the gateway sent them.
///
/// Texts and members of a newer gateway are kept, so that changing a setting does not remove them.
struct AccountSettings: JSONForm, Hashable, Codable {
    typealias Body = TesterSettings

    private var members: [String: JSONValue] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
        members = try [String: JSONValue](from: decoder).filter { $0.value != .null }
        if let errors = members["simulatedErrors"]?.objectValue {
            members["simulatedErrors"] = .object(errors.filter { $0.value != .null })
        }
    }

    func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }

    var isEmpty: Bool { members.isEmpty }

    /// Reads or changes a setting by its name, as in `TesterSettings`.
    subscript(name: String) -> JSONValue? {
        get { members[name] }
        set { members[name] = newValue }
    }
}

/// The settings of an account, as a part of ``TesterResponse``.
private struct AccountOverrides: JSONForm, Decodable {
    typealias Body = TesterResponse

    var overrides: AccountSettings?
}

extension InstallationReference {
    /// The path's values of routes about an app on a device.
    var pathValues: [PathParameter: String] { [.deviceId: deviceId, .bundleId: bundleId] }
}

extension Sequence<IsolatedStore> {
    /// The stores whose requests are answered.
    var open: [IsolatedStore] { filter { $0.state == .open } }
}
