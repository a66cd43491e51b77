import BusService
import StoreHTTP

/// The places of a gateway's requests, and the choice of those that a request may take. A pure state machine.
///
/// There is no queue: a request gets a place at once or is refused.
struct RequestLimiter {
    /// As many as an endpoint of a service has.
    static let countMax = BusServiceLimits.bulkhead

    let count: Int
    private(set) var taken = 0

    /// - Parameter count: How many requests may be in work at the same time.
    init(count: Int = countMax) { self.count = count }

    /// Takes a place while requests of this urgency may still have one.
    /// - Returns: False when the request has to be refused.
    mutating func acquire(_ urgency: Urgency) -> Bool {
        guard taken < limit(of: urgency) else { return false }
        taken += 1
        return true
    }

    mutating func release() {
        precondition(taken > 0, "more places are given back than were taken")
        taken -= 1
    }

    /// How many places may be taken before requests of this urgency are refused.
    private func limit(of urgency: Urgency) -> Int {
        switch urgency {
        case .query: count / 2
        case .purchase: count / 4 * 3
        case .completion: count
        case .unlimited: .max
        }
    }
}
