import EventLoop
import Foundation
import StoreKitClient
import StorebusTesting

/// An app on a device that iterates StoreKit 2's sequences and records their elements. A new one is a new launch.
final class StoreKit2Witness: Sendable {
    /// The elements of the sequences that do not end.
    struct Elements: Sendable {
        var updates: [VerificationResult<Transaction>] = []
        var statuses: [Product.SubscriptionInfo.Status] = []
        var intents: [PurchaseIntent] = []
    }

    let device: String
    /// The app's queue, for what StoreKit 1 has.
    let queue: SKPaymentQueue
    private let elements = Locked(Elements())
    private let tasks = Locked<[Task<Void, Never>]>([])

    /// Launches the app. Its iterators exist when this returns.
    /// - Parameters:
    ///   - iteratesIntents: Whether the app handles promoted purchases.
    ///   - change: Changes the app's connection.
    init(
        _ store: StoreStack, account: String, device: String, iteratesIntents: Bool = true,
        _ change: (inout StoreConnection) -> Void = { _ in }
    ) throws {
        guard let gateway = URL(string: store.url) else { throw StackError("\(store.url) is no URL") }
        self.device = device
        let contents = store.directory.file("content-\(store.isolatedName)-\(device)")
        var connection = StoreConnection(
            gateway: gateway, bundleId: StoreStack.app, deviceId: device, account: account, platform: .iOS,
            osVersion: "18.0", contentDirectory: URL(fileURLWithPath: contents, isDirectory: true))
        change(&connection)
        queue = SKPaymentQueue(connection: connection)
        SKPaymentQueue.$ofTask.withValue(queue) {
            collect(Transaction.updates.makeAsyncIterator()) { $0.updates.append($1) }
            collect(Product.SubscriptionInfo.Status.updates.makeAsyncIterator()) { $0.statuses.append($1) }
        }
        if iteratesIntents { iterateIntents() }
    }

    /// Begins to iterate the purchases that begin in the store.
    func iterateIntents() {
        SKPaymentQueue.$ofTask.withValue(queue) {
            collect(PurchaseIntent.intents.makeAsyncIterator()) { $0.intents.append($1) }
        }
    }

    private func collect<Iterator: AsyncIteratorProtocol & SendableMetatype>(
        _ iterator: sending Iterator, _ add: @escaping @Sendable (inout Elements, Iterator.Element) -> Void
    ) where Iterator.Element: Sendable {
        let task = Task { [elements] in
            var iterator = iterator
            while let value = try? await iterator.next() { elements.withLock { add(&$0, value) } }
        }
        tasks.withLock { $0.append(task) }
    }

    /// Ends the app's process: its iterators are gone, and it has told the store nothing.
    func kill() async {
        let ended = tasks.withLock { tasks in
            defer { tasks = [] }
            return tasks
        }
        for task in ended { task.cancel() }
        for task in ended { await task.value }
    }

    /// The elements since they were taken last.
    var seen: Elements { elements.withLock { $0 } }

    func take() -> Elements {
        elements.withLock { elements in
            defer { elements = Elements() }
            return elements
        }
    }

    /// Runs code of the app.
    func run<Output>(_ body: () async throws -> Output) async rethrows -> Output {
        try await SKPaymentQueue.$ofTask.withValue(queue) { try await body() }
    }

    func product(_ identifier: String) async throws -> Product {
        try await run {
            guard let product = try await Product.products(for: [identifier]).first else {
                throw StackError("\(identifier) is not for sale")
            }
            return product
        }
    }

    /// The elements of a sequence that ends.
    func list(
        _ sequence: () -> Transaction.Transactions
    ) async -> [VerificationResult<Transaction>] {
        await run {
            var list: [VerificationResult<Transaction>] = []
            for await result in sequence() { list.append(result) }
            return list
        }
    }
}
