import NIOCore

extension Call {
    /// The connection is cut after `limit`, unless what is returned is cancelled before. For waiting for the other side,
    /// but not for ever: whatever waits for a connection that is cut, throws.
    func cut(after limit: TimeAmount) -> Scheduled<Void> {
        channel.eventLoop.scheduleTask(in: limit) { [channel] in channel.close(promise: nil) }
    }
}
