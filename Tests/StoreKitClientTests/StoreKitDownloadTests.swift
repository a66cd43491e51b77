import Foundation
import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

/// Goal: hosted content ends as a whole, right file, after any interruption (M47, M48, M55).
@Suite struct StoreKitDownloadTests {
    private struct Observed {
        let gateway: FakeGateway
        let content: FakeContent
        let queue: SKPaymentQueue
        let observer = RecordingObserver()

        init(_ content: FakeContent, in directory: TemporaryDirectory) async throws {
            let gateway = try FakeGateway()
            content.serve(on: gateway)
            (self.gateway, self.content) = (gateway, content)
            queue = gateway.queue { connection, _ in
                connection.contentDirectory = URL(fileURLWithPath: directory.path, isDirectory: true)
            }
            queue.add(observer)
            let observer = observer
            try await eventually("the transaction is told") { !observer.transactions.isEmpty }
        }

        var download: SKDownload {
            get throws { try #require(observer.transactions.first?.downloads.first) }
        }

        /// The download's states that the observer got, each once.
        var states: [SKDownloadState] {
            observer.calls.reduce(into: []) { states, call in
                guard case .downloads(let told) = call else { return }
                for state in told where states.last != state { states.append(state) }
            }
        }

        func waitFor(_ state: SKDownloadState) async throws {
            let observer = observer
            try await eventually("the download is \(state)") { observer.calls.contains(.downloads([state])) }
        }

        func expectWhole() throws {
            let url = try #require(try download.contentURL)
            #expect(try Data(contentsOf: url) == Data(content.bytes))
        }
    }

    @Test func `M25, M47, M48: waiting, active, finished, with progress from 0 to 1 and a usable file`() async throws {
        let directory = try TemporaryDirectory()
        let shop = try await Observed(FakeContent(count: 400_000), in: directory)
        let download = try shop.download
        #expect(download.state == .waiting && download.progress == 0 && download.contentURL == nil)
        #expect(download.timeRemaining == SKDownloadTimeRemainingUnknown)
        #expect(download.contentIdentifier == "com.example.guide" && download.contentVersion == "1.0")
        #expect(download.contentLength == 400_000 && download.expectedContentLength == 400_000)
        #expect(download.transaction == shop.observer.transactions.first)
        shop.queue.start([download])
        try await shop.waitFor(.finished)
        #expect(shop.states.last == .finished && download.progress == 1 && download.timeRemaining == 0)
        try shop.expectWhole()
        // 64 KiB a part.
        #expect(shop.gateway.requests("GET /v1/downloads/d1/content").count == 7)
        #expect(shop.observer.downloads.allSatisfy { $0 === download })
    }

    @Test func `a content of no bytes is finished, too`() async throws {
        let directory = try TemporaryDirectory()
        let shop = try await Observed(FakeContent(count: 0), in: directory)
        shop.queue.start([try shop.download])
        try await shop.waitFor(.finished)
        try shop.expectWhole()
    }

    @Test func `a transfer that breaks goes on where it broke`() async throws {
        let directory = try TemporaryDirectory()
        let content = FakeContent(count: 300_000)
        let shop = try await Observed(content, in: directory)
        content.fail(next: [.drop, .problem(.serviceUnavailable), .drop])
        shop.queue.start([try shop.download])
        try await shop.waitFor(.finished)
        try shop.expectWhole()
        #expect(shop.gateway.requests("GET /v1/downloads/d1/content").count == 3 + 5)
    }

    /// Leaves what an ended process has fetched: 200,000 bytes.
    private func leavePart(of content: FakeContent, in directory: TemporaryDirectory) throws {
        let file = ContentFile(
            directory: URL(fileURLWithPath: directory.path), downloadId: "d1", contentIdentifier: "com.example.guide",
            contentVersion: "1.0")
        _ = try file.received()
        try file.append(Array(content.bytes[..<200_000]), etag: "\"one\"")
    }

    @Test func `what an ended process has fetched is not fetched again`() async throws {
        let directory = try TemporaryDirectory()
        let content = FakeContent(count: 300_000)
        try leavePart(of: content, in: directory)
        let shop = try await Observed(content, in: directory)
        shop.queue.start([try shop.download])
        try await shop.waitFor(.finished)
        try shop.expectWhole()
        let ranges = shop.gateway.requests("GET /v1/downloads/d1/content").compactMap { $0.headers["range"] }
        #expect(ranges == ["bytes=200000-265535", "bytes=265536-299999"])
        // The next run of the app finds it where it lies.
        shop.queue.remove(shop.observer)
        let next = try await Observed(FakeContent(count: 300_000, state: .finished), in: directory)
        #expect(try next.download.state == .finished)
        try next.expectWhole()
    }

