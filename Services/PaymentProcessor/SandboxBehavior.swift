import StoreModels

/// The sandbox as configured: one mode for all charges, unless a request names another.
package struct SandboxBehavior: ProcessorBehavior {
    /// `processor.mode`.
    package let mode: ProcessorMode

    package init(mode: ProcessorMode) { self.mode = mode }

    package func decide(_ request: CreateChargeRequest) -> ChargeDecision {
        ChargeDecision(request.simulate ?? mode)
    }

    package func trouble(with request: CreateChargeRequest) -> ChargeTrouble {
        ChargeTrouble(request.simulate ?? mode)
    }
}

/// The part of a processor that a sandbox simulates. It is the decision, and the faults on the way.
///
/// The first two methods are called for every create and are quick; for a known key their results have no effect. The
/// other two run before and after the commit; a test throws or waits there to make an outcome unknown.
package protocol ProcessorBehavior: Sendable {
    func decide(_ request: CreateChargeRequest) -> ChargeDecision
    func trouble(with request: CreateChargeRequest) -> ChargeTrouble
    /// Called before anything is written.
    func beforeCharge(_ request: CreateChargeRequest) async throws
    /// Called when the charge is recorded and its answer has not been sent.
    func afterCharge(_ request: CreateChargeRequest) async throws
}

extension ProcessorBehavior {
    package func trouble(with request: CreateChargeRequest) -> ChargeTrouble { .none }
    package func beforeCharge(_ request: CreateChargeRequest) async throws {}
    package func afterCharge(_ request: CreateChargeRequest) async throws {}
}
