import Glibc
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(1))) struct TCPListenerTests {
    @Test func `port 0 reports the real port`() async throws {
        try await withLoop { on in
            let listener = try TCPListener.bind(loop: on.loop, host: "localhost", port: 0)
            #expect(listener.localAddress.host == "127.0.0.1")
            #expect(listener.localAddress.port > 0)
        }
    }

    @Test func `an address in use is named`() async throws {
        try await withLoop { on in
            let first = try TCPListener.bind(loop: on.loop, host: "127.0.0.2", port: 0)
            let port = first.localAddress.port
            let error = #expect(throws: UVError.self) {
                try TCPListener.bind(loop: on.loop, host: "127.0.0.2", port: port)
            }
            #expect(error?.code == UVError.addressInUse)
            #expect(error?.description == "listen on 127.0.0.2:\(port): address already in use (EADDRINUSE)")
            first.close()
        }
    }

    @Test func `the port is free as soon as close has returned`() async throws {
        try await withLoop { on in
            // Any process of this machine may take a port between the two lines, but not each of twenty.
            let wereFree = (0..<20).contains { _ in
                guard let first = try? TCPListener.bind(loop: on.loop, host: "127.0.0.2", port: 0) else { return false }
                first.close()
                let again = try? TCPListener.bind(
                    loop: on.loop, host: "127.0.0.2", port: first.localAddress.port)
                again?.close()
                return again != nil
            }
            #expect(wereFree)
        }
    }

    @Test func `a name is no address, unless it is resolved first`() async throws {
        try await withLoop { on in
            let error = #expect(throws: UVError.self) {
                try TCPListener.bind(loop: on.loop, host: "127.1", port: 0)
            }
            #expect(error?.code == UVError.invalidArgument)
            let listener = try await TCPListener.bind(loop: on.loop, resolving: "127.1", port: 0)
            #expect(listener.localAddress.host == "127.0.0.1")
        }
    }

    @Test func `an address of no interface is refused`() async throws {
        try await withLoop { on in
            let error = #expect(throws: UVError.self) {
                try TCPListener.bind(loop: on.loop, host: "192.0.2.1", port: 0)
            }
            #expect(error?.code == UVError.addressNotAvailable)
        }
    }

    @Test func `two hundred clients at once are all served`() async throws {
        try await withLoop { on in
            let listener = try TCPListener.bind(loop: on.loop, host: "127.0.0.1", port: 0)
            try listener.listen { stream in
                stream.onRead = { stream.write(contentsOf: $0) }
                stream.startReading()
            }
            let answers = Events<UInt8>()
            for number in 0..<200 {
                let client = try await TCPStream.connect(
                    loop: on.loop, host: "127.0.0.1", port: listener.localAddress.port, timeout: .seconds(10))
                client.onRead = { answers.add($0[0]) }
                client.startReading()
                client.write([UInt8(number)])
            }
            var seen: Set<UInt8> = []
            while seen.count < 200 { seen.insert(try await answers.next()) }
            #expect(listener.accepted == 200)
        }
    }

    @Test func `accepted streams outlive the listener`() async throws {
        try await withLoop { on in
            let pair = try await StreamPair.make(on: on)
            pair.listener.close()
            pair.listener.close()
            let bytes = Events<[UInt8]>()
            pair.server.onRead = { bytes.add(Array($0)) }
            pair.server.startReading()
            pair.client.write([5])
            try await bytes.expect([5])
        }
    }

    @Test func `without descriptors it waits instead of spinning, and then goes on`() async throws {
        // In a process of its own, since the limit is the process's.
        await #expect(processExitsWith: .success) {
            try await withLoop("descriptors") { on in
                let listener = try TCPListener.bind(loop: on.loop, host: "127.0.0.1", port: 0)
                let accepted = Events<Void>()
                try listener.listen { _ in accepted.add(()) }
                // A first connection makes libuv and the runtime open what they need.
                let address = (listener.localAddress.host, listener.localAddress.port)
                _ = try await TCPStream.connect(
                    loop: on.loop, host: address.0, port: address.1, timeout: .seconds(10))
                try await accepted.next()
                // The client gets the last descriptor, so that none is left for the server's side.
                let fillers = try Descriptors.exhaust(leaving: 1)
                let client = try await TCPStream.connect(
                    loop: on.loop, host: address.0, port: address.1, timeout: .seconds(10))
                let start = on.loop.uptime()
                while listener.acceptPauses < 3 { try await on.loop.sleep(for: .milliseconds(10)) }
                precondition(on.loop.uptime() - start >= .milliseconds(150), "it did not wait between attempts")
                precondition(listener.accepted == 1)
                fillers.release()
                try await accepted.next()
                precondition(listener.accepted == 2)
                client.close()
            }
        }
    }
}

/// Descriptors held to use up the process's limit.
private struct Descriptors {
    let held: [CInt]

    static func exhaust(leaving free: Int) throws -> Descriptors {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = 128
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var held: [CInt] = []
        while case let descriptor = dup(0), descriptor >= 0 { held.append(descriptor) }
        for _ in 0..<free { if let last = held.popLast() { Glibc.close(last) } }
        return Descriptors(held: held)
    }

    func release() { for descriptor in held { Glibc.close(descriptor) } }
}
