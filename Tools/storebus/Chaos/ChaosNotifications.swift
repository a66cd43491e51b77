import Chaos
import EventLoop
import StoreHTTP
import StoreModels

/// Takes the notifications of a run's apps: writes each to the history, and answers as the run's seed says.
final class ChaosNotifications: Sendable {
    private struct State {
        var random: SeededGenerator
        /// Notifications that were answered badly, and how often.
        var refusals: [String: Int] = [:]  // keys: UUIDs
        /// Those that have to come again.
        var awaited: Set<String> = []
        var last = ContinuousClock.now
    }

    private let receiver: ChaosReceiver
    private let state: Locked<State>

    /// How often one notification is not taken at most. The store makes six attempts.
    private static let refusalsMax = 2
    /// Of a hundred deliveries how many are answered each way; the others at once.
    private static let refusedShare = 6, hungUpShare = 4, lateShare = 6
    /// The longest wait before a late answer, in milliseconds; the store waits for five seconds.
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
                let lateness = Int.random(in: 100...Self.latenessMax, using: &state.random)
                one.answer = Self.answer(to: one.uuid, &state)
                history.append(one.entry)
                switch one.answer {
                case .taken: return .status("200 OK")
                case .late: return .status("200 OK", after: .milliseconds(lateness))
                case .refused: return .status("500 Internal Server Error")
                case .hungUp: return .hangUp
                }
            }
        }
    }

    /// Where an app's notifications go.
    func endpoint(of app: String) -> NotificationEndpointBody {
        NotificationEndpointBody(url: "http://127.0.0.1:\(receiver.port)/\(app)", retry: .fast)
    }

    /// Whether nothing has come for a while, and nothing has to come again.
    func isQuiet(for time: Duration) -> Bool {
        state.withLock { $0.awaited.isEmpty && $0.last + time < .now }
    }

    func stop() { receiver.stop() }

    private static func answer(to uuid: String, _ state: inout State) -> ObservedNotification.Answer {
        state.last = .now
        let draw = Int.random(in: 0..<100, using: &state.random)
        let refuses = draw < refusedShare + hungUpShare && state.refusals[uuid, default: 0] < refusalsMax
        guard refuses else {
            state.awaited.remove(uuid)
            return (refusedShare + hungUpShare..<refusedShare + hungUpShare + lateShare).contains(draw) ? .late : .taken
        }
        state.refusals[uuid, default: 0] += 1
        state.awaited.insert(uuid)
        return draw < refusedShare ? .refused : .hungUp
    }
}
