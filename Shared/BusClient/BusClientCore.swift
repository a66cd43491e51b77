import EventLoop
import HeapModule
import Logging

/// The requests and flushes that wait, the connection state and the timers of a client. Confined to the loop.
package final class BusClientCore {
    package typealias Waiter = CheckedContinuation<Result<Void, BusError>, Never>

    /// The sid of the inbox. Subscriptions of users begin above it.
    package static let inboxSid = 1

    /// The requests and events that were open when the client ended.
    package private(set) var abandoned = (requests: 0, events: 0)
    private let loop: UVLoop
    private let broadcast: StateBroadcast
    private let logger: Logger
    private var pending = PendingRequests()
    private var deadlines = DeadlineQueue()
    private var flushes: [Int: Waiter] = [:]
    private var machineTimer: LoopTimer?
    private var deadlineTimer: LoopTimer?
    private var hasWarned = false

    /// Creates the core of a client.
    /// - Parameter broadcast: Receives each change of the connection's state.
    package init(loop: UVLoop, broadcast: StateBroadcast, logger: Logger) {
        self.loop = loop
        self.broadcast = broadcast
        self.logger = logger
    }

    // MARK: Connection

    /// The error of a call that finds no connection.
    package var notConnected: BusError {
        broadcast.endReason ?? BusError(.disconnected, "there is no connection to the bus")
    }

    /// Broadcasts `connected`, once all subscriptions are acknowledged. Other clients reach this one then.
    package func connected(to url: some CustomStringConvertible) {
        hasWarned = false
        logger.info("connected to the bus", metadata: ["url": "\(url)"])
        broadcast.set(.connected)
    }

    /// Fails everything that waits and broadcasts the state.
    /// - Parameter resumes: Resume the callers of the subscriptions that ended with the connection.
    package func connectionFailed(_ error: BusError, _ resumes: [() -> Void]) {
        let (waiters, flushes) = takeAll()
        deadlines.removeAll()
        // Warn once per outage; later attempts are logged for debugging.
        let level: Logger.Level = hasWarned ? .debug : .warning
        hasWarned = true
        logger.log(level: level, "no connection to the bus", metadata: ["error": "\(error)"])
        broadcast.set(.disconnected(error))
        let failure = error.isFinal ? error : BusError(.disconnected, error.message, origin: error.origin)
        for waiter in waiters { waiter.fail(failure) }
        for flush in flushes { flush.resume(returning: .failure(failure)) }
        for resume in resumes { resume() }
        if !error.isFinal { broadcast.set(.connecting) }
    }

    /// Ends the client.
    /// - Parameters:
    ///   - events: The number of events that wait for a connection.
    ///   - resumes: Resume the callers of all subscriptions.
    package func end(_ reason: BusError, events: Int, _ resumes: [() -> Void]) {
        machineTimer?.close()
        deadlineTimer?.close()
        (machineTimer, deadlineTimer) = (nil, nil)
        abandoned = (pending.count, events)
        // The state first: resumed waiters read it.
        broadcast.end(reason)
        let (waiters, flushes) = takeAll()
        for waiter in waiters { waiter.fail(reason) }
        for flush in flushes { flush.resume(returning: .failure(reason)) }
        for resume in resumes { resume() }
    }

    private func takeAll() -> (waiters: [PendingRequests.Waiter], flushes: [Waiter]) {
        defer { flushes = [:] }
        return (pending.removeAll(), Array(flushes.values))
    }

    /// Starts the state machine's only timer.
    package func wait(_ duration: Duration, tick: @escaping () -> Void) {
        let timer = machineTimer ?? LoopTimer(loop: loop)
        machineTimer = timer
        timer.start(after: duration, tick)
    }

    // MARK: Requests

    /// The error of a request when too many wait already.
    package var requestsError: BusError? {
        guard pending.count >= BusClientLimits.requestsMax else { return nil }
        return BusError(.tooManyRequests, "\(BusClientLimits.requestsMax) requests wait for an answer already")
    }

    /// Adds a request that was sent. The waiter is resumed in any case: with a reply, an error or at the deadline.
    package func add(_ waiter: PendingRequests.Waiter, token: UInt64, subject: String, timeout: Duration) {
        pending.add(waiter, token: token, subject: subject)
        let deadline = loop.uptime() + timeout
        let isEarliest = deadlines.earliest.map { deadline < $0 } ?? true
        deadlines.add(token, deadline: deadline)
        if isEarliest { armDeadlines() }
    }

    /// Hands a reply to its request. The reply subject is the inbox, a dot and the request's token.
    package func reply(_ message: BusMessage, inbox: String) {
        let suffix = message.subject.utf8.dropFirst(inbox.utf8.count + 1)
        guard let token = UInt64(String(Substring(suffix))) else { return }
        pending.reply(token, with: message)?()
    }

    /// Abandons a request.
    package func cancel(_ token: UInt64) {
        pending.remove(token)?.fail(BusError(.cancelled, "the task was cancelled"))
    }

    /// Fails the requests to a subject.
    /// - Returns: Whether there were any.
    package func failRequests(to subject: String, _ error: BusError) -> Bool {
        let waiters = pending.removeAll(subject: subject)
        for waiter in waiters { waiter.fail(error) }
        return !waiters.isEmpty
    }

    /// Arms the timer for the earliest deadline.
    private func armDeadlines() {
        guard let earliest = deadlines.earliest else {
            deadlineTimer?.stop()
            return
        }
        let timer = deadlineTimer ?? LoopTimer(loop: loop)
        deadlineTimer = timer
        timer.start(after: earliest - loop.uptime()) { self.deadlinesPassed() }
    }

    private func deadlinesPassed() {
        let now = loop.uptime()
        while let token = deadlines.popExpired(now: now) {
            pending.remove(token)?.fail(BusError(.timeout, "no answer came in time"))
        }
        deadlines.compact(live: pending.count) { pending.contains($0) }
        armDeadlines()
    }

    // MARK: Flushes

    package func addFlush(_ number: Int, _ waiter: Waiter) { flushes[number] = waiter }

    package func endFlush(_ number: Int, _ result: Result<Void, BusError>) {
        flushes.removeValue(forKey: number)?.resume(returning: result)
    }
}

