import Glibc
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(1)), .serialized) struct SignalSourceTests {
    @Test func `a signal to the process arrives on the loop, each time`() async throws {
        try await withLoop { on in
            let events = Events<Bool>()
            let source = try SignalSource(loop: on.loop)
            let loop = on.loop
            try source.start(SIGUSR1) { events.add(loop.isCurrent) }
            for _ in 0..<3 {
                kill(getpid(), SIGUSR1)
                try await events.expect(true)
            }
            source.close()
        }
    }

    @Test func `a signal that cannot be caught is refused`() async throws {
        try await withLoop { on in
            let source = try SignalSource(loop: on.loop)
            let error = #expect(throws: UVError.self) { try source.start(SIGKILL) {} }
            #expect(error?.code == UVError.invalidArgument)
            source.close()
        }
    }

    @Test func `writing to a closed pipe is an error once broken pipes are ignored`() {
        ignoreBrokenPipe()
        var ends: [CInt] = [-1, -1]
        #expect(pipe(&ends) == 0)
        Glibc.close(ends[0])
        var byte: UInt8 = 1
        #expect(Glibc.write(ends[1], &byte, 1) == -1)
        #expect(errno == EPIPE)
        Glibc.close(ends[1])
    }
}
