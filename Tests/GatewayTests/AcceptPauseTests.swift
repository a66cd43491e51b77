import EventLoop
import Glibc
import Logging
import NIOCore
import NIOPosix
import Operations
import StorebusTesting
import Testing

@testable import GatewayEdge

/// At the limit of descriptors.
@Suite struct AcceptPauseTests {
    @Test func `without descriptors the gateway waits instead of spinning, and then goes on`() async throws {
        // In a process of its own, since the limit is the process's.
        await #expect(processExitsWith: .success) {
            let (accepted, pauses) = (Count(), Count())
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let channel = try await ServerBootstrap(group: group).childChannelInitializer { channel in
                accepted.add()
                return channel.eventLoop.makeSucceededVoidFuture()
            }.bind(host: "127.0.0.1", port: 0).get()
            try await channel.eventLoop.submit {
                try channel.pipeline.syncOperations.addHandler(
                    AcceptPause(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) { pauses.add() },
                    position: .first)
            }.get()
            let port = UInt16(channel.localAddress?.port ?? 0)
            // A first timer and a first connection make the runtime open what it needs; without a descriptor it ends
            // the process.
            try await Task.sleep(for: .milliseconds(1))
            _ = connect(to: port)
            try await eventually("the first is accepted") { accepted.value == 1 }
            // The client gets the last descriptor, so that none is left for the server's side. The system's pool of
            // threads looks after itself each second while tasks wait for it; it opens a file for that, and ends the
            // process if it cannot. So this thread waits by itself, and no task waits for the pool.
            let fillers = exhaust(leaving: 1)
            _ = connect(to: port)
            let start = ContinuousClock.now
            while pauses.value < 3, ContinuousClock.now - start < .seconds(60) { usleep(5_000) }
            precondition(pauses.value >= 3, "it did not try again")
            precondition(ContinuousClock.now - start >= .milliseconds(150), "it did not wait between attempts")
            precondition(accepted.value == 1)
            for descriptor in fillers { close(descriptor) }
            try await eventually("the second is accepted") { accepted.value == 2 }
        }
    }

    @Test func `connections leave descriptors for everything else`() {
        #expect(DescriptorLimit.connections(of: 24_096, limit: 1_048_576) == 24_096)
        #expect(DescriptorLimit.connections(of: 24_096, limit: 20_000) == 20_000 - DescriptorLimit.spare)
        #expect(DescriptorLimit.connections(of: 24_096, limit: 120) == 120 - DescriptorLimit.spare)
        #expect(DescriptorLimit.connections(of: 24_096, limit: 32) == DescriptorLimit.connectionsMin)
    }
}

private final class Count: Sendable {
    private let count = Locked(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
}

private func connect(to port: UInt16) -> CInt {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    precondition(result == 0, "the kernel takes the connection whatever the process can")
    return descriptor
}

/// Uses up the process's descriptors, but for `free`.
private func exhaust(leaving free: Int) -> [CInt] {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = 128
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var held: [CInt] = []
    while case let descriptor = dup(0), descriptor >= 0 { held.append(descriptor) }
    for _ in 0..<free { if let last = held.popLast() { close(last) } }
    return held
}
