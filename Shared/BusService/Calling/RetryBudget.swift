/// Keeps retries within a tenth of the calls. Retrying then never makes an outage worse.
struct RetryBudget {
    private var saved = BusServiceLimits.retryBudgetMax

    /// Earns a tenth of a retry, for a first attempt.
    mutating func earn() {
        saved = min(saved + BusServiceLimits.retryBudgetRatio, BusServiceLimits.retryBudgetMax)
    }

    /// Takes one retry out; false when there is none.
    mutating func spend() -> Bool {
        guard saved >= 1 else { return false }
        saved -= 1
        return true
    }
}
