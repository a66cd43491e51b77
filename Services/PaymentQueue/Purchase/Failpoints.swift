#if FAILPOINTS
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif
    import EventLoop
    import Foundation

    /// Carries out a ``FailpointPlan``, so that tests can examine the state after a kill.
    ///
    /// Only debug builds have it: no setting makes a production store fail on purpose.
    final class Failpoints: Sendable {
        /// Thrown by the action `error`.
        struct FailpointError: Error, CustomStringConvertible {
            let checkpoint: Checkpoint
            var description: String { "STOREBUS_FAIL has struck at \(checkpoint.rawValue)" }
        }

        /// The source of the plan.
        enum Source: Sendable {
            case plan(FailpointPlan)
            /// A file's text, read at each checkpoint.
            ///
            /// A process removes the file before it fails, so that the process that takes over lives. Passes count from
            /// when the file exists. A text that is not a plan has no effect.
            case file(String)
        }

        private let source: Source
        /// The number of passes of each checkpoint so far.
        private let passes = Locked<[Checkpoint: Int]>([:])

        init(_ source: Source) { self.source = source }

        /// Counts a pass and performs the plan's action for it.
        ///
        /// A delay blocks the calling thread, as a stopped machine would.
        func reach(_ checkpoint: Checkpoint) throws {
            guard let plan else { return }
            let pass = passes.withLock { passes in
                passes[checkpoint, default: 0] += 1
                return passes[checkpoint] ?? 0
            }
            guard let action = plan.action(at: checkpoint, pass: pass) else { return }
            if case .file(let path) = source { unlink(path) }
            switch action {
            case .kill: kill(getpid(), SIGKILL)
            case .error: throw FailpointError(checkpoint: checkpoint)
            case .delay(let milliseconds): usleep(UInt32(milliseconds) * 1000)
            }
        }

        private var plan: FailpointPlan? {
            switch source {
            case .plan(let plan): return plan
            case .file(let path):
                guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
                return try? FailpointPlan(text)
            }
        }
    }
#endif
