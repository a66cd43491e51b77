internal import CPostgres
internal import EventLoop
internal import FoundationEssentials
import Glibc

/// An attempt to connect to PostgreSQL.
///
/// `@unchecked Sendable`: a reference to it travels with a continuation, but its state is touched on the loop only.
final class PostgresAttempt: @unchecked Sendable {
    /// Gets nil when the socket is ready.
    typealias Waiter = UnsafeContinuation<PersistenceError?, Never>

    enum Step {
        case connected(PostgresHandle)
        case waits(PollHandle.Events)
        case failed(PersistenceError)
    }

    private let handle: PostgresHandle
    private let location: PostgresLocation
    private let poller: PostgresPoller
    private let timer: LoopTimer
    private var hasBegun = false

    /// - Throws: `unavailable` if no memory is left for it.
    init(_ location: PostgresLocation, applicationName: String, loop: UVLoop) throws(PersistenceError) {
        let parameters = location.parameters(applicationName: applicationName)
        guard let pointer = Self.begin(parameters) else {
            throw PersistenceError(.unavailable, "\(location.address): no memory for a connection")
        }
        handle = PostgresHandle(pointer: pointer)
        PostgresRefusal.askForCodes(pointer)
        self.location = location
        poller = PostgresPoller(loop: loop)
        timer = LoopTimer(loop: loop)
    }

    private static func begin(_ parameters: [(String, String)]) -> OpaquePointer? {
        let keywords = parameters.map { UnsafePointer(strdup($0.0)) } + [nil]
        let values = parameters.map { UnsafePointer(strdup($0.1)) } + [nil]
        defer { for text in keywords + values { free(UnsafeMutableRawPointer(mutating: text)) } }
        return PQconnectStartParams(keywords, values, 1)
    }

    /// Lets libpq continue as far as it can without waiting.
    func step() -> Step {
        var status = PQstatus(handle.pointer) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
        if hasBegun { status = PQconnectPoll(handle.pointer) }
        hasBegun = true
        switch status {
        case PGRES_POLLING_OK:
            timer.close()
            PQsetErrorVerbosity(handle.pointer, PQERRORS_DEFAULT)
            return .connected(handle)
        case PGRES_POLLING_READING: return .waits(.readable)
        case PGRES_POLLING_WRITING: return .waits(.writable)
        default:
            let failure = failure()
            giveUp()
            return .failed(failure)
        }
    }

    /// Resumes `waiter` when the socket is ready, or with the error.
    func wait(for events: PollHandle.Events, until deadline: ContinuousClock.Instant, _ waiter: Waiter) {
        timer.start(after: max(.zero, deadline - .now)) { [poller, location] in
            poller.stop()
            waiter.resume(
                returning: PersistenceError(
                    .unavailable, "PostgreSQL at \(location.address) does not answer; is it the right address?"))
        }
        do throws(UVError) {
            try poller.wait(for: events, of: handle.pointer) { [poller, timer] _ in
                // libpq may close this socket in its next step, and take another one.
                poller.stop()
                timer.stop()
                waiter.resume(returning: nil)
            }
        } catch {
            timer.stop()
            waiter.resume(returning: PersistenceError(.unavailable, "\(location.address): \(error)"))
        }
    }

    func giveUp() {
        poller.stop()
        timer.close()
        PQfinish(handle.pointer)
    }

    /// Translates a failed attempt. Every failure is a server that is away, except PostgreSQL's refusals by code.
    private func failure() -> PersistenceError {
        let refusal = PostgresRefusal(String(cString: PQerrorMessage(handle.pointer)))
        let text = "PostgreSQL at \(location.address): \(refusal.text)"
        if refusal.isFinal || PQconnectionNeedsPassword(handle.pointer) == 1 {
            return PersistenceError(.cannotOpen, "\(text); check DATABASE_URL and DATABASE_PASSWORD_FILE")
        }
        return PersistenceError(.unavailable, "\(text); check DATABASE_URL, or start the server")
    }
}

/// libpq's connection object.
///
/// `@unchecked Sendable`: it is handed from the attempt to the connection, which alone uses it then.
struct PostgresHandle: @unchecked Sendable {
    let pointer: OpaquePointer
}

/// PostgreSQL's, or libpq's, reason for refusing a connection.
///
/// A refused connection has no result, so its SQLSTATE is read from the message, where its position is the same in each
/// language the server may speak: `FATAL:  28P01: password authentication failed for user "shop"`.
struct PostgresRefusal {
    /// The server's code. Nil for libpq's own failure, because the server was not reached.
    let sqlState: String?
    /// For people: the lines without libpq's advice and the server's source lines.
    let text: String

    /// Has libpq write the SQLSTATE into the message of a connection that fails.
    static func askForCodes(_ connection: OpaquePointer) {
        PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
    }

    /// - Parameter message: A message of libpq's for a connection that ``askForCodes(_:)`` was called for.
    init(_ message: String) {
        let lines = message.split(separator: "\n")
        // Of several hosts the one tried last decides: libpq tries the next one only when a host is away.
        let last = lines.lastIndex { Self.code(in: $0) != nil }
        sqlState = last.flatMap { Self.code(in: lines[$0]) }
        // The line with the code is followed by advice and the place in the server's source.
        let told = last.map { lines[...$0] } ?? lines[...]
        // Lines behind a tab are advice for readers of psql.
        text = told.filter { !$0.hasPrefix("\t") }.joined(separator: "; ")
    }

    /// Whether asking again cannot help: credentials, a role or a database that the server refuses.
    var isFinal: Bool {
        guard let sqlState else { return false }
        // 28: authorization, the role too. 3D000: no such database. 42501: the role may not connect to it.
        return sqlState.hasPrefix("28") || sqlState == "3D000" || sqlState == "42501"
    }

    /// The SQLSTATE of a line: five capitals or digits between `:  ` and `: `.
    private static func code(in line: Substring) -> String? {
        let bytes = Array(line.utf8)
        guard bytes.count >= 10 else { return nil }
        for start in 0...(bytes.count - 10) where bytes[start...].starts(with: ":  ".utf8) {
            let code = bytes[(start + 3)..<(start + 8)]
            let isCode = code.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
            if isCode, bytes[(start + 8)...].starts(with: ": ".utf8) { return String(decoding: code, as: UTF8.self) }
        }
        return nil
    }
}
