import EventLoop
import StoreModels

/// The spans that ended last in a process, oldest first. Newer ones take the places of older ones.
package final class SpanRing: Sendable {
    /// Spans that a process keeps, about a megabyte.
    package static let usualCapacity = 2_048

    /// Spans that are kept. 0 keeps none.
    private let capacity: Int
    private let contents: Locked<Contents>

    private struct Contents {
        var spans: [TraceSpan] = []
        /// Where the next one goes once the ring is full.
        var next = 0
        /// The number of the last one, from 1.
        var last: Int64 = 0
    }

    package init(capacity: Int = SpanRing.usualCapacity) {
        self.capacity = capacity
        contents = Locked(Contents())
    }

    package var isOn: Bool { capacity > 0 }

    package func add(_ span: TraceSpan) {
        guard isOn else { return }
        contents.withLock { contents in
            contents.last += 1
            if contents.spans.count < capacity {
                contents.spans.append(span)
            } else {
                contents.spans[contents.next] = span
                contents.next = (contents.next + 1) % capacity
            }
        }
    }

    /// Returns the spans behind a number, oldest first.
    /// - Parameter max: How many at most.
    /// - Returns: The spans, the number of the last one, and how many behind `number` were displaced.
    package func spans(after number: Int64, max: Int) -> (spans: [TraceSpan], last: Int64, missed: Int64) {
        let (spans, next, last) = contents.withLock { ($0.spans, $0.next, $0.last) }
        let number = Swift.max(0, number)
        let first = Swift.max(number, last - Int64(spans.count))
        let count = Swift.min(Swift.max(0, max), Int(Swift.max(0, last - first)))
        let start = spans.count - Int(Swift.max(0, last - first))
        let found = (start..<start + count).map { spans[(next + $0) % spans.count] }
        return (found, first + Int64(count), first - number)
    }

    /// Finds spans, the newest first.
    package func spans(_ request: SpanRequest) -> [TraceSpan] {
        // A copy of the array's reference, so that nothing waits for the search.
        let (spans, next) = contents.withLock { ($0.spans, $0.next) }
        let traces = request.traceIds.map { Set($0.map { ExactText($0) }) }
        var found: [TraceSpan] = []
        for offset in 1...max(1, spans.count) where found.count < request.limit && !spans.isEmpty {
            let span = spans[(next + spans.count - offset) % spans.count]
            if let traces, !traces.contains(ExactText(span.traceId)) { continue }
            if let least = request.atLeastMicros, span.durationMicros < least { continue }
            if request.rootsOnly == true, span.parentSpanId != nil, !span.isOfClient { continue }
            if let text = request.text, !span.traceId.isExactly(text), !span.attributes.values.containsExactly(text) {
                continue
            }
            found.append(span)
        }
        return found
    }
}

extension TraceSpan {
    /// Whether it is a client's request, which may be a part of a trace of the client's own.
    fileprivate var isOfClient: Bool { kind == .server && service == ServiceName.gateway.rawValue }
}
