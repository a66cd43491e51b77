import EventLoop
import StoreModels
import Tracing

/// The place of new spans: the span that goes on, and the ring that keeps them.
package struct SpanScope: Sendable {
    let trace: TraceContext
    let keeper: SpanKeeper

    private enum Key: InstrumentationContextKey {
        typealias Value = SpanScope
        static var nameOverride: String? { "storebus.span" }
    }

    /// The context of swift-distributed-tracing in which a task's spans are parts of this one.
    var context: InstrumentationContext {
        var context = InstrumentationContext.current ?? .topLevel
        context[Key.self] = self
        return context
    }

    static func of(_ context: InstrumentationContext?) -> SpanScope? { context?[Key.self] }
}

/// Keeps the spans of a service's instance.
package struct SpanKeeper: Sendable {
    package let service: String
    package let instance: String
    package let ring: SpanRing

    package init(service: String, instance: String, ring: SpanRing) {
        self.service = service
        self.instance = instance
        self.ring = ring
    }

    /// Begins a span.
    /// - Parameters:
    ///   - trace: The span itself.
    ///   - parent: The identifier of the span within which it is.
    /// - Returns: Nil while no spans are kept.
    package func begin(
        _ name: String, _ kind: TraceSpan.Kind, _ trace: TraceContext, parent: String? = nil
    ) -> RecordedSpan? {
        guard ring.isOn else { return nil }
        return RecordedSpan(name, kind, trace, parent: parent, keeper: self, at: DefaultTracerClock.now)
    }
}

/// The tracer of swift-distributed-tracing. Its spans are parts of the request within which they begin.
///
/// A span outside of any request is not kept.
package struct SpanTracer: Tracer {
    package typealias Span = RecordedSpan

    package init() {}

    package func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> RecordedSpan {
        let scope = SpanScope.of(context())
        let kind: TraceSpan.Kind =
            switch kind {
            case .server, .consumer: .server
            case .client, .producer: .client
            case .internal: .internal
            }
        return RecordedSpan(
            operationName, kind, scope.map { .next(after: $0.trace.traceparent) } ?? TraceContext(),
            parent: scope?.trace.spanID, keeper: scope?.keeper, at: instant())
    }

    // Requests carry their context in the bus's headers, which BusService reads and writes.

    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {}

    package func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {}

    package func forceFlush() {}

    /// Runs work as a part of the request that is being handled. Outside of one nothing is kept.
    package static func during<Output: Sendable>(
        _ name: String, _ work: () async throws -> Output
    ) async rethrows -> Output {
        guard let request = RecordedSpan.current else { return try await work() }
        let span = request.part(name)
        defer { span.end() }
        do {
            return try await work()
        } catch {
            span.recordError(error)
            throw error
        }
    }

    /// Adds facts to the span of the request that is being handled, if its process keeps spans.
    package static func note(_ name: String, _ value: String?) {
        guard let value, let span = RecordedSpan.current else { return }
        span.note(name, value)
    }
}

/// A span until it ends, and then an entry of a ring.
package final class RecordedSpan: Tracing.Span {
    /// The span of the request that the task handles.
    @TaskLocal static var current: RecordedSpan?

    package let trace: TraceContext
    private let parent: String?
    private let kind: TraceSpan.Kind
    private let keeper: SpanKeeper?
    private let started: UInt64
    private let state: Locked<State>

    private struct State {
        var name: String
        var attributes: [String: String] = [:]
        var error: String?
        var hasEnded = false
    }

    init(
        _ name: String, _ kind: TraceSpan.Kind, _ trace: TraceContext, parent: String?, keeper: SpanKeeper?,
        at instant: some TracerInstant
    ) {
        self.trace = trace
        self.parent = parent
        self.kind = kind
        self.keeper = keeper
        started = instant.nanosecondsSinceEpoch
        state = Locked(State(name: name))
    }

    /// Runs the handler of a request, whose spans are parts of this one.
    package func during<Output: Sendable>(_ body: () async throws -> Output) async rethrows -> Output {
        try await RecordedSpan.$current.withValue(self) {
            try await InstrumentationContext.$current.withValue(context) { try await body() }
        }
    }

    /// Begins a span within this one.
    func part(_ name: String) -> RecordedSpan {
        RecordedSpan(
            name, .internal, .next(after: trace.traceparent), parent: trace.spanID, keeper: keeper,
            at: DefaultTracerClock.now)
    }

    package func note(_ name: String, _ value: String) { state.withLock { $0.attributes[name] = value } }

    /// Ends the span with the code of its error.
    package func end(error: String?) {
        if let error { state.withLock { $0.error = error } }
        end()
    }

    // MARK: swift-distributed-tracing

    package var context: InstrumentationContext {
        keeper.map { SpanScope(trace: trace, keeper: $0).context } ?? InstrumentationContext.current ?? .topLevel
    }

    package var operationName: String {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    package var attributes: SpanAttributes {
        get { SpanAttributes(state.withLock { $0.attributes.mapValues { SpanAttribute.string($0) } }) }
        set {
            var texts: [String: String] = [:]
            newValue.forEach { name, value in texts[name] = Self.text(value) }
            state.withLock { $0.attributes = texts }
        }
    }

    package var isRecording: Bool { keeper != nil && !state.withLock { $0.hasEnded } }

    package func setStatus(_ status: SpanStatus) {
        state.withLock { $0.error = status.code == .error ? status.message ?? $0.error ?? "error" : nil }
    }

    package func addEvent(_ event: SpanEvent) {}

    package func addLink(_ link: SpanLink) {}

    package func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        let code = (error as? StoreError)?.code.name ?? "\(type(of: error))"
        state.withLock { $0.error = code }
    }

    package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let now = instant().nanosecondsSinceEpoch
        let state = state.withLock { state -> State? in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            return state
        }
        guard let state, let keeper else { return }
        keeper.ring.add(
            TraceSpan(
                traceId: trace.traceID, spanId: trace.spanID, parentSpanId: parent, name: state.name, kind: kind,
                service: keeper.service, instance: keeper.instance, startedAtMicros: Int64(started / 1_000),
                durationMicros: Int64((now > started ? now - started : 0) / 1_000), error: state.error,
                attributes: state.attributes))
    }

    private static func text(_ attribute: SpanAttribute) -> String {
        switch attribute {
        case .string(let text): text
        case .int32(let number): "\(number)"
        case .int64(let number): "\(number)"
        case .double(let number): "\(number)"
        case .bool(let value): "\(value)"
        default: "\(attribute)"
        }
    }
}
