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

    /// Carries a ``FailpointPlan`` out, so that what a killed process leaves behind can be looked at. Debug builds have
    /// it, release builds do not: no setting makes a store that sells fail on purpose.
    final class Failpoints: Sendable {
        /// What `error` throws.
        struct FailpointError: Error, CustomStringConvertible {
            let checkpoint: Checkpoint
            var description: String { "STOREBUS_FAIL has struck at \(checkpoint.rawValue)" }
        }

        /// Where the plan comes from.
        enum Source: Sendable {
            case plan(FailpointPlan)
            /// A file's text, read at each checkpoint. A process removes the file before it fails, so that the process
            /// that takes over lives; passes count from when it is there. A text that is not a plan has no effect.
            case file(String)
        }

        private let source: Source
        private let passes = Locked<[Checkpoint: Int]>([:])

        init(_ source: Source) { self.source = source }

        /// Counts a pass and does what the plan has for it. A delay holds up the thread it comes on, as a machine that
        /// has stopped would.
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
