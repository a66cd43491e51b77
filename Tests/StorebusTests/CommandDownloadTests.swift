import Glibc
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// `storebus download fetch`: ranges, lost connections, and a file that is whole or not there (M46, M47).
@Suite struct CommandDownloadTests {
    private static let path = "/v1/downloads/d_1/content"
    private static let content = Fixtures.contentBytes

    /// A server of ranges: each answer ends after `counts` of its bytes, the last as if it were all.
    private func serve(_ store: FakeStore, tag: String = "\"v1\"", _ counts: Int...) {
        store.stream("GET \(Self.path)") { [store] request in
            let turn = store.requests(.get, Self.path).count - 1
            var first = 0
            if let range = request.headers["Range"], request.headers["If-Range"] == tag {
                first = Int(range.dropFirst("bytes=".count).dropLast()) ?? 0
            }
            let bytes = Array(Self.content[first...].prefix(counts[min(turn, counts.count - 1)]))
            let headers = ["etag": tag, "content-range": "bytes \(first)-11/12"]
            return StoreStream(status: first > 0 ? 206 : 200, headers: headers, bytes: Self.pieces(bytes))
        }
    }

    private static func pieces(_ bytes: [UInt8]) -> AsyncThrowingStream<[UInt8], any Error> {
        AsyncThrowingStream { continuation in
            for byte in bytes { continuation.yield([byte]) }
            continuation.finish()
        }
    }

    private func bytes(_ file: String) -> [UInt8]? { try? FileAccess.read(file, byteCountMax: 1000) }

