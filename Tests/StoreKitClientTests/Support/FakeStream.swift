import StoreModels

@testable import StoreKitClient

/// The store's side of an observer's stream. What is sent before the observer is there is kept for it.
final class FakeStream: Sendable {
    private struct State {
        var connection: FakeConnection?
        var kept: [UInt8] = []
        var isClosed = false
    }

    private let state = LockedValue(State())

    /// Whether the observer, or the test, has closed it.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Takes a connection over until it closes. Blocks.
    func serve(_ connection: FakeConnection) {
        connection.write(
            Array("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n".utf8))
        let isClosed = state.withLock { state in
            state.connection = connection
            connection.write(state.kept)
            return state.isClosed
        }
        if !isClosed { connection.waitForClose() }
        state.withLock { $0.isClosed = true }
        connection.shut()
    }

    func send(_ name: String, _ data: some Encodable) {
        let body = (try? StoreJSON.encode(data)) ?? []
        send(bytes: Array("event: \(name)\nid: 1\ndata: ".utf8) + body + Array("\n\n".utf8))
    }

    func send(bytes: [UInt8]) {
        write(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8))
    }

    /// Ends it in good order.
    func end() {
        write(Array("0\r\n\r\n".utf8))
        cut()
    }

    /// Breaks it.
    func cut() {
        state.withLock { state in
            state.isClosed = true
            state.connection?.shut()
        }
    }

    private func write(_ bytes: [UInt8]) {
        state.withLock { state in
            if let connection = state.connection { connection.write(bytes) } else { state.kept += bytes }
        }
    }
}

extension FakeStream {
    private struct Transactions: Encodable {
        var seq = 1
        var transactions: [PaymentTransaction]
    }

    private struct Downloads: Encodable {
        var seq = 1
        var downloads: [Download]
    }

    /// A stream that begins as the store's do: everything unfinished, then `synchronized`.
    static func beginning(with unfinished: [PaymentTransaction] = []) -> FakeStream {
        let stream = FakeStream()
        stream.updated(unfinished)
        stream.send("synchronized", ["seq": 1])
        return stream
    }

    func updated(_ transactions: [PaymentTransaction]) {
        send("updatedTransactions", Transactions(transactions: transactions))
    }

    func removed(_ transactions: [PaymentTransaction]) {
        send("removedTransactions", Transactions(transactions: transactions))
    }

    func updated(_ downloads: [Download]) { send("updatedDownloads", Downloads(downloads: downloads)) }
}
