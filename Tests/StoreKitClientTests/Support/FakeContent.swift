import StoreModels

@testable import StoreKitClient

/// The store's side of one download: its state, its bytes, and the stream that tells of it.
final class FakeContent: Sendable {
    private struct State {
        var download: Download
        var bytes: [UInt8]
        var etag = "\"one\""
        /// The states after the first.
        var states: [Download.State] = []
        /// What becomes of the next requests for content, before the bytes are given.
        var faults: [FakeAnswer] = []
    }

    let stream: FakeStream
    private let state: LockedValue<State>

    init(count: Int, state: Download.State = .waiting) {
        let download = Download(
            id: "d1", transactionId: "t1", state: state, contentIdentifier: "com.example.guide", contentVersion: "1.0",
            contentLength: Int64(count))
        self.state = LockedValue(State(download: download, bytes: Self.bytes(count, seed: 1)))
        stream = .beginning(with: [.sample("t1", downloads: [download])])
    }

    static func bytes(_ count: Int, seed: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed) }
    }

    var download: Download { state.withLock { $0.download } }
    /// The states that the app's calls led to, in order.
    var states: [Download.State] { state.withLock { $0.states } }
    var bytes: [UInt8] { state.withLock { $0.bytes } }

    /// Other bytes of the same length.
    func replace() {
        state.withLock { state in
            state.bytes = Self.bytes(state.bytes.count, seed: 7)
            state.etag = "\"two\""
        }
    }

    func fail(next faults: [FakeAnswer]) { state.withLock { $0.faults = faults } }

    /// Answers for this download, and the stream of its device.
    func serve(on gateway: FakeGateway) {
        gateway.on("GET /v1/transactions/stream") { [stream] _ in .stream(stream) }
        gateway.on("GET /v1/downloads/*/content") { self.content($0) }
        for action in DownloadAction.allCases {
            gateway.on("POST /v1/downloads/*/\(action.rawValue)") { _ in self.perform(action) }
        }
    }

    /// The store's edges of a download's state.
    private func perform(_ action: DownloadAction) -> FakeAnswer {
        let edges: [DownloadAction: (from: [Download.State], to: Download.State)] = [
            .start: ([.waiting, .active, .failed], .active), .pause: ([.active, .paused], .paused),
            .resume: ([.paused, .active], .active), .cancel: ([.waiting, .active, .paused, .cancelled], .cancelled),
            .finish: ([.active, .finished], .finished), .fail: ([.waiting, .active, .paused, .failed], .failed),
        ]
        return state.withLock { state in
            guard let edge = edges[action], edge.from.contains(state.download.state) else {
                return .problem(.downloadStateInvalid)
            }
            if state.download.state != edge.to {
                state.download.state = edge.to
                state.states.append(edge.to)
                state.download.error = edge.to == .failed ? TransactionError(.unknown, "The transfer failed.") : nil
                stream.updated([state.download])
            }
            return .json(state.download)
        }
    }

    private func content(_ request: FakeRequest) -> FakeAnswer {
        state.withLock { state in
            if !state.faults.isEmpty { return state.faults.removeFirst() }
            let range = request.headers["range"]?.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
            let isOther = request.headers["if-range"].map { $0 != state.etag } ?? false
            guard let range, range.count == 2, !isOther else {
                return .answer(status: 200, headers: ["ETag": state.etag], body: state.bytes)
            }
            let headers = ["ETag": state.etag, "Content-Range": "bytes \(range[0])-\(range[1])/\(state.bytes.count)"]
            return .answer(status: 206, headers: headers, body: Array(state.bytes[range[0]...range[1]]))
        }
    }
}
