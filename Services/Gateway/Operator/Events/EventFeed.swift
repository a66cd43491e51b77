import GatewayEdge
import StoreHTTP
import StoreModels

/// One stream of everything that happens: its positions in both logs, and the events to send. It does no I/O.
///
/// A position that the stream was asked to begin at, or that it has sent, is followed by every event behind it. Where
/// that is impossible, `resync` says so before the stream goes on from now.
struct EventFeed: Sendable {
    enum Log: String, CaseIterable, Sendable {
        case transactions
        case intents

        var service: ServiceName {
            switch self {
            case .transactions: .paymentQueue
            case .intents: .promotionController
            }
        }
    }

    /// The result of one read of a log.
    enum Reading: Equatable, Sendable {
        /// The events behind the position, as a JSON body, and the position behind them. The body is nil for no event.
        case page(after: String, body: [UInt8]?)
        /// The log does not have the position.
        case positionUnknown
        /// The service did not answer.
        case away
    }

    enum Output: Equatable, Sendable {
        case hello(id: String)
        case resync(id: String)
        case events(Log, id: String, body: [UInt8])
        case comment(String)
    }

    private enum LogCursor: Equatable {
        case known(String)
        /// The log's end is to be read first.
        /// - Parameter resyncs: Whether events may have been missed by then.
        case end(resyncs: Bool)
    }

    /// The interval of comments, by which both sides detect a broken connection.
    static let commentInterval = DeliveryLimits.commentInterval
    private static let separator = UInt8(ascii: ".")

    private var logCursors: [Log: LogCursor]
    private var away: Set<Log> = []
    private var hasGreeted = false
    private var sentAt: ContinuousClock.Instant

    /// - Parameter cursor: The position to continue at, as a stream sent it. Nil for now.
    init(after cursor: String?, now: ContinuousClock.Instant) {
        logCursors = Self.logCursors(cursor)
        sentAt = now
    }

    /// The position behind all that was sent: those of both logs, with a dot between them.
    var cursor: String {
        Self.cursor(
            Dictionary(uniqueKeysWithValues: Log.allCases.map { ($0, after($0)) }))
    }

    /// Makes the cursor of positions. A stream that begins there says `resync` for a log without one.
    static func cursor(_ positions: [Log: String?]) -> String {
        Log.allCases.map { (positions[$0] ?? nil) ?? "" }.joined(separator: ".")
    }

    /// Reads the positions of a cursor.
    /// - Returns: Nil for a text that is not a cursor of a stream.
    static func positions(_ cursor: String) -> [Log: String]? {
        let parts = cursor.utf8.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.count == Log.allCases.count else { return nil }
        let known = zip(Log.allCases, parts).filter { !$0.1.isEmpty }
        return Dictionary(uniqueKeysWithValues: known.map { ($0, String(Substring($1))) })
    }

    /// The position to read a log after. Nil for its end.
    func after(_ log: Log) -> String? {
        guard case .known(let text)? = logCursors[log] else { return nil }
        return text
    }

    /// Takes the results of simultaneous reads.
    /// - Returns: The output to send, and the logs that may have more.
    mutating func receive(
        _ readings: [Log: Reading], now: ContinuousClock.Instant
    ) -> (outputs: [Output], more: Set<Log>) {
        var more: Set<Log> = []
        var resyncs = false
        var pages: [(log: Log, after: String, body: [UInt8])] = []
        let awayBefore = away
        for log in Log.allCases {
            guard let reading = readings[log], let logCursor = logCursors[log] else { continue }
            if reading == .away { away.insert(log) } else { away.remove(log) }
            switch (reading, logCursor) {
            case (.page(let after, _), .end(let missed)):
                logCursors[log] = .known(after)
                resyncs = resyncs || missed
            case (.page(let after, let body), .known(let before)):
                if let body { pages.append((log, after, body)) } else { logCursors[log] = .known(after) }
                if after != before { more.insert(log) }
            case (.positionUnknown, .known):
                logCursors[log] = .end(resyncs: true)
                more.insert(log)
            case (.positionUnknown, .end), (.away, _): break
            }
        }
        var outputs: [Output] = []
        if !hasGreeted {
            outputs.append(.hello(id: cursor))
            hasGreeted = true
            // What happens until the end can be read is missed.
            for log in Log.allCases where after(log) == nil { logCursors[log] = .end(resyncs: true) }
        }
        if resyncs { outputs.append(.resync(id: cursor)) }
        for page in pages {
            logCursors[page.log] = .known(page.after)
            outputs.append(.events(page.log, id: cursor, body: page.body))
        }
        if away != awayBefore { outputs.append(.comment(state)) }
        if outputs.isEmpty, now - sentAt >= Self.commentInterval { outputs.append(.comment(state)) }
        if !outputs.isEmpty { sentAt = now }
        return (outputs, more)
    }

    /// The text of a comment: the services that are away.
    private var state: String {
        away.isEmpty
            ? "live"
            : "away " + Log.allCases.filter(away.contains).map(\.service.rawValue).joined(separator: " ")
    }

    /// Reads a cursor. Of one that no stream has sent every log begins at its end, with `resync`.
    private static func logCursors(_ cursor: String?) -> [Log: LogCursor] {
        let known = cursor.flatMap(positions) ?? [:]
        return Dictionary(
            uniqueKeysWithValues: Log.allCases.map { log in
                (log, known[log].map(LogCursor.known) ?? .end(resyncs: cursor != nil))
            })
    }
}
