import Chaos
import EventLoop
import StoreHTTP
import StoreModels

/// Takes the notifications of a run's apps. It writes each to the history and answers by the run's seed.
final class ChaosNotifications: Sendable {
    /// The notifications an app or isolated store has sent, by UUID.
    private struct App {
        /// Notifications that must come again.
        var awaited: Set<String> = []
        var taken: Set<String> = []
    }

    private struct State {
        var random: SeededGenerator
        /// Notifications that were answered badly, and how often.
        var refusals: [String: Int] = [:]  // keys: UUIDs
        /// The app whose servers answer badly now.
        var hostile: String?
        /// Deliveries to hostile servers.
        var hostileCount = 0
        /// Isolated stores that are over, whose last notifications are taken at once.
        var over: Set<String> = []
        var apps: [String: App] = [:]  // keys: apps and isolated stores
        var last = ContinuousClock.now
    }

    private let receiver: ChaosReceiver
    private let state: Locked<State>

    /// How often one notification is not taken at most. The store makes six attempts.
    private static let refusalsMax = 2
    /// Of a hundred deliveries, the number answered each way. The others are answered at once.
    private static let refusedShare = 6, hungUpShare = 4, lateShare = 6
    /// The longest wait before a late answer, in milliseconds. The store waits for five seconds.
    private static let latenessMax = 1_500

    /// - Throws: `serviceFailed` when no server can listen.
    init(seed: UInt64, history: HistoryWriter) throws(CLIError) {
        let state = Locked(State(random: SeededGenerator(seed: seed, stream: 3)))
        self.state = state
        receiver = try ChaosReceiver { request in
            // One lock from the draw to the line, so that lines are in the order of answers.
            state.withLock { state in
                let app = String(request.path.drop { $0 == "/" })
                var one = ObservedNotification(app: app, posted: request.body, answer: .taken) {
                    SignedPayload.payload($0)
                }
                if app == state.hostile {
                    let answers = HostileApp.Behavior.allCases
                    one.answer = .hostile
                    history.append(one.entry)
                    state.apps[app, default: App()].awaited.insert(one.uuid)
                    state.hostileCount += 1
                    return HostileApp.reply(answers[state.hostileCount % answers.count])
                }
                let lateness = Int.random(in: 100...Self.latenessMax, using: &state.random)
                one.answer = Self.answer(to: one.uuid, of: app, &state)
                history.append(one.entry)
                switch one.answer {
                case .taken: return .status("200 OK")
                case .late: return .status("200 OK", after: .milliseconds(lateness))
                case .refused: return .status("500 Internal Server Error")
                case .hungUp, .hostile: return .hangUp
                }
            }
        }
    }

    /// The address of an app's notifications.
    func endpoint(of app: String) -> NotificationEndpointBody {
        NotificationEndpointBody(url: "http://127.0.0.1:\(receiver.port)/\(app)", retry: .fast)
    }

    /// Has the servers of one app answer badly, or of no app.
    func setHostile(_ app: String?) { state.withLock { $0.hostile = app } }

    /// Whether no notification has come for a while, and none must come again.
    func isQuiet(for time: Duration) -> Bool {
        state.withLock { state in state.apps.values.allSatisfy(\.awaited.isEmpty) && state.last + time < .now }
    }

    /// Whether no notification has come for a time, even one that must come again.
    func isSilent(for time: Duration) -> Bool { state.withLock { $0.last + time < .now } }

    /// Whether so many notifications of an isolated store were taken.
    func isTaken(_ count: Int, of app: String) -> Bool { state.withLock { $0.apps[app]?.taken.count ?? 0 >= count } }

    /// Forgets the notifications of an isolated store that is over, and stops waiting for more.
    func forget(_ app: String) {
        state.withLock { state in
            state.over.insert(app)
            state.apps[app] = nil
        }
    }

    func stop() { receiver.stop() }

    private static func answer(
        to uuid: String, of app: String, _ state: inout State
    ) -> ObservedNotification.Response {
        state.last = .now
        guard !state.over.contains(app) else { return .taken }
        let draw = Int.random(in: 0..<100, using: &state.random)
        let refuses = draw < refusedShare + hungUpShare && state.refusals[uuid, default: 0] < refusalsMax
        guard refuses else {
            state.apps[app, default: App()].awaited.remove(uuid)
            state.apps[app, default: App()].taken.insert(uuid)
            return (refusedShare + hungUpShare..<refusedShare + hungUpShare + lateShare).contains(draw) ? .late : .taken
        }
        state.refusals[uuid, default: 0] += 1
        state.apps[app, default: App()].awaited.insert(uuid)
        return draw < refusedShare ? .refused : .hungUp
    }
}
