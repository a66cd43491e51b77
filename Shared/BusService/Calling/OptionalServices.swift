import StoreModels

extension StoreError {
    /// Whether the service is unavailable, as opposed to an error that the caller caused.
    package var meansAway: Bool { code == .serviceUnavailable || code == .deadlineExceeded || code == .internal }
}

extension ContinuousClock.Instant {
    /// The deadline for optional services of a request with this deadline. It is a second, or a fifth of the request's
    /// time when that is longer.
    package var forOptionalServices: ContinuousClock.Instant {
        let now = ContinuousClock.now
        return min(self, now + max(.seconds(1), (self - now) / 5))
    }
}
