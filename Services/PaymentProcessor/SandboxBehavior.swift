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
