internal import CPostgres
import DequeModule
internal import EventLoop

/// One connection of libpq, non-blocking and in pipeline mode. A statement is sent before the one before it is
/// answered.
///
/// A segment is the statements between two syncs. A statement with a waiter ends the segment, and those before it are
/// sent with it. After a failure the server skips the rest of the segment, and the transaction's runner rolls it back.
///
/// Everything happens on the loop. Calls from the loop's own thread go straight in. Others are sent there, in order.
actor PostgresConnection {
    /// The most prepared statements kept. Beyond it the least recently used one is closed.
    static let statementsMax = 256
    /// The longest time without an answer. The server cancels statements earlier (``PostgresSettings``).
    static let answerTime: Duration = .seconds(15)

    nonisolated let loop: UVLoop
    nonisolated let address: String
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// libpq's object. Nil once it was lost or closed.
    private(set) var handle: OpaquePointer?
    private let poller: PostgresPoller
    private var inFlight = Deque<PostgresCommand>()
    private var statements: [String: PostgresStatement] = [:]
    private var used = 0
    private var isPipelining = false
    /// Whether statements follow the last sync.
    private var isSegmentOpen = false
    private var watchdog: LoopTimer?
    private var lastAnswer: ContinuousClock.Instant = .now
    /// Called once, when the connection ends by itself.
    var onLoss: (@Sendable (PersistenceError) -> Void)?
    /// The server's own reason for the end of the session, which it sends unasked.
    private var farewell: PersistenceError?
    /// The error that the connection was lost with.
    private var loss: PersistenceError?

    /// - Parameter handle: A connected handle. This object closes it.
    init(_ handle: PostgresHandle, loop: UVLoop, address: String) {
        self.handle = handle.pointer
        poller = PostgresPoller(loop: loop)
        self.loop = loop
        self.address = address
    }

    /// Begins to receive, and to check that answers come.
    func start() {
        // Warnings, as of a ROLLBACK too many, would go to standard error. libpq calls this on the loop, in calls of
        // this object.
        PQsetNoticeReceiver(
            handle,
            { context, notice in
                guard let context, let notice else { return }
                let connection = Unmanaged<PostgresConnection>.fromOpaque(context).takeUnretainedValue()
                nonisolated(unsafe) let result = notice
                connection.assumeIsolated { $0.noticed(result) }
            }, Unmanaged.passUnretained(self).toOpaque())
        PQsetnonblocking(handle, 1)
        listen([.readable])
        let watchdog = LoopTimer(loop: loop)
        watchdog.start(after: .seconds(5), repeating: .seconds(5)) { [weak self] in
            self?.assumeIsolated { $0.watch() }
        }
        self.watchdog = watchdog
    }

    /// Enters pipeline mode. Statements are prepared and pipelined from now on.
    func beginPipeline() {
        isPipelining = PQenterPipelineMode(handle) == 1
    }

    var isOpen: Bool { handle != nil }

    /// Runs statements separated by semicolons, outside of a pipeline. Returns the rows of the last one, all as text.
    func script(_ sql: String) async throws(PersistenceError) -> SQLResult {
        precondition(!isPipelining, "scripts belong before the pipeline")
        return try await withUnsafeContinuation { (waiter: PostgresCommand.Waiter) in
            guard let handle, PQsendQuery(handle, sql) == 1 else {
                return waiter.resume(returning: .failure(refusal()))
            }
            append(PostgresCommand(.script, sql, recipient: .waiter(waiter)))
            flush()
        }.get()
    }

    /// Calls `work` on the loop: immediately when this is the loop's thread.
    nonisolated func perform(_ work: @escaping @Sendable (isolated PostgresConnection) -> Void) {
        if loop.isCurrent {
            assumeIsolated { work($0) }
        } else {
            loop.execute { self.assumeIsolated { work($0) } }
        }
    }

    // MARK: Sending

    /// Sends a statement. One with a waiter ends the segment.
    /// - Parameter begin: The statement that begins the transaction, if this is its first.
    func send(
        _ sql: String, _ arguments: [SQLValue], begin: String?, rowsMax: Int, _ request: PostgresRequestState,
        _ recipient: PostgresCommand.Recipient?
    ) {
        if let failure = request.failure {
            recipient?.take(.failure(failure))
            return
        }
        if let begin { submit(begin, [], isCommit: false, rowsMax: 0, request, nil) }
        submit(sql, arguments, isCommit: false, rowsMax: rowsMax, request, recipient)
        if case .waiter = recipient { endSegment() }
    }

    /// Waits for a query that was sent before. The segment ends unless the query's has ended already.
    func wait(for query: PostgresQuery, _ waiter: PostgresCommand.Waiter) {
        if query.deliver(to: waiter), isSegmentOpen { endSegment() }
    }

    /// Sends COMMIT after the statements already sent. If one of them fails, the transaction is not stored.
    func commit(_ request: PostgresRequestState, _ waiter: PostgresCommand.Waiter?) {
        if let failure = request.failure {
            waiter?.resume(returning: .failure(failure))
            return
        }
        submit("COMMIT", [], isCommit: true, rowsMax: 0, request, waiter.map { .waiter($0) })
        endSegment()
    }

    /// Rolls the transaction back without waiting. The sync before it ends a segment that may have failed, in which the
    /// ROLLBACK would be skipped.
    func rollBack() {
        guard handle != nil else { return }
        endSegment()
        submit("ROLLBACK", [], isCommit: false, rowsMax: 0, PostgresRequestState(), nil)
        endSegment()
    }

    private func submit(
        _ sql: String, _ arguments: [SQLValue], isCommit: Bool, rowsMax: Int, _ request: PostgresRequestState,
        _ recipient: PostgresCommand.Recipient?
    ) {
        guard handle != nil else { return refuse(refusal(), request, recipient) }
        do throws(PersistenceError) {
            let statement = try statement(for: sql, request)
            guard arguments.count == statement.parameterCount else {
                throw PersistenceError(
                    .statement,
                    "\(address): \(statement.parameterCount) parameters, \(arguments.count) values in '\(sql)'")
            }
            try execute(statement, PostgresArguments(arguments))
            append(
                PostgresCommand(
                    isCommit ? .commit(statement) : .statement(statement), sql, rowsMax: rowsMax, request: request,
                    recipient: recipient))
        } catch {
            refuse(error, request, recipient)
        }
    }

    private func refuse(
        _ error: PersistenceError, _ request: PostgresRequestState, _ recipient: PostgresCommand.Recipient?
    ) {
        if request.failure == nil { request.failure = error }
        recipient?.take(.failure(error))
    }

    private func statement(
        for sql: String, _ request: PostgresRequestState
    ) throws(PersistenceError) -> PostgresStatement {
        used += 1
        // A PREPARE that another request has left unanswered may be skipped, behind a statement of its own that failed.
        if let known = statements[sql], known.preparing == nil || known.preparing === request {
            known.lastUse = used
            return known
        }
        if statements.count >= Self.statementsMax { try giveOldestUp(request) }
        let syntax = PlaceholderSyntax(sql)
        let statement = PostgresStatement(name: "s\(used)", parameterCount: syntax.parameterCount)
        statement.lastUse = used
        statement.preparing = request
        guard PQsendPrepare(handle, statement.name, syntax.sql, 0, nil) == 1 else { throw broken() }
        statements[sql] = statement
        append(PostgresCommand(.prepare(statement), sql, request: request))
        return statement
    }

    private func giveOldestUp(_ request: PostgresRequestState) throws(PersistenceError) {
        guard let oldest = statements.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
        statements[oldest.key] = nil
        let sql = "DEALLOCATE \(oldest.value.name)"
        guard PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 1) == 1 else { throw broken() }
        append(PostgresCommand(.statement(PostgresStatement(name: "", parameterCount: 0)), sql, request: request))
    }

    private func execute(_ statement: PostgresStatement, _ arguments: PostgresArguments) throws(PersistenceError) {
        let count = CInt(statement.parameterCount)
        let sent = arguments.withPointers { values in
            PQsendQueryPrepared(handle, statement.name, count, values, arguments.lengths, arguments.formats, 1)
        }
        guard sent == 1 else { throw broken() }
    }

    private func endSegment() {
        guard let handle else { return }
        guard PQpipelineSync(handle) == 1 else { return lose(broken()) }
        append(PostgresCommand(.sync, ""))
        isSegmentOpen = false
        flush()
    }

    private func append(_ command: PostgresCommand) {
        if inFlight.isEmpty { lastAnswer = .now }
        inFlight.append(command)
        isSegmentOpen = true
    }

    private func flush() {
        guard let handle else { return }
        switch PQflush(handle) {
        case 0: listen([.readable])
        case 1: listen([.readable, .writable])
        default: lose(broken())
        }
    }

    private func listen(_ events: PollHandle.Events) {
        guard let handle else { return }
        do throws(UVError) {
            try poller.wait(for: events, of: handle) { [weak self] happened in
                self?.assumeIsolated { $0.happened(happened) }
            }
        } catch {
            lose(PersistenceError(.unavailable, "\(address): \(error)"))
        }
    }

    // MARK: Receiving

    private func happened(_ events: PollHandle.Events) {
        guard let handle else { return }
        if events.contains(.readable) {
            let isAlive = PQconsumeInput(handle) == 1
            // What the server says unasked is parsed, too.
            if inFlight.isEmpty { _ = PQisBusy(handle) }
            // What came before the end is still to be had: it says why.
            takeResults()
            if !isAlive { return lose(broken()) }
        }
        if events.contains(.writable) { flush() }
    }

    private func takeResults() {
        while let handle, let command = inFlight.first, PQisBusy(handle) == 0 {
            guard let result = PQgetResult(handle) else {
                // The end of a command's results. Without one before it nothing has come yet.
                guard command.outcome != nil else { return }
                inFlight.removeFirst()
                deliver(command)
                continue
            }
            lastAnswer = .now
            if PQresultStatus(result) == PGRES_PIPELINE_SYNC {
                inFlight.removeFirst()
            } else {
                let outcome = outcome(of: result, command)
                // A script's first failure counts, and otherwise what its last statement gave.
                if case .failure = inFlight[0].outcome {} else { inFlight[0].outcome = outcome }
            }
            PQclear(result)
        }
    }

    private func outcome(of result: OpaquePointer, _ command: PostgresCommand) -> Result<SQLResult, PersistenceError> {
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK where command.isCommit && String(cString: PQcmdStatus(result)) != "COMMIT":
            return .failure(PersistenceError(.statement, "\(address): a commit of a transaction that had failed"))
        case PGRES_COMMAND_OK:
            return .success(SQLResult(changed: Int(String(cString: PQcmdTuples(result))) ?? 0))
        case PGRES_TUPLES_OK:
            return Result { () throws(PersistenceError) in try rows(result, command) }
        case PGRES_PIPELINE_ABORTED:
            let failure = PersistenceError(.statement, "\(address): skipped after a failure")
            return .failure(command.request?.failure ?? failure)
        default:
            return .failure(PersistenceError(postgres: result, address: address, sql: command.sql))
        }
    }

    private func rows(_ result: OpaquePointer, _ command: PostgresCommand) throws(PersistenceError) -> SQLResult {
        let changed = Int(String(cString: PQcmdTuples(result))) ?? 0
        switch command.kind {
        case .statement(let statement), .commit(let statement):
            return SQLResult(rows: try statement.rows(result, max: command.rowsMax), changed: changed)
        case .script: return SQLResult(rows: PostgresValue.texts(result), changed: changed)
        case .prepare, .sync: return SQLResult()
        }
    }

    private func deliver(_ command: PostgresCommand) {
        guard var outcome = command.outcome else { return }
        if case .prepare(let statement) = command.kind { statement.preparing = nil }
        if case .failure(var error) = outcome {
            if case .prepare(let statement) = command.kind, statements[command.sql] === statement {
                statements[command.sql] = nil
            }
            // The server ends while it commits: what it wrote last is not known.
            if command.isCommit, error.code == .unavailable {
                error = PersistenceError(.outcomeUnknown, error.message)
                outcome = .failure(error)
            }
            if let request = command.request, request.failure == nil { request.failure = error }
        }
        command.recipient?.take(outcome)
    }

    // MARK: Ending

    private func watch() {
        guard !inFlight.isEmpty, ContinuousClock.now - lastAnswer > Self.answerTime else { return }
        lose(PersistenceError(.unavailable, "\(address) has not answered for \(Self.answerTime)"))
    }

    private func noticed(_ notice: OpaquePointer) {
        guard PersistenceError.isFatal(notice) else { return }
        farewell = PersistenceError(postgres: notice, address: address, sql: "")
    }

    private func broken() -> PersistenceError {
        if let farewell { return farewell }
        let message = handle.map { String(cString: PQerrorMessage($0)) } ?? ""
        let line = message.split(separator: "\n").first.map(String.init) ?? "the connection was lost"
        return PersistenceError(.unavailable, "\(address): \(line)")
    }

    private func refusal() -> PersistenceError {
        loss ?? PersistenceError(.unavailable, "\(address): the connection was lost")
    }

    /// Fails every waiter, because the connection has ended by itself.
    private func lose(_ error: PersistenceError) {
        guard handle != nil else { return }
        finish()
        loss = error
        let lost = inFlight
        inFlight.removeAll()
        for command in lost {
            let failure =
                command.isCommit
                ? PersistenceError(.outcomeUnknown, "\(error.message); the commit was under way") : error
            if let request = command.request, request.failure == nil { request.failure = failure }
            command.recipient?.take(.failure(failure))
        }
        onLoss?(error)
        onLoss = nil
    }

    /// Closes the connection, which must have no waiters.
    func close() {
        onLoss = nil
        finish()
    }

    private func finish() {
        watchdog?.close()
        watchdog = nil
        poller.stop()
        if let handle { PQfinish(handle) }
        handle = nil
    }
}

