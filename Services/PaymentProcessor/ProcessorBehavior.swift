import StoreModels

/// The side of the processor that a real one has and a sandbox plays: the decision, and what goes wrong on the way.
///
/// The two first are asked about every create and are quick; where the key is known already, what they say has no
/// effect. The two others surround the commit; throwing or waiting there is how a test makes an outcome unknown.
package protocol ProcessorBehavior: Sendable {
    func decide(_ request: CreateChargeRequest) -> ChargeDecision
    func trouble(with request: CreateChargeRequest) -> ChargeTrouble
    /// Before anything is written.
    func beforeCharge(_ request: CreateChargeRequest) async throws
    /// The charge stands; its answer has not gone out.
    func afterCharge(_ request: CreateChargeRequest) async throws
}

extension ProcessorBehavior {
    package func trouble(with request: CreateChargeRequest) -> ChargeTrouble { .none }
    package func beforeCharge(_ request: CreateChargeRequest) async throws {}
    package func afterCharge(_ request: CreateChargeRequest) async throws {}
}
