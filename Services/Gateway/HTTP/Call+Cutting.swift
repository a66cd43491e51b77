import NIOCore

extension Call {
    /// Cuts the connection after `limit`, unless the returned task is cancelled earlier. It bounds a wait for the other
    /// side: every read or write of a cut connection throws.
    func cut(after limit: TimeAmount) -> Scheduled<Void> {
        channel.eventLoop.scheduleTask(in: limit) { [channel] in channel.close(promise: nil) }
    }
}
