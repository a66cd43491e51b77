import Chaos
import Foundation
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// The server of a run that is sent notifications.
@Suite struct ChaosReceiverTests {
    /// Posts as the store does.
    /// - Returns: The status; nil without a response.
    private func post(_ url: String, _ payload: String = "a.b.c") async -> Int? {
        await HTTPNotificationForwarder().post(payload, to: url, within: .seconds(10))?.status
    }

    @Test func `a request that comes byte by byte is one request`() throws {
        let bytes = Array("POST /a HTTP/1.1\r\nHost: x\r\ncontent-length: 5\r\n\r\nhello".utf8)
        var posted = PostedBytes()
        for place in bytes.indices.dropLast() {
            let (request, isBroken) = posted.take(bytes[place..<place + 1])
            #expect(request == nil && !isBroken)
        }
        let (request, isBroken) = posted.take(bytes.suffix(1))
        #expect(request == ChaosReceiver.Request(path: "/a", body: Array("hello".utf8)) && !isBroken)
    }

    @Test(arguments: [
        "POST /a HTTP/1.1\r\nHost: x\r\n\r\n", "GET\r\n\r\n", "POST /a HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n",
    ])
    func `bytes that will never be a request end their connection`(text: String) {
        var posted = PostedBytes()
        #expect(posted.take(Array(text.utf8)[...]).isBroken)
    }

    @Test func `answers come in their steps, late ones and ends without one too`() async throws {
        let receiver = try ChaosReceiver { request in
            switch request.path {
            case "/late": .status("200 OK", after: .milliseconds(50))
            case "/refused": .status("500 Internal Server Error")
            case "/hung-up": .hangUp
            default: .status("204 No Content")
            }
        }
        defer { receiver.stop() }
        let url = "http://127.0.0.1:\(receiver.port)"
        #expect(await post("\(url)/late") == 200)
        #expect(await post("\(url)/refused") == 500)
        #expect(await post("\(url)/other") == 204)
        #expect(await post("\(url)/hung-up") == nil)
    }

    @Test func `each delivery is a line, and none is refused for ever`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("history.jsonl")
        let history = try HistoryWriter(path: path) { 0 }
        let notifications = try ChaosNotifications(seed: 7, history: history)
        defer { notifications.stop() }
        let claims = #"{"notificationType":"REFUND","notificationUUID":"u","signedDate":17,"data":{}}"#
        let encoded = Data(claims.utf8).base64EncodedString().filter { $0 != "=" }
        let url = notifications.endpoint(of: "app").url
        for _ in 1...60 { _ = await post(url, "e.\(encoded).s") }
        try history.flush()
        let lines = try HistoryReader.read(Array(try Data(contentsOf: URL(fileURLWithPath: path))), file: path)
        #expect(lines.count == 60)
        #expect(lines.allSatisfy { $0.app == "app" && $0.key == "u" && $0.detail?["type"] == "REFUND" })
        #expect(lines.allSatisfy { $0.detail?["signed"] == "17" && $0.body == lines[0].body })
        let answers = lines.compactMap { $0.detail?["answer"] }
        #expect(answers.count { ["refused", "hung-up"].contains($0) } == 2)
        #expect(answers.contains("late"))
        #expect(!notifications.isQuiet(for: .seconds(60)))
    }
}
