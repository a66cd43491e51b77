import EventLoop
import Logging

/// Sends bytes over loopback and collects what comes back until the peer closes.
actor RawClient {
    nonisolated let loop: UVLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private var streams: [TCPStream] = []

    init(loop: UVLoop) { self.loop = loop }

    static func exchange(port: Int, _ text: String) async throws -> String {
        let loop = try UVLoop.start(name: "client")
        let answer = try await RawClient(loop: loop).exchange(port: port, Array(text.utf8))
        await loop.close()
        return answer
    }

    /// Connects and says nothing.
    func open(port: Int) async throws {
        streams.append(try await TCPStream.connect(loop: loop, host: "127.0.0.1", port: port, timeout: .seconds(5)))
    }

    private func exchange(port: Int, _ bytes: [UInt8]) async throws -> String {
        let stream = try await TCPStream.connect(loop: loop, host: "127.0.0.1", port: port, timeout: .seconds(5))
        return await withCheckedContinuation { continuation in
            var received: [UInt8] = []
            stream.onRead = { received.append(contentsOf: $0) }
            stream.onClose = { _ in continuation.resume(returning: String(decoding: received, as: UTF8.self)) }
            stream.startReading()
            stream.write(bytes)
        }
    }
}

let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
