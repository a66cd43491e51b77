extension Supervisor {
    /// What happened.
    enum Event: Hashable, Sendable {
        case start
        case spawned(String, pid: Int32)
        /// The process could not be made at all; `reason` is the system's word for it.
        case spawnFailed(String, reason: String)
        /// The service wrote its ready file.
        case ready(String, pid: Int32)
        case exited(String, pid: Int32, Termination)
        /// Ctrl-C or SIGTERM; the second one kills.
        case stop
        /// ``Supervisor/nextTick`` has come.
        case tick
    }

    /// What to do about it.
    enum Action: Hashable, Sendable {
        /// Start the service's process and answer with `spawned` or `spawnFailed`.
        case spawn(String)
        case terminate(Int32)
        case kill(Int32)
        case report(Report)
        /// Every process is gone; no more actions follow.
        case finished(Outcome)
    }

    /// Something a person wants to know.
    enum Report: Hashable, Sendable {
        /// Everything has been ready once.
        case allReady
        case notReady([String], waited: Duration)
        case died(String, pid: Int32, Termination, restartIn: Duration)
        case recovered(String, pid: Int32)
        /// It did not stop in time.
        case killed(String, pid: Int32)
        case cannotStart(String, String)
    }

    /// How it all ended.
    enum Outcome: Hashable, Sendable {
        case stopped
        case failed(Failure)
    }

    /// Why the store never came up.
    enum Failure: Hashable, Sendable {
        case cannotStart(String, String)
        /// It ended in a way that starting it again cannot help.
        case gaveUp(String, Termination)
        case tooSlow([String])
    }
}
