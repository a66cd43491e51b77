import BusProtocol

/// A message as it was delivered: an event, a request or a reply. A request has `reply`.
package struct BusMessage: Sendable, Equatable {
    /// The subject it was published to.
    package var subject: String
    /// The subject for an answer. Nil when none is wanted.
    package var reply: String?
    /// The affinity key it was published with.
    package var key: String?
    /// The headers as published. Empty for a message without headers.
    package var headers: BusHeaders = [:]
    /// The broker's answer in place of a reply. Nil on messages of clients. 503 means that the subject has no
    /// subscriber, 429 that every subscriber is overloaded, and 502 that the member that took the request has gone.
    /// Clients turn it into errors, so requests never return a message with a status.
    package var status: Int?
    /// Byte for byte as published. JSON unless `Content-Type` says otherwise.
    package var body: [UInt8] = []
}

extension BusMessage {
    /// The message as clients send it in SBP/1, whose rules hold on every bus.
    /// - Throws: `invalidSubject`.
    package func pub() throws(BusError) -> PubMessage {
        do throws(BusViolation) {
            var replySubject: Subject?
            if let reply { replySubject = try Subject(reply) }
            return PubMessage(
                subject: try Subject(subject), reply: replySubject, key: key, headers: headers, body: body)
        } catch {
            throw BusError(error)
        }
    }

    /// The frame of ``pub()``.
    /// - Throws: `invalidSubject`, `invalidMessage`, `payloadTooLarge`.
    package func frame() throws(BusError) -> [UInt8] {
        let message = try pub()
        do throws(BusViolation) {
            var frame: [UInt8] = []
            try message.encode(into: &frame)
            return frame
        } catch {
            throw BusError(error)
        }
    }
}
