import StoreHTTP
import StoreModels

extension ClockMove {
    /// - Throws: `requestInvalid` that names the member.
    func validate() throws(StoreError) {
        switch (by, to, next) {
        case (let by?, nil, nil):
            guard BusinessDuration(by) != nil else {
                throw .invalid("$.by", "must be a time of at most 100 years, such as 90s, 36h, 10d, 3mo, 1y or P1M")
            }
        case (nil, let to?, nil): try ClockInstants.check(to, at: "$.to")
        case (nil, nil, let next?):
            guard (1...AdvanceClockRequest.nextMax).contains(next) else {
                throw .invalid("$.next", "must be 1 to \(AdvanceClockRequest.nextMax)")
            }
        default: throw .invalid("$", "must have one of by, to and next, and no two of them")
        }
    }
}
