import BusProtocol
import EventLoop
import Logging
import Synchronization

/// The client of Storebus's own broker: SBP/1 over one TCP connection on a libuv loop.
///
/// ```swift
/// let bus = SBPClient(configuration: .init(url: url, name: "catalog"), loop: loop, logger: logger)
/// bus.start()                                   // connects, and again after every loss, until `close` or `drain`
/// let reply = try await bus.request("sb.catalog.v1.products.get", body: body)
/// ```
/// Requests share one private inbox subscription, made anew on each connection. Must be closed before its loop.
package final class SBPClient: LoopClient {
    package let connection: SBPConnection
    package let broadcast = StateBroadcast()
    package let eventLoop: UVLoop
    package let logger: Logger
    private let numbers = Atomic<UInt64>(UInt64(BusClientCore.inboxSid))

    /// Creates a client, which ``start()`` connects.
    package init(configuration: Configuration, loop: UVLoop, logger: Logger) {
        eventLoop = loop
        self.logger = logger
        connection = SBPConnection(configuration, loop: loop, broadcast: broadcast, logger: logger)
    }

    /// Every capability there is.
    package var capabilities: Set<BusCapability> { Set(BusCapability.allCases) }

    package func request(
        _ subject: String, body: [UInt8], headers: BusHeaders, key: String?, timeout: Duration
    ) async throws(BusError) -> BusMessage {
        let message = PubMessage(subject: try Self.subject(subject), key: key, headers: headers, body: body)
        return try await exchange(message, timeout) { .one($0) }.get()
    }

    package func requestMany(
        _ subject: String, body: [UInt8], headers: BusHeaders, max: Int, timeout: Duration
    ) async throws(BusError) -> [BusMessage] {
        let message = PubMessage(subject: try Self.subject(subject), headers: headers, body: body)
        return try await exchange(message, timeout) { .many($0, max: max, replies: []) }.get()
    }

    package func publish(
        _ subject: String, body: [UInt8], headers: BusHeaders, reply: String?, key: String?
    ) throws(BusError) {
        try publish(Self.frame(subject, body: body, headers: headers, reply: reply, key: key), to: subject)
    }

    package func nextNumber() -> UInt64 { numbers.wrappingAdd(1, ordering: .relaxed).newValue }

    private static func subject(_ text: String) throws(BusError) -> Subject {
        do throws(BusViolation) {
            return try Subject(text)
        } catch {
            throw BusError(error)
        }
    }

    private static func frame(
        _ subject: String, body: [UInt8], headers: BusHeaders, reply: String?, key: String?
    ) throws(BusError) -> [UInt8] {
        do throws(BusViolation) {
            var replySubject: Subject?
            if let reply { replySubject = try Subject(reply) }
            var frame: [UInt8] = []
            try PubMessage(subject: try Subject(subject), reply: replySubject, key: key, headers: headers, body: body)
                .encode(into: &frame)
            return frame
        } catch {
            throw BusError(error)
        }
    }
}
