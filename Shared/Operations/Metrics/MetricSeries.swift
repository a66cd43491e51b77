import CoreMetrics
import EventLoop

/// One number of a metric, under one set of labels. It is a counter, a gauge, or a sum and count.
///
/// One type for all kinds, because the registry keeps them together. It hands each out only as the requested kind.
final class MetricSeries: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    struct Value {
        /// The counter or gauge, or the sum of the recorded values.
        var number = 0.0
        /// How often something was recorded.
        var count = 0
        /// Records per bucket, not cumulated. Empty without a histogram.
        var buckets: [Int] = []
    }

    private let value: Locked<Value>
    private let kind: MetricKind

    init(_ kind: MetricKind) {
        self.kind = kind
        value = Locked(Value(buckets: kind == .histogram ? Array(repeating: 0, count: Self.bounds.count) : []))
    }

    /// Upper bounds of the buckets in seconds. They go from half a millisecond to the longest deadline in common use.
    static let bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    var current: Value { value.withLock { $0 } }

    func increment(by amount: Int64) { increment(by: Double(amount)) }
    func increment(by amount: Double) { value.withLock { $0.number += amount } }
    func decrement(by amount: Double) { value.withLock { $0.number -= amount } }
    func set(_ number: Int64) { set(Double(number)) }
    func set(_ number: Double) { value.withLock { $0.number = number } }
    func reset() { value.withLock { $0.number = 0 } }
    func record(_ number: Int64) { record(Double(number)) }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func record(_ number: Double) {
        value.withLock { value in
            if kind == .gauge {
                value.number = number
                return
            }
            value.number += number
            value.count += 1
            if kind == .histogram, let bucket = Self.bounds.firstIndex(where: { number <= $0 }) {
                value.buckets[bucket] += 1
            }
        }
    }
}

/// The kind of a metric, in Prometheus's words.
enum MetricKind: String, Sendable {
    case counter, gauge, summary, histogram
}