/// A statement in PostgreSQL's syntax: `?` becomes `$1`, `$2`, ….
struct PlaceholderSyntax {
    let sql: String
    let parameterCount: Int

    /// - Parameter sql: SQL with `?` for each parameter. One between quotes is a question mark.
    init(_ sql: String) {
        var converted: [UInt8] = []
        converted.reserveCapacity(sql.utf8.count + 16)
        var count = 0
        var quote: UInt8?
        for byte in sql.utf8 {
            if byte == UInt8(ascii: "?"), quote == nil {
                count += 1
                converted += "$\(count)".utf8
                continue
            }
            if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                if quote == nil { quote = byte } else if quote == byte { quote = nil }
            }
            converted.append(byte)
        }
        self.sql = String(decoding: converted, as: UTF8.self)
        parameterCount = count
    }
}

/// Values as libpq takes them: one array of bytes, and each value's place in it.
///
/// Numbers go as text, because the server decides how wide they are. Text and bytes go unchanged, with their length, so
/// that the server sees a NUL inside and refuses it instead of cutting the value off.
struct PostgresArguments {
    private var bytes: [UInt8] = []
    /// The place where a value begins. Nil is NULL.
    private var offsets: [Int?] = []
    private(set) var lengths: [CInt] = []
    private(set) var formats: [CInt] = []

    init(_ values: [SQLValue]) {
        offsets.reserveCapacity(values.count)
        lengths.reserveCapacity(values.count)
        formats.reserveCapacity(values.count)
        for value in values { append(value) }
    }

    private mutating func append(_ value: SQLValue) {
        let start = bytes.count
        switch value {
        case .null: break
        case .integer(let number): bytes += String(number).utf8
        case .real(let number): bytes += "\(number)".utf8
        case .text(let text): bytes += text.utf8
        case .blob(let blob): bytes += blob
        }
        offsets.append(value == .null ? nil : start)
        lengths.append(CInt(bytes.count - start))
        switch value {
        case .text, .blob: formats.append(1)
        default: formats.append(0)
        }
        // Numbers are read up to here.
        bytes.append(0)
    }

    /// Calls `body` with an address for each value, nil for NULL.
    func withPointers<Result>(_ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
        bytes.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { characters in
                body(offsets.map { offset in offset.map { characters.baseAddress! + $0 } })
            }
        }
    }
}