    @Test func `it starts, fetches, says that it is finished, and leaves one file`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("beach.zip")
        let store = FakeStore()
        serve(store, 12)
        let (status, said) = await store.run("download", "fetch", "0001", "--as", "alice", "--to", file)
        #expect(status == .success, "\(said.narration)")
        #expect(said.result.hasPrefix("fetched  \(file)  12 bytes  in "))
        #expect(said.narration.contains("next: storebus finish 2000000000000001 --as alice"))
        #expect(bytes(file) == Self.content)
        #expect(access(PartialFile(file).part, F_OK) != 0 && access(PartialFile(file).tagFile, F_OK) != 0)
        let asked = store.requests.filter { $0.path.contains("downloads") }.map(\.path)
        #expect(asked == ["/v1/downloads/d_1/start", Self.path, "/v1/downloads/d_1/finish"])
        #expect(store.requests(.get, Self.path).first?.headers["Range"] == nil)
    }

    @Test func `connections that break are gone on from the byte they broke at`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("beach.zip")
        let store = FakeStore()
        serve(store, 5, 4, 12)
        let (status, said) = await store.run("download", "fetch", "d_1", "--as", "alice", "--to", file)
        #expect(status == .success)
        #expect(bytes(file) == Self.content)
        #expect(store.requests(.get, Self.path).map { $0.headers["Range"] } == [nil, "bytes=5-", "bytes=9-"])
        #expect(store.requests(.get, Self.path).last?.headers["If-Range"] == "\"v1\"")
        #expect(said.narration.contains("the connection broke after 5 of 12 bytes"))
    }

    @Test func `what an earlier run has left is not fetched again`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("beach.zip")
        let store = FakeStore()
        serve(store, 5)
        let (stopped, said) = await store.run(
            "download", "fetch", "d_1", "--as", "alice", "--to", file, "--timeout", "0")
        #expect(stopped == .unreachable)
        #expect(said.narration.contains("the same command goes on where this one stopped"))
        #expect(access(file, F_OK) != 0)
        serve(store, 12)
        let (status, again) = await store.run("download", "fetch", "d_1", "--as", "alice", "--to", file, "-o", "json")
        #expect(status == .success)
        #expect(bytes(file) == Self.content)
        #expect(store.requests(.get, Self.path).last?.headers["Range"] == "bytes=5-")
        #expect(try StrictJSON.parse(Array(again.result.utf8))["data"]?["beganAt"] == 5)
    }

    @Test func `content that was replaced meanwhile is fetched from its beginning, never mixed`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("beach.zip")
        let partial = PartialFile(file)
        try FileAccess.write(Array("OLD".utf8), to: partial.part, mode: 0o600)
        try FileAccess.write(Array("\"v0\"\n".utf8), to: partial.tagFile, mode: 0o600)
        let store = FakeStore()
        serve(store, 12)
        let (status, said) = await store.run("download", "fetch", "d_1", "--as", "alice", "--to", file)
        #expect(status == .success)
        #expect(!said.result.contains("begun at"))
        #expect(bytes(file) == Self.content)
        #expect(store.requests(.get, Self.path).map { $0.headers["If-Range"] } == ["\"v0\""])
    }

    @Test func `a part that fits no content is dropped`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("beach.zip")
        let partial = PartialFile(file)
        try FileAccess.write(Array("OLD".utf8), to: partial.part, mode: 0o600)
        try FileAccess.write(Array("\"v0\"\n".utf8), to: partial.tagFile, mode: 0o600)
        let store = FakeStore()
        store.stream("GET \(Self.path)") { request in
            guard request.headers["Range"] == nil else {
                return StoreStream(
                    failure: StoreResponse(status: 416, body: []), bytes: Self.pieces([]))
            }
            return StoreStream(headers: ["etag": "\"v1\""], bytes: Self.pieces(Self.content))
        }
        #expect(await store.run("download", "fetch", "d_1", "--as", "alice", "--to", file).status == .success)
        #expect(bytes(file) == Self.content)
    }

    @Test func `a download that the tester makes fail ends as a purchase that fails`() async throws {
        let store = FakeStore()
        store.answer(
            "POST /v1/downloads/d_1/start",
            JSONText.value(Fixtures.download(.failed, error: TransactionError(.unknown, "It is made to fail."))))
        for command in ["start", "fetch"] {
            let (status, said) = await store.run("download", command, "d_1", "--as", "alice")
            #expect(status == .purchaseFailed)
            #expect(said.result.contains("d_1  failed  hidden-beaches 1.0, 12 bytes  unknown (0)"))
        }
        #expect(store.requests(.get, Self.path).isEmpty)
    }

    @Test func `what is cancelled stays so`() async {
        let store = FakeStore()
        var transaction = FakeStore.purchased
        transaction.downloads = [Fixtures.download(.cancelled)]
        store.answer("GET /v1/transactions", JSONText.value(TransactionsPage(transactions: [transaction])))
        let (status, said) = await store.run("download", "fetch", "d_1", "--as", "alice")
        #expect(status == .refused)
        #expect(said.narration.contains("[downloadStateInvalid]"))
    }

    @Test func `a transaction without content is distinguished from one that is not there`() async {
        let store = FakeStore()
        let (_, none) = await store.run("download", "start", "2000000000000002", "--as", "alice")
        #expect(none.narration.contains("2000000000000002 has no download: pro.monthly is not a hosted product"))
        let (status, unknown) = await store.run("download", "start", "x", "--as", "alice")
        #expect(status == .refused)
        #expect(unknown.narration.contains("storebus download list --as alice"))
    }

    @Test func `a file that cannot be written is named`() async {
        let store = FakeStore()
        serve(store, 12)
        let (status, said) = await store.run(
            "download", "fetch", "d_1", "--as", "alice", "--to", "/nowhere/beach.zip")
        #expect(status == .noSuchFile || status == .badConfiguration)
        #expect(said.narration.contains("cannot write /nowhere/beach.zip.part"))
    }

    @Test func `finishing with content pending says what became of it`() async {
        let store = FakeStore()
        var finished = FakeStore.purchased
        finished.warnings = ["finishedWithPendingDownloads"]
        store.answer("POST /v1/transactions/t_1/finish", JSONText.value(finished))
        let (status, said) = await store.run("finish", "0001", "--as", "alice")
        #expect(status == .success)
        #expect(said.narration.contains("note: content was not downloaded yet: those downloads are cancelled"))
    }

    @Test(arguments: [
        (Int64(0), Int64(100), Int64(0), 1, "[--------------------]   0 %  0 bytes of 100 bytes"),
        (50, 100, 40, 2, "[##########----------]  50 %  50 bytes of 100 bytes  20 bytes/s  3 s left"),
        (
            3 << 20, 3 << 20, 3 << 20, 3,
            "[####################] 100 %  3.0 MiB of 3.0 MiB  1.0 MiB/s  0 s left"
        ),
    ])
    func `a bar says how much, how fast and how long`(
        count: Int64, length: Int64, moved: Int64, seconds: Int, text: String
    ) {
        #expect(TransferProgress.text(count, of: length, moved: moved, in: .seconds(seconds)) == text)
        #expect(text.count <= 80)
    }
}
