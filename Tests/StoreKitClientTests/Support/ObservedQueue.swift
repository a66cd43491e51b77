import StoreModels

@testable import StoreKitClient

/// A queue with an observer, and the stream to which the test writes.
struct ObservedQueue {
    let gateway: FakeGateway
    let queue: SKPaymentQueue
    let observer = RecordingObserver()
    let stream = FakeStream.beginning()

    /// - Parameter isObserving: False when the test registers the observer by itself.
    init(isObserving: Bool = true) throws {
        gateway = try FakeGateway()
        queue = gateway.queue()
        gateway.on("GET /v1/transactions/stream") { [stream] _ in .stream(stream) }
        if isObserving { queue.add(observer) }
    }
}