/// The deadlines of the requests in flight, the earliest first.
///
/// The entry of an answered request stays until its deadline, or until most entries belong to answered requests:
/// removing it from the middle would cost more than it saves.
package struct DeadlineQueue {
    private struct Entry: Comparable {
        let deadline: Duration
        let token: UInt64

        static func < (left: Entry, right: Entry) -> Bool { left.deadline < right.deadline }
    }

    private var heap = Heap<Entry>()

    /// Creates an empty queue.
    package init() {}

    /// The earliest deadline of any entry, answered ones included. Nil when empty.
    package var earliest: Duration? { heap.min?.deadline }
    /// Entries, those of answered requests included.
    package var count: Int { heap.count }

    /// Adds a deadline on the loop's clock. A token is added once.
    package mutating func add(_ token: UInt64, deadline: Duration) {
        heap.insert(Entry(deadline: deadline, token: token))
    }

    /// Removes and returns the token with the earliest deadline, if that has passed.
    package mutating func popExpired(now: Duration) -> UInt64? {
        guard let first = heap.min, first.deadline <= now else { return nil }
        return heap.removeMin().token
    }

    /// Removes the entries of answered requests once they are the majority of more than 64.
    package mutating func compact(live: Int, _ isLive: (UInt64) -> Bool) {
        guard heap.count > 64, heap.count > 2 * live else { return }
        heap = Heap(heap.unordered.filter { isLive($0.token) })
    }

    /// Forgets all deadlines, as at the loss of a connection.
    package mutating func removeAll() { heap = Heap() }
}
