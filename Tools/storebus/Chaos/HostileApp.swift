import Chaos
import EventLoop
import StoreHTTP
import StoreModels

/// Another app of the run, whose servers answer badly for the length of a fault.
///
/// Its customers buy in the fault. Each has another kind of server. When the fault has ended, all servers accept the
/// repeated notifications.
struct HostileApp: Sendable {
    /// How a server of the app answers.
    enum Behavior: CaseIterable {
        /// The head without the body that it promises.
        case stalls
        /// The head, and then a byte again and again.
        case drips
        /// A compressed body, which has a NUL and is not UTF-8.
        case bytes
        /// A redirect to an address of 64 KiB.
        case longLocation
    }

    let client: ChaosClient
    let notifications: ChaosNotifications

    var bundleId: String { "\(client.world.bundleId).hostile" }
    /// As lines have it.
    private var scope: String { "\(client.world.bundleId)/hostile" }

    /// Devices that may have bought.
    var devices: [String] { client.world.accounts.map { Self.device(of: $0) } }

    private static func device(of account: String) -> String { "\(account)-hostile" }

    func setUp() async throws(CLIError) {
        try await client.api.importCatalog(
            Array(ChaosCatalog.storekit.utf8), fileName: "Chaos.storekit", bundleId: bundleId)
        _ = try await client.api.call(
            NotificationRoutes.putEndpoint, [.bundleId: bundleId], body: notifications.endpoint(of: scope))
    }

    /// Has its servers answer badly, and buys once for each way to.
    func begin() {
        notifications.setHostile(scope)
        Task { await buy() }
    }

    private func buy() async {
        for (number, _) in Behavior.allCases.enumerated() {
            let account = client.world.accounts[number % client.world.accounts.count]
            let installation = Installation(bundleId: bundleId, account: account, deviceId: Self.device(of: account))
            guard let token = try? await client.api.call(SessionRoutes.open, body: installation.sessionRequest()).token
            else { continue }
            let key = client.world.newKey()
            var line = HistoryEntry(
                time: 0, process: client.world.newProcess(), kind: .invoke, operation: .isolated, app: scope,
                account: account, product: ChaosCatalog.items[0].identifier, key: key, detail: ["what": "bought"])
            line.device = installation.deviceId
            await client.perform(
                line, PaymentRoutes.add, token: token, key: key,
                body: PaymentRequest(productIdentifier: ChaosCatalog.items[0].identifier)
            ) { made, _, end in end.detail?.merge(ChaosIsolatedStores.detail(of: made)) { $1 } }
        }
    }

    func end() { notifications.setHostile(nil) }

    /// Waits until each of its purchases has its notification.
    func settle() async {
        client.history.note(.isolated, app: scope, ["what": "waited", "settled": "true"])
    }

    /// The answer of a server to one request.
    static func reply(_ answer: Behavior) -> ChaosReceiver.Reply {
        func step(_ bytes: [UInt8], after: Duration = .zero) -> ChaosReceiver.Reply.Step {
            .init(after: after, bytes: bytes)
        }
        func head(_ status: String, _ more: String) -> [UInt8] {
            Array("HTTP/1.1 \(status)\r\nConnection: close\r\n\(more)\r\n".utf8)
        }
        switch answer {
        case .stalls: return .init(steps: [step(head("200 OK", "Content-Length: 1000\r\n"))], isHeld: true)
        case .drips:
            let drops = Array(repeating: step([0x2E], after: .milliseconds(250)), count: 1_000)
            return .init(steps: [step(head("200 OK", "Content-Length: 1000000\r\n"))] + drops, isHeld: true)
        case .bytes:
            let body: [UInt8] = [0x1F, 0x8B, 0x08, 0x00, 0x00, 0xFF, 0xFE, 0x00]
            return .init(
                steps: [step(head("500 Oops", "Content-Encoding: gzip\r\nContent-Length: \(body.count)\r\n") + body)])
        case .longLocation:
            let address = String(repeating: "a", count: 64 * 1024)
            return .init(steps: [step(head("302 Found", "Location: /\(address)\r\nContent-Length: 0\r\n"))])
        }
    }
}
