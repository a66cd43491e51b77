import BusService
import EventLoop
import Logging
import Metrics
import StoreModels

/// The alarm of a reader that PaymentQueue's log does not continue behind: the log or the reader was put back to an
/// earlier time.
///
/// The reader recovers by itself. The health check fails until then, and for a minute more, so that operators see it.
final class ReaderAlarm: Sendable {
    /// Minimum time for which the check fails.
    static let failsFor: Duration = .seconds(60)
    /// Time for which it warns after that.
    static let warnsFor: Duration = .seconds(3_600)

    private struct Raised {
        var fault: PositionFault
        var position: String
        var at: Timestamp
        /// When the log was read to its end again. Nil until then.
        var recoveredAt: ContinuousClock.Instant?
    }

    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    private let raised = Locked<Raised?>(nil)

    /// - Parameter now: The monotonic clock.
    init(logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.logger = logger
        self.now = now
    }

    /// Raises the alarm.
    /// - Parameter position: The reader's position.
    func raise(_ fault: PositionFault, at position: String) {
        raised.withLock { $0 = Raised(fault: fault, position: position, at: .wallClock()) }
        Counter(
            label: "storebus_log_reader_faults_total", dimensions: [("log", "server_event"), ("fault", fault.rawValue)]
        ).increment()
        logger.error(
            "\(fault.words); all events that payment-queue has are read again",
            metadata: ["place": "\(position)", "fault": "\(fault.rawValue)"])
    }

    /// Notes that the log was read to its end.
    func readToEnd() {
        let recovered = raised.withLock { raised in
            guard raised != nil, raised?.recoveredAt == nil else { return false }
            raised?.recoveredAt = now()
            return true
        }
        if recovered { logger.notice("the events are read to their end again") }
    }

    /// The health check.
    var health: HealthCheck {
        guard let raised = raised.withLock({ $0 }) else { return .pass }
        let words = "at \(raised.at) \(raised.fault.words) (\(raised.position))"
        guard let recoveredAt = raised.recoveredAt else { return .fail("\(words); they are being read again") }
        let sentence = "\(words). All kept events were read again. See Backup and restore in docs/backup.md"
        let age = now() - recoveredAt
        if age < Self.failsFor { return .fail(sentence) }
        return age < Self.warnsFor ? .warn(sentence) : .pass
    }
}

extension PositionFault {
    fileprivate var words: String {
        switch self {
        case .malformed: "payment-queue does not know the position that app-store-server had read to"
        case .ahead: "payment-queue's events ended before the position that app-store-server had read to"
        case .removed: "payment-queue has removed events that app-store-server had not read"
        }
    }
}