    @Test func `two contents are never mixed: other bytes begin anew`() async throws {
        let directory = try TemporaryDirectory()
        let content = FakeContent(count: 300_000)
        try leavePart(of: content, in: directory)
        content.replace()
        let shop = try await Observed(content, in: directory)
        shop.queue.start([try shop.download])
        try await shop.waitFor(.finished)
        try shop.expectWhole()
    }

    @Test func `paused, it stops; resumed, it goes on; what the state does not allow changes nothing`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let content = FakeContent(count: 300_000)
        let shop = try await Observed(content, in: directory)
        let download = try shop.download
        shop.queue.pause([download])
        try await eventually("the store has refused") {
            shop.gateway.requests("POST /v1/downloads/d1/pause").count == 1
        }
        content.fail(next: [.silence])
        shop.queue.start([download])
        try await eventually("it waits for bytes") { shop.gateway.requests("GET /v1/downloads/d1/content").count == 1 }
        try await shop.waitFor(.active)
        shop.queue.pause([download])
        try await shop.waitFor(.paused)
        #expect(download.error == nil)
        shop.queue.resume([download])
        try await shop.waitFor(.finished)
        try shop.expectWhole()
        #expect(content.states == [.active, .paused, .active, .finished])
        // The object is live: a quick transfer may have ended when the observer hears that it goes on.
        #expect(shop.states.starts(with: [.active, .paused]) && shop.states.last == .finished)
    }

    @Test func `cancelled, it ends for good and leaves no file`() async throws {
        let directory = try TemporaryDirectory()
        let content = FakeContent(count: 300_000)
        let shop = try await Observed(content, in: directory)
        let download = try shop.download
        content.fail(next: [.drop, .silence])
        shop.queue.start([download])
        try await eventually("it waits for bytes") { shop.gateway.requests("GET /v1/downloads/d1/content").count == 2 }
        shop.queue.cancel([download])
        try await shop.waitFor(.cancelled)
        #expect(download.contentURL == nil)
        try await eventually("nothing is left") {
            try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty
        }
        shop.queue.start([download])
        try await eventually("the store has refused") {
            shop.gateway.requests("POST /v1/downloads/d1/start").count == 2
        }
        #expect(download.state == .cancelled)
    }

    @Test func `a store that does not give the bytes is a failed download, and starting it again tries again`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let content = FakeContent(count: 1000)
        let shop = try await Observed(content, in: directory)
        let download = try shop.download
        content.fail(next: [.problem(.notFound)])
        shop.queue.start([download])
        try await shop.waitFor(.failed)
        #expect(download.state == .failed && (download.error as? SKError)?.code == .unknown)
        shop.queue.start([download])
        try await shop.waitFor(.finished)
        #expect(download.error == nil)
        try shop.expectWhole()
    }

    @Test func `M54: with the transaction the download is over`() async throws {
        let directory = try TemporaryDirectory()
        let content = FakeContent(count: 300_000)
        let shop = try await Observed(content, in: directory)
        shop.gateway.on("POST /v1/transactions/*/finish") { _ in .json([String: String]()) }
        content.fail(next: [.silence])
        shop.queue.start([try shop.download])
        try await eventually("it waits for bytes") { shop.gateway.requests("GET /v1/downloads/d1/content").count == 1 }
        shop.queue.finishTransaction(try #require(shop.observer.transactions.first))
        try await eventually("it is removed") { shop.observer.calls.contains(.removed(1)) }
        #expect(shop.gateway.requests("POST /v1/downloads/d1/finish").isEmpty)
        #expect(shop.gateway.requests("POST /v1/downloads/d1/fail").isEmpty)
    }

    @Test func `progress and the time that remains follow from what has come and when`() {
        var progress = DownloadProgress(expected: 1000)
        #expect(progress.fraction == 0 && progress.secondsRemaining == nil)
        progress.begin(received: 200, at: .seconds(1))
        #expect(progress.fraction == 0.2 && progress.secondsRemaining == nil)
        progress.receive(400, at: .seconds(3))
        #expect(progress.fraction == 0.4 && progress.secondsRemaining == 6)
        progress.stop()
        #expect(progress.fraction == 0.4 && progress.secondsRemaining == nil)
        progress.receive(1000, at: .seconds(9))
        #expect(progress.fraction == 1 && progress.secondsRemaining == 0)
        #expect(DownloadProgress(expected: 0).fraction == 1)
    }

    @Test func `a part is a twentieth of the content, within bounds`() {
        #expect(ContentTransfer.partBytes(of: 1) == 64 * 1024)
        #expect(ContentTransfer.partBytes(of: 10 << 20) == 512 * 1024)
        #expect(ContentTransfer.partBytes(of: 256 << 20) == 1 << 20)
    }
}
