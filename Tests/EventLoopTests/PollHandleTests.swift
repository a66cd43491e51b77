import Glibc
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(1))) struct PollHandleTests {
    @Test func `a pipe becomes readable when its other end writes, and reports its end`() async throws {
        try await withLoop { on in
            var ends: [CInt] = [-1, -1]
            try #require(pipe(&ends) == 0)
            let (reader, writer) = (ends[0], ends[1])
            let events = Events<PollHandle.Events>()
            let handle = try PollHandle(loop: on.loop, fileDescriptor: reader)
            try handle.start([.readable, .disconnect]) { result in
                // Level-triggered: stop until the test has read.
                handle.stop()
                if case .success(let found) = result { events.add(found) }
            }
            var byte: UInt8 = 42
            try #require(Glibc.write(writer, &byte, 1) == 1)
            let found = try await events.next()
            #expect(found.contains(.readable))
            #expect(Glibc.read(reader, &byte, 1) == 1)
            try handle.start([.readable, .disconnect]) { result in
                handle.stop()
                if case .success(let found) = result { events.add(found) }
            }
            Glibc.close(writer)
            let atEnd = try await events.next()
            #expect(!atEnd.isEmpty)
            handle.close()
            Glibc.close(reader)
        }
    }

    @Test func `what cannot be watched is refused with its descriptor`() async throws {
        try await withLoop { on in
            let error = #expect(throws: UVError.self) { try PollHandle(loop: on.loop, fileDescriptor: 9999) }
            #expect(error?.description.contains("9999") == true)
        }
    }

    @Test func `a closed handle cannot be started`() async throws {
        try await withLoop { on in
            var ends: [CInt] = [-1, -1]
            try #require(pipe(&ends) == 0)
            let handle = try PollHandle(loop: on.loop, fileDescriptor: ends[0])
            handle.close()
            #expect(throws: UVError.self) { try handle.start(.readable) { _ in } }
            for end in ends { Glibc.close(end) }
        }
    }
}
