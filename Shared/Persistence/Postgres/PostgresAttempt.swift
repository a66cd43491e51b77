internal import CPostgres
internal import EventLoop
internal import Foundation

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
