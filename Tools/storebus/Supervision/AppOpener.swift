import EventLoop
import Glibc
import StoreModels

/// Starts the operator's command when the store opens an app that is not running. S0: "StoreKit automatically opens
/// your app".
///
/// The store's services run no commands: this runs on the operator's machine, as the operator.
/// Values from the network, such as a device's name, reach the command in environment variables only.
struct AppOpener: Sendable {
    /// Time for a running app to take a purchase. A gateway that missed the hint polls once a second.
    static let grace = Duration.seconds(2)

    /// Name of the log with the apps' output, among those of the services.
    static let log = "open-app"

    let api: StoreAPI
    /// A line for `/bin/sh`.
    let command: String
    /// Only this app, or nil for all.
    var bundleId: String?
    /// Only this device, or nil for all.
    var deviceId: String?
    /// The apps' output is appended to it.
    let logFile: String
    /// Called with a line when the store does not answer.
    var tellOfSilence: (@Sendable (Advice) -> Void)?
    /// Called with a line for each app that is opened, and for each failure.
    let tell: @Sendable (String) -> Void
    private let opened = OpenedApps()

    /// Returns the current position in the log of events.
    func position() async throws(CLIError) -> String {
        try await api.intentEvents(request(after: nil), within: .zero).after
    }

    /// Opens apps until the task is cancelled. Then it terminates those it has opened.
    /// - Parameter start: ``position()``.
    func run(from start: String) async {
        await withDiscardingTaskGroup { group in
            var after = start
            var backoff = RestartBackoff()
            while !Task.isCancelled {
                let began = ContinuousClock.now
                do throws(CLIError) {
                    let reply = try await api.intentEvents(request(after: after), within: .seconds(30))
                    after = reply.after
                    for event in reply.events where deviceId == nil || event.intent.deviceId.isExactly(deviceId) {
                        group.addTask { await open(event) }
                    }
                } catch {
                    let delay = backoff.next(lived: ContinuousClock.now - began)
                    if !Task.isCancelled {
                        tellOfSilence?("note: \(error.message); asking again in \(Format.delay(delay))\n")
                    }
                    try? await ContinuousClock().sleep(for: delay)
                }
            }
        }
        opened.terminateAll()
    }

    private func request(after: String?) -> IntentEventsRequest {
        IntentEventsRequest(after: after, type: .intentOpenApp, bundleId: bundleId, limit: 100)
    }

    /// Starts the command unless a running app takes the purchase in time.
    private func open(_ event: IntentEvent) async {
        do {
            try await ContinuousClock().sleep(for: Self.grace)
            let intent = try await api.intent(event.intent.intentIdentifier)
            guard let intent, Self.isWaiting(intent), !Task.isCancelled else { return }
            start(AppLaunch(event, url: api.url))
        } catch is CancellationError {
            return
        } catch {
            tell("note: the app is not opened: \((error as? CLIError)?.message ?? "\(error)")\n")
        }
    }

    /// Whether no app has received the purchase.
    static func isWaiting(_ intent: StorePurchaseIntent) -> Bool { intent.state == .pending && intent.answerBy == nil }

    private func start(_ app: AppLaunch) {
        guard app.variables.values.allSatisfy({ !$0.utf8.contains(0) }) else {
            return tell("note: \(app.words) is not opened: no environment variable takes its name\n")
        }
        guard opened.begin(app.key) else { return }
        let launch = ChildProcess.Launch(
            executable: "/bin/sh", arguments: ["-c", command],
            environment: app.environment(over: CommandEnvironment.current.inherited), logFile: logFile)
        do throws(ChildProcess.Failure) {
            let child = try ChildProcess.start(launch) { [opened, tell, logFile] _, end in
                opened.end(app.key)
                if end != .exited(0), !opened.isOver {
                    tell("\(app.words): its command ended with \(end); \(logFile)\n")
                }
            }
            opened.runs(app.key, pid: child.pid)
            tell("\(Format.clock(.wallClock()))  opened  \(app.words)  pid \(child.pid)\n")
        } catch {
            opened.end(app.key)
            tell("\(app.words) cannot be opened: \(error.reason)\n")
        }
    }
}

/// The environment of the command: an app on a device.
struct AppLaunch: Hashable, Sendable {
    let variables: [String: String]

    init(_ event: IntentEvent, url: String) {
        variables = [
            "STOREBUS_URL": url, "STOREBUS_BUNDLE_ID": event.bundleId, "STOREBUS_ACCOUNT": event.account,
            "STOREBUS_DEVICE_ID": event.intent.deviceId ?? "",
            "STOREBUS_PRODUCT_ID": event.intent.payment.productIdentifier,
            "STOREBUS_INTENT_ID": event.intent.intentIdentifier,
        ]
    }

    private subscript(name: String) -> String { variables[name] ?? "" }

    /// The admin key is left out, because an app is not an operator. The address names the isolated store.
    func environment(over inherited: [String: String]) -> [String: String] {
        inherited.filter { !["STOREBUS_ADMIN_KEY", EffectiveSettings.storeVariable].contains($0.key) }
            .merging(variables) { $1 }
    }

    /// The key of a running app: one app on one device.
    var key: [ExactText] { [ExactText(self["STOREBUS_BUNDLE_ID"]), ExactText(self["STOREBUS_DEVICE_ID"])] }

    var words: String {
        Table.onOneLine(
            "\(self["STOREBUS_BUNDLE_ID"]) on \(self["STOREBUS_DEVICE_ID"]) for \(self["STOREBUS_ACCOUNT"])")
    }
}

/// The running commands: one app on one device is not opened twice.
final class OpenedApps: Sendable {
    /// Maximum number of apps that run at a time.
    static let max = 32

    private struct State {
        /// Process identifiers by app, or 0 during the start.
        var pids: [[ExactText]: Int32] = [:]
        var isOver = false
    }

    private let state = Locked(State())

    /// Whether all apps were terminated.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// - Returns: Whether to start the app: false when it runs, when too many do, and at the end.
    func begin(_ key: [ExactText]) -> Bool {
        state.withLock { state in
            guard !state.isOver, state.pids[key] == nil, state.pids.count < Self.max else { return false }
            state.pids[key] = 0
            return true
        }
    }

    /// Records a started app, which may have ended or been terminated since.
    func runs(_ key: [ExactText], pid: Int32) {
        let isOver = state.withLock { state in
            if state.pids[key] != nil { state.pids[key] = pid }
            return state.isOver
        }
        if isOver { kill(-pid, SIGTERM) }
    }

    func end(_ key: [ExactText]) { state.withLock { $0.pids[key] = nil } }

    /// Terminates every app with its child processes, and prevents further starts.
    func terminateAll() {
        let pids = state.withLock { state in
            state.isOver = true
            return state.pids.values.filter { $0 > 0 }
        }
        for pid in pids { kill(-pid, SIGTERM) }
    }
}
