#if FAILPOINTS
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif
    import Synchronization

    /// Carries a ``FailpointPlan`` out, so that what a killed process leaves behind can be looked at. Debug builds have
    /// it, release builds do not: no setting makes a store that sells fail on purpose.
    package final class Failpoints: Sendable {
        /// What `error` throws.
        package struct Struck: Error, CustomStringConvertible {
            package let checkpoint: Checkpoint
            package var description: String { "STOREBUS_FAIL has struck at \(checkpoint.rawValue)" }
        }

        private let plan: FailpointPlan
        private let passes = Mutex<[Checkpoint: Int]>([:])

        package init(_ plan: FailpointPlan) { self.plan = plan }

        /// Counts a pass and does what the plan has for it. A delay holds up the thread it comes on, as a machine that
        /// has stopped would.
        package func reach(_ checkpoint: Checkpoint) throws {
            let pass = passes.withLock { passes in
                passes[checkpoint, default: 0] += 1
                return passes[checkpoint] ?? 0
            }
            switch plan.action(at: checkpoint, pass: pass) {
            case nil: break
            case .kill: kill(getpid(), SIGKILL)
            case .error: throw Struck(checkpoint: checkpoint)
            case .delay(let milliseconds): usleep(UInt32(milliseconds) * 1000)
            }
        }
    }
#endif
