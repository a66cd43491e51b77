import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(1))) struct TCPConnectTests {
    @Test func `a port without a listener refuses, and the error names it`() async throws {
        try await withLoop { on in
            // An address that no other test uses: the port stays free in between.
            let listener = try TCPListener.bind(loop: on.loop, host: "127.0.0.3", port: 0)
            let port = listener.localAddress.port
            listener.close()
            let error = await #expect(throws: UVError.self) {
                _ = try await TCPStream.connect(loop: on.loop, host: "127.0.0.3", port: port, timeout: .seconds(10))
            }
            #expect(error?.code == UVError.connectionRefused)
            #expect(error?.description == "connect 127.0.0.3:\(port): connection refused (ECONNREFUSED)")
        }
    }

    @Test func `an unanswered handshake ends at the timeout`() async throws {
        try await withLoop { on in
            // No process accepts and the backlog is full after a few: then the kernel drops further handshakes.
            let listener = try TCPListener.bind(loop: on.loop, host: "127.0.0.1", port: 0, backlog: 0)
            var failure: UVError?
            for _ in 0..<8 where failure == nil {
                do throws(UVError) {
                    _ = try await TCPStream.connect(
                        loop: on.loop, host: "127.0.0.1", port: listener.localAddress.port,
                        timeout: .milliseconds(100))
                } catch {
                    failure = error
                }
            }
            #expect(failure?.code == UVError.timedOut)
            listener.close()
        }
    }

    @Test func `a cancelled task gives the attempt up`() async throws {
        try await withLoop { on in
            let listener = try TCPListener.bind(loop: on.loop, host: "127.0.0.1", port: 0, backlog: 0)
            let port = listener.localAddress.port
            let failures = Events<UVError>()
            let tasks = (0..<8).map { _ in
                Task { [loop = on.loop] in
                    _ = on  // The task inherits the isolation of the actor it uses.
                    do throws(UVError) {
                        _ = try await TCPStream.connect(
                            loop: loop, host: "127.0.0.1", port: port, timeout: .seconds(3600))
                    } catch {
                        failures.add(error)
                    }
                }
            }
            for task in tasks { task.cancel() }
            let failure = try await failures.next()
            #expect(failure.code == UVError.cancelled)
            for task in tasks { await task.value }
            listener.close()
        }
    }

    @Test func `a name that does not resolve is named`() async throws {
        try await withLoop { on in
            // A label of 64 characters is refused by the resolver itself, without asking any server.
            let host = String(repeating: "x", count: 64) + ".invalid"
            let error = await #expect(throws: UVError.self) {
                _ = try await TCPStream.connect(loop: on.loop, host: host, port: 1, timeout: .seconds(30))
            }
            #expect(error?.operation == "resolve \(host)")
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost", "127.1"])
    func `numeric hosts, localhost and what only the resolver understands connect`(host: String) async throws {
        try await withLoop { on in
            let listener = try TCPListener.bind(loop: on.loop, host: "127.0.0.1", port: 0)
            let stream = try await TCPStream.connect(
                loop: on.loop, host: host, port: listener.localAddress.port, timeout: .seconds(30))
            #expect(stream.remoteAddress == listener.localAddress)
            stream.close()
        }
    }

    @Test(arguments: [-1, 65536])
    func `a port out of range is refused`(port: Int) async throws {
        try await withLoop { on in
            let error = await #expect(throws: UVError.self) {
                _ = try await TCPStream.connect(loop: on.loop, host: "127.0.0.1", port: port, timeout: .seconds(1))
            }
            #expect(error?.code == UVError.invalidArgument)
        }
    }

    @Test func `closing the loop ends an attempt under way`() async throws {
        let loop = try UVLoop.start(name: "attempt")
        let failures = Events<UVError?>()
        try await LoopActor(loop).run { on in
            let listener = try TCPListener.bind(loop: on.loop, host: "127.0.0.1", port: 0, backlog: 0)
            for _ in 0..<8 {
                TCPStream.connect(
                    loop: on.loop, host: "127.0.0.1", port: listener.localAddress.port, timeout: .seconds(3600)
                ) { result in
                    switch result {
                    case .success: failures.add(nil)
                    case .failure(let error): failures.add(error)
                    }
                }
            }
        }
        await loop.close()
        var codes: [CInt?] = []
        for _ in 0..<8 { codes.append(try await failures.next()?.code) }
        #expect(codes.contains(UVError.cancelled))
    }
}
