import Logging
import Operations

extension PaymentQueueService {
    /// What happens at checkpoints: nothing, unless `STOREBUS_FAIL` asks a debug build for something
    /// (``FailpointPlan``). Release builds do not look at it.
    /// - Throws: A `StartupError` that names the unknown entry.
    static func checkpoints(_ environment: ServiceEnvironment) throws(StartupError) -> CheckpointHook {
        #if FAILPOINTS
            guard let text = try environment.configuration.string("storebus.fail") else { return { _ in } }
            do throws(FailpointPlan.Mistake) {
                let failpoints = Failpoints(
                    text.hasPrefix("@") ? .file(String(text.dropFirst())) : .plan(try FailpointPlan(text)))
                environment.logger.warning("this process fails on purpose", metadata: ["STOREBUS_FAIL": "\(text)"])
                return { try failpoints.reach($0) }
            } catch {
                throw StartupError(.badConfiguration, "STOREBUS_FAIL: \(error)")
            }
        #else
            return { _ in }
        #endif
    }
}
