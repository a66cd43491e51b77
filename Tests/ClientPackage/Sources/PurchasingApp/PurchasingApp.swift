import Foundation
import StoreKit

/// An app of StoreKit 2, or of both StoreKits, that buys without pause and writes what it does to its journal.
///
///     PurchasingApp 2|both JOURNAL SEED    until SIGTERM
///     PurchasingApp 2|both JOURNAL drain   until nothing has been unfinished for three seconds, at most a minute
///
/// `scripts/chaos-apps` kills it, begins it again, disturbs the store meanwhile, and compares journal and store in the end.
@main struct PurchasingApp: Sendable {
    private static let products = ["com.example.fishingHotSpots", "com.example.pro.monthly", "com.example.pro.yearly"]

    let journal: PurchaseJournal
    let usesBoth: Bool

    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, ["2", "both"].contains(arguments[1]), let journal = PurchaseJournal(arguments[2])
        else { exit(64) }
        signal(SIGTERM, SIG_IGN)
        let termination = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
        termination.setEventHandler { exit(0) }
        termination.activate()

        journal.write("run")
        let app = PurchasingApp(journal: journal, usesBoth: arguments[1] == "both")
        let observer = QueueObserver(journal)
        if app.usesBoth { SKPaymentQueue.default().add(observer) }
        Task {
            for await result in Transaction.updates { await app.receive(result, "update") }
        }
        guard let seed = UInt64(arguments[3]) else { exit(await app.drain() ? 0 : 1) }
        await app.buy(seed)
    }

    /// Takes a transaction: the journal first, then the content, then `finish()`.
    private func receive(_ result: VerificationResult<Transaction>, _ source: String) async {
        guard case .verified(let transaction) = result else { return journal.write("unverified", source) }
        let revoked = transaction.revocationDate.map { "revoked@\(Int($0.timeIntervalSince1970 * 1000))" }
        journal.write(
            "seen", "\(transaction.id)", source, revoked ?? (transaction.isUpgraded ? "upgraded" : "purchased"))
        if revoked == nil { journal.grant(transaction.id) }
        await transaction.finish()
    }

    /// Buys until the process ends. A purchase without an outcome is left to `updates` and the observer.
    private func buy(_ seed: UInt64) async {
        var random = seed
        func next(_ count: UInt64) -> UInt64 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (random >> 33) % count
        }
        var products: [Product] = []
        while true {
            try? await Task.sleep(for: .milliseconds(100 + Int(next(300))))
            if products.count < Self.products.count {
                products = ((try? await Product.products(for: Self.products)) ?? []).sorted { $0.id < $1.id }
                continue
            }
            let product = products[next(8) < 6 ? 0 : 1 + Int(next(2))]
            let token = UUID().uuidString.lowercased()
            if usesBoth, next(2) == 0 {
                // As an app waits, whose button is off while it buys.
                guard !SKPaymentQueue.default().transactions.contains(where: { $0.transactionState == .purchasing })
                else { continue }
                journal.write("buy", token, product.id)
                let payment = SKMutablePayment()
                payment.productIdentifier = product.id
                payment.applicationUsername = token
                SKPaymentQueue.default().add(payment)
            } else {
                journal.write("buy", token, product.id)
                await purchase(product, token)
            }
        }
    }

    private func purchase(_ product: Product, _ token: String) async {
        do {
            let options: Set<Product.PurchaseOption> = UUID(uuidString: token).map { [.appAccountToken($0)] } ?? []
            guard case .success(let result) = try await product.purchase(options: options) else { return }
            journal.write("bought", token, "\(result.unsafePayloadValue.id)")
            await receive(result, "purchase")
        } catch {
            journal.write("failed", token, "\(type(of: error))")
        }
    }

    /// Waits until the store has nothing unfinished for the app.
    private func drain() async -> Bool {
        var calm = 0
        for _ in 0..<120 where calm < 6 {
            try? await Task.sleep(for: .milliseconds(500))
            var count = 0
            for await result in Transaction.unfinished {
                count += 1
                await receive(result, "unfinished")
            }
            calm = count == 0 ? calm + 1 : 0
        }
        return calm == 6
    }
}

/// The app's StoreKit 1. It has every transaction of the queue, also those of `Product.purchase()`.
final class QueueObserver: NSObject, SKPaymentTransactionObserver {
    private let journal: PurchaseJournal

    init(_ journal: PurchaseJournal) { self.journal = journal }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchased:
                guard let id = transaction.transactionIdentifier.flatMap({ UInt64($0) }) else { break }
                journal.write("seen", "\(id)", "observer", "purchased")
                journal.grant(id)
                queue.finishTransaction(transaction)
            case .failed, .restored: queue.finishTransaction(transaction)
            default: break
            }
        }
    }
}

/// The file that survives the app. A line is on disk before the app goes on.
final class PurchaseJournal: @unchecked Sendable {
    // Unchecked, because the lock guards both members.
    private let lock = NSLock()
    private let file: FileHandle
    private var granted: Set<String> = []

    /// Reads the journal of earlier runs, and ends a last line that a kill has cut off.
    init?(_ path: String) {
        if !FileManager.default.fileExists(atPath: path) { FileManager.default.createFile(atPath: path, contents: nil) }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8),
            let file = FileHandle(forWritingAtPath: path)
        else { return nil }
        self.file = file
        file.seekToEndOfFile()
        if !text.isEmpty, !text.hasSuffix("\n") { file.write(Data("\n".utf8)) }
        for line in text.split(separator: "\n") where line.hasPrefix("granted ") {
            granted.insert(String(line.dropFirst("granted ".count)))
        }
    }

    func write(_ words: String...) { lock.withLock { append(words) } }

    /// Gives the customer the content of a transaction, unless an earlier delivery has.
    func grant(_ id: UInt64) {
        lock.withLock { if granted.insert("\(id)").inserted { append(["granted", "\(id)"]) } }
    }

    private func append(_ words: [String]) {
        file.write(Data((words.joined(separator: " ") + "\n").utf8))
        fsync(file.fileDescriptor)
    }
}
