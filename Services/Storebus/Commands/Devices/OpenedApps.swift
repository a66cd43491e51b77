import Glibc
import StoreModels
import Synchronization

/// The apps whose commands run: one app on one device is not opened twice.
final class OpenedApps: Sendable {
    /// A machine that runs more apps than this was not asked to by a person who taps.
    static let max = 32

    private struct State {
        /// The process of each; 0 while it is being started.
        var pids: [[ExactText]: Int32] = [:]
        var isOver = false
    }

    private let state = Mutex(State())

    /// Whether everything was asked to end.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// - Returns: Whether the app is to be started: false when it runs, when too many do, and at the end.
    func begin(_ place: [ExactText]) -> Bool {
        state.withLock { state in
            guard !state.isOver, state.pids[place] == nil, state.pids.count < Self.max else { return false }
            state.pids[place] = 0
            return true
        }
    }

    /// The app has been started. It may have ended since, or everything may have been asked to.
    func runs(_ place: [ExactText], pid: Int32) {
        let isOver = state.withLock { state in
            if state.pids[place] != nil { state.pids[place] = pid }
            return state.isOver
        }
        if isOver { kill(-pid, SIGTERM) }
    }

    func end(_ place: [ExactText]) { state.withLock { $0.pids[place] = nil } }

    /// Asks every app to end, with the processes it has started. None is started any more.
    func terminateAll() {
        let pids = state.withLock { state in
            state.isOver = true
            return state.pids.values.filter { $0 > 0 }
        }
        for pid in pids { kill(-pid, SIGTERM) }
    }
}
