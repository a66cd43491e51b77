import CProcess
import EventLoop
import Glibc

/// Connections of broken clients to the gateway, for the length of a fault.
///
/// Some pipeline requests and read nothing, some send half a head or half a body, and some send nothing at all.
final class HostileClients: Sendable {
    private struct Peer {
        var descriptor: Int32
        var output: [UInt8]
    }

    private let peers: Locked<[Peer]>
    private let pushing: Locked<Task<Void, Never>?>

    /// Connections of each kind. Two that pipeline shut a gateway when each of their requests had a place.
    private static let pipelining = 2, halfHeads = 64, halfBodies = 640, idle = 32
    private static let pipelined = 2_000
    private static let descriptorsMax: UInt64 = 8_192
    /// Bytes that the system keeps of unread answers. With more, the gateway would not notice.
    private static let receives: Int32 = 4_096
    private static let pause = Duration.milliseconds(20)

    /// Connects to a port of this machine.
    init(port: Int) {
        // More than the usual limit of a process.
        _ = storebus_limit_files(getpid(), Self.descriptorsMax)
        let query = "GET /openapi.json HTTP/1.1\r\nHost: hostile\r\n\r\n"
        let half = "POST /v1/sessions HTTP/1.1\r\nHost: hostile\r\nContent-Type: application/json\r\n"
        let outputs =
            Array(repeating: String(repeating: query, count: Self.pipelined), count: Self.pipelining)
            + Array(repeating: half, count: Self.halfHeads)
            + Array(repeating: half + "Content-Length: 1000\r\n\r\n{", count: Self.halfBodies)
            + Array(repeating: "", count: Self.idle)
        peers = Locked(
            outputs.compactMap { output in
                LoopbackSocket.connect(to: port, receives: Self.receives).map {
                    Peer(descriptor: $0, output: Array(output.utf8))
                }
            })
        pushing = Locked(nil)
        let task = Task { [peers] in
            while !Task.isCancelled {
                Self.push(peers)
                try? await ContinuousClock().sleep(for: Self.pause)
            }
        }
        pushing.withLock { $0 = task }
    }

    /// Sends as many bytes as the gateway takes.
    private static func push(_ peers: Locked<[Peer]>) {
        peers.withLock { peers in
            for index in peers.indices where !peers[index].output.isEmpty {
                let output = peers[index].output
                let count = send(peers[index].descriptor, output, output.count, Int32(MSG_NOSIGNAL))
                if count > 0 { peers[index].output.removeFirst(count) }
                if count < 0, errno != EAGAIN, errno != EINTR, errno != ENOTCONN, errno != EINPROGRESS {
                    peers[index].output = []
                }
            }
        }
    }

    /// Ends every connection.
    func stop() async {
        let task = pushing.withLock { $0 }
        task?.cancel()
        await task?.value
        peers.withLock { peers in
            for one in peers { close(one.descriptor) }
            peers = []
        }
    }
}
