import StoreModels

/// The behavior of the sandbox: one mode for all charges, unless a request has another.
package struct SandboxBehavior: ProcessorBehavior {
    /// The mode of charges whose request does not name one, `processor.mode`.
    package let mode: ProcessorMode

    /// Creates the behavior of a mode.
    package init(mode: ProcessorMode) { self.mode = mode }

    package func decide(_ request: CreateChargeRequest) -> ChargeDecision {
        ChargeDecision(request.simulate ?? mode)
    }

    package func trouble(with request: CreateChargeRequest) -> ChargeTrouble {
        ChargeTrouble(request.simulate ?? mode)
    }
}

/// The part of a processor that a sandbox simulates: the decision and the faults.
///
/// The processor calls the first two methods with each `create`, so they must be quick. It ignores their results for a
/// known key.
/// The other two run before and after the commit, and a test throws or waits in them to make an outcome unknown.
package protocol ProcessorBehavior: Sendable {
    func decide(_ request: CreateChargeRequest) -> ChargeDecision
    func trouble(with request: CreateChargeRequest) -> ChargeTrouble
    /// Called before the charge is written.
    func beforeCharge(_ request: CreateChargeRequest) async throws
    /// Called after the charge was recorded and before the reply.
    func afterCharge(_ request: CreateChargeRequest) async throws
}

extension ProcessorBehavior {
    package func trouble(with request: CreateChargeRequest) -> ChargeTrouble { .none }
    package func beforeCharge(_ request: CreateChargeRequest) async throws {}
    package func afterCharge(_ request: CreateChargeRequest) async throws {}
}
