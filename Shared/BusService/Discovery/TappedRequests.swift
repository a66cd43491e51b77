import BusClient
import BusProtocol
import StoreModels

/// Pairs the requests that a tap has seen with their replies, without I/O.
///
/// The broker copies a request to a tap before the reply to it. So a reply without a request is one to a request
/// outside the tap, or a further one to the same request. Neither counts.
package struct TappedRequests: Sendable {
    /// The end of a request, or the passing of its deadline.
    package struct End: Hashable, Sendable {
        /// The number that ``add(_:at:)`` gave the request.
        package var request: Int
        package var outcome: BusRequestOutcome
        /// The time from the request to its end.
        package var duration: Duration
        /// The service's code and sentence, if the reply is an error.
        package var error: String?
    }

    private struct Open {
        var number: Int
        var start: ContinuousClock.Instant
        var deadline: ContinuousClock.Instant
        var isOverdue = false
    }

    /// Maximum number of requests that wait for their replies. Further ones get no number, so no end is shown for them.
    package static let openMax = 1024

    /// By the subject of the reply.
    private var open: [ExactText: Open] = [:]
    private var count = 0

    package init() {}

    /// Notes a request.
    /// - Returns: A number that its end refers to, from 1. A request that is forwarded with the same reply subject has
    ///   the same number. Nil for a message without a reply subject, and beyond ``openMax``.
    package mutating func add(_ message: BusMessage, at now: ContinuousClock.Instant) -> Int? {
        guard let reply = message.reply.map({ ExactText($0) }) else { return nil }
        if let known = open[reply], !known.isOverdue { return known.number }
        if open.count >= Self.openMax { open = open.filter { !$0.value.isOverdue } }
        guard open.count < Self.openMax else { return nil }
        count += 1
        open[reply] = Open(number: count, start: now, deadline: now + BusServiceLimits.timeout(of: message.headers))
        return count
    }

    /// Notes a reply, or the broker's answer in its place.
    /// - Returns: The end of the request. Its deadline may have passed before. Nil without such a request.
    package mutating func end(with message: BusMessage, at now: ContinuousClock.Instant) -> End? {
        guard let request = open.removeValue(forKey: ExactText(message.subject)) else { return nil }
        let error = message.headers[BusHeader.natsServiceError]
        let isError = error != nil || message.headers[BusHeader.natsServiceErrorCode] != nil
        let outcome: BusRequestOutcome =
            switch message.status {
            case nil: isError ? .failed : .replied
            case 429: .overloaded
            case 502: .receiverLost
            default: .noResponders
            }
        return End(request: request.number, outcome: outcome, duration: request.start.duration(to: now), error: error)
    }

    /// Returns the requests whose deadlines have passed since the last call, by number. A late reply still ends them.
    package mutating func overdue(at now: ContinuousClock.Instant) -> [End] {
        var ends: [End] = []
        for (reply, request) in open where !request.isOverdue && request.deadline <= now {
            open[reply]?.isOverdue = true
            ends.append(
                End(
                    request: request.number, outcome: .noReply, duration: request.start.duration(to: request.deadline)))
        }
        return ends.sorted { $0.request < $1.request }
    }
}
