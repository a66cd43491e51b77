import EventLoop
import NIOCore

/// Reports that the server listens, and keeps the error of doing so: Hummingbird's callback cannot throw.
final class Listening: Sendable {
    private let tell: @Sendable (Int) throws -> Void
    private let caught = Locked<(any Error)?>(nil)

    init(_ tell: @escaping @Sendable (Int) throws -> Void) {
        self.tell = tell
    }

    var failure: (any Error)? { caught.withLock { $0 } }

    /// Reports the port; when that fails, the server is stopped again.
    func began(_ channel: any Channel) async {
        do {
            try tell(channel.localAddress?.port ?? 0)
        } catch {
            caught.withLock { $0 = error }
            channel.close(promise: nil)
        }
    }
}
