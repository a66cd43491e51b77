import Glibc
import StoreModels

/// Starts the operator's command when the store opens an app that does not run (S0: "StoreKit automatically opens your app").
///
/// The store's services only say what happened, and run no commands: this runs on the operator's machine, as the operator.
/// What comes from the network, such as a device's name, reaches the command in environment variables alone.
struct AppOpener: Sendable {
    /// How long a running app has to take a purchase. A gateway that has missed the hint asks once a second.
    static let grace = Duration.seconds(2)

    /// Among the services' logs, what the apps print.
    static let log = "open-app"

    private let api: StoreAPI
    private let command: String
    private let bundleId: String?
    private let deviceId: String?
    private let logFile: String
    private let tell: @Sendable (String) -> Void
    private let tellOfSilence: (@Sendable (String) -> Void)?
    private let opened = OpenedApps()

    /// - Parameters:
    ///   - command: A line for `/bin/sh`.
    ///   - bundleId: Only this app; nil for all.
    ///   - deviceId: Only this device; nil for all.
    ///   - logFile: What the apps print is appended to it.
    ///   - tellOfSilence: Called with a line when the store does not answer.
    ///   - tell: Called with a line for each app that is opened, and for what goes wrong.
    init(
        api: StoreAPI, command: String, bundleId: String? = nil, deviceId: String? = nil, logFile: String,
        tellOfSilence: (@Sendable (String) -> Void)? = nil, tell: @escaping @Sendable (String) -> Void
    ) {
        self.api = api
        self.command = command
        self.bundleId = bundleId
        self.deviceId = deviceId
        self.logFile = logFile
        self.tellOfSilence = tellOfSilence
        self.tell = tell
    }

    /// Where what happens from now on begins.
    func position() async throws(CLIError) -> String {
        try await api.intentEvents(request(after: nil), within: .zero).after
    }

    /// Opens apps until the task is cancelled; then those that were opened are asked to end.
    /// - Parameter start: ``position()``.
    func run(from start: String) async {
        await withDiscardingTaskGroup { group in
            var after = start
            var backOff = BackOff()
            while !Task.isCancelled {
                let began = ContinuousClock.now
                do throws(CLIError) {
                    let reply = try await api.intentEvents(request(after: after), within: .seconds(30))
                    after = reply.after
                    for event in reply.events where deviceId == nil || event.intent.deviceId.isExactly(deviceId) {
                        group.addTask { await open(event) }
                    }
                } catch {
                    let delay = backOff.next(lived: ContinuousClock.now - began)
                    if !Task.isCancelled {
                        tellOfSilence?("note: \(error.message); asking again in \(Words.delay(delay))\n")
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

    /// Waits whether the app takes the purchase by itself, and starts the command if it does not.
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

    /// No app has been given the purchase.
    static func isWaiting(_ intent: PurchaseIntent) -> Bool { intent.state == .pending && intent.answerBy == nil }

    private func start(_ app: AppLaunch) {
        guard app.variables.values.allSatisfy({ !$0.utf8.contains(0) }) else {
            return tell("note: \(app.words) is not opened: no environment variable takes its name\n")
        }
        guard opened.begin(app.place) else { return }
        let launch = ChildProcess.Launch(
            executable: "/bin/sh", arguments: ["-c", command],
            environment: app.environment(over: CommandEnvironment.current.variables), logFile: logFile)
        do throws(ChildProcess.Failure) {
            let child = try ChildProcess.start(launch) { [opened, tell, logFile] _, end in
                opened.end(app.place)
                if end != .exited(0), !opened.isOver {
                    tell("\(app.words): its command ended with \(end); \(logFile)\n")
                }
            }
            opened.runs(app.place, pid: child.pid)
            tell("\(Words.clock(.wallClock()))  opened  \(app.words)  pid \(child.pid)\n")
        } catch {
            opened.end(app.place)
            tell("\(app.words) cannot be opened: \(error.reason)\n")
        }
    }
}
