// Written by scripts/wire, which renews it: memberwise initialisers of structs that other modules create.
// swift-format-ignore-file

import BusProtocol
import EventLoop

extension BusDrainReport {
    @_disfavoredOverload
    package init(requests: borrowing Int = 0, events: Int = 0, isFlushed: Bool) {
        self.init(requests: copy requests, events: events, isFlushed: isFlushed)
    }
}

extension BusMessage {
    @_disfavoredOverload
    package init(
        subject: borrowing String, reply: String? = nil, key: String? = nil, headers: BusHeaders = [:],
        status: Int? = nil, body: [UInt8] = []
    ) {
        self.init(subject: copy subject, reply: reply, key: key, headers: headers, status: status, body: body)
    }
}
