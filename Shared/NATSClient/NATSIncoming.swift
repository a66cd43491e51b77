import BusClient
import BusProtocol
internal import CNATS
import Glibc

/// The input that libnats's delivery thread hands to the loop, in order of arrival.
enum NATSIncoming: Sendable {
    case message(sid: Int, BusMessage)
    /// The subscription has ended, and everything for it has come before this.
    case ended(sid: Int)
    /// A flush is done. All earlier messages of the server have come before. Carries its failure, and the server's last
    /// refusal.
    case flushed(number: Int, failure: BusError?, refusal: String?)

    /// Bytes it counts for while it waits for the loop.
    var size: Int {
        if case .message(_, let message) = self { message.body.count } else { 0 }
    }
}

extension BusMessage {
    /// Copies a message of libnats. The caller keeps owning the original.
    init(copying message: OpaquePointer) {
        self.init(subject: String(cString: natsMsg_GetSubject(message)), headers: Self.headers(of: message))
        reply = natsMsg_GetReply(message).map { String(cString: $0) }
        if natsMsg_IsNoResponders(message) { status = 503 }
        let count = Int(natsMsg_GetDataLength(message))
        guard count > 0, let data = natsMsg_GetData(message) else { return }
        body = Array(UnsafeRawBufferPointer(start: data, count: count))
    }

    /// The first value of each header. Headers that libnats cannot read count as none.
    private static func headers(of message: OpaquePointer) -> BusHeaders {
        var names: UnsafeMutablePointer<UnsafePointer<CChar>?>?
        var count: Int32 = 0
        guard natsMsgHeader_Keys(message, &names, &count) == NATS_OK, let names else { return [:] }
        // The list is owned here, the texts in it belong to the message.
        defer { free(names) }
        var headers: BusHeaders = [:]
        for index in 0..<Int(count) {
            var value: UnsafePointer<CChar>?
            guard let name = names[index], natsMsgHeader_Get(message, name, &value) == NATS_OK, let value else {
                continue
            }
            headers[String(cString: name)] = String(cString: value)
        }
        return headers
    }
}
