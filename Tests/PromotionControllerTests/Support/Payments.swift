import EventLoop
import StoreModels

/// A stand-in for PaymentQueue: a clock per app, and payments of which one key is one transaction and one intent at
/// most one payment.
final class Payments: Sendable {
    /// What happens to a payment with a new key.
    enum Mode: Sendable {
        case sell
        /// Refused before anything is written.
        case refuse(StoreError)
        /// Written, and the answer is lost.
        case loseAnswer
    }

    private struct Contents {
        var mode = Mode.sell
        var requests: [AddPaymentRequest] = []
        var transactions: [String: PaymentTransaction] = [:]
        var ofIntents: [String: String] = [:]
        var sold = 0
        var clocks: [String: AppClockState] = [:]
        var clockRequests = 0
    }

    private let contents = Locked(Contents())
    private let wall: @Sendable () -> Timestamp

    init(wall: @escaping @Sendable () -> Timestamp) { self.wall = wall }

    func set(_ mode: Mode) { contents.withLock { $0.mode = mode } }

    /// What was bought is cleared away, and the keys with it.
    /// - Parameters:
    ///   - intents: such that may be on their way; they buy nothing any more.
    ///   - forgetsIntents: as the first versions did.
    func clear(intents: [String] = [], forgetsIntents: Bool = false) {
        contents.withLock { contents in
            contents.transactions = [:]
            if forgetsIntents { contents.ofIntents = [:] }
            for intent in intents { contents.ofIntents[intent] = "cleared" }
        }
    }

    /// All that was asked, repeated ones too.
    var requests: [AddPaymentRequest] { contents.withLock { $0.requests } }
    /// What was sold, once each.
    var transactions: [PaymentTransaction] { contents.withLock { $0.transactions.values.sorted { $0.id < $1.id } } }
    /// How many were sold, cleared ones too.
    var sold: Int { contents.withLock { $0.sold } }
    var clockRequests: Int { contents.withLock { $0.clockRequests } }

    /// Moves an app's business clock; from then on it is frozen.
    func moveClock(of bundleId: String = PromotionTestStore.bundleId, by time: Duration) {
        contents.withLock { contents in
            let before = contents.clocks[bundleId]
            contents.clocks[bundleId] = AppClockState(
                bundleId: bundleId, now: (before?.now ?? wall()) + time, rate: .realTime, frozen: true,
                epoch: (before?.epoch ?? 1) + 1)
        }
    }

    /// An app's clock that runs, `rate` times as fast as the wall's.
    func runClock(of bundleId: String = PromotionTestStore.bundleId, rate: Double) {
        contents.withLock { contents in
            contents.clocks[bundleId] = AppClockState(
                bundleId: bundleId, now: wall(), rate: .factor(rate), frozen: false, epoch: 2)
        }
    }

    func clock(_ request: AppRequest) -> AppClockState {
        contents.withLock { contents in
            contents.clockRequests += 1
            return contents.clocks[request.bundleId]
                ?? AppClockState(
                    bundleId: request.bundleId, now: wall(), rate: .realTime, frozen: false, epoch: 1)
        }
    }

    func add(_ request: AddPaymentRequest) throws(StoreError) -> AddPaymentReply {
        let result: Result<AddPaymentReply, StoreError> = contents.withLock { contents in
            contents.requests.append(request)
            let key = request.customerIdentifier + "\u{0}" + request.payment.requestIdentifier
            if let known = contents.transactions[key] {
                guard known.payment == request.payment else {
                    return .failure(StoreError(.keyReused, "another payment under this key"))
                }
                return .success(AddPaymentReply(status: 201, transaction: known, isReplayed: true))
            }
            guard request.isRepeat != true else {
                return .failure(StoreError(.intentDecided, "the payment was cleared away"))
            }
            if case .refuse(let error) = contents.mode { return .failure(error) }
            if let intent = request.payment.intentIdentifier {
                guard contents.ofIntents[intent] == nil else {
                    return .failure(StoreError(.intentDecided, "the intent has a payment"))
                }
                contents.ofIntents[intent] = key
            }
            let transaction = PaymentTransaction(
                id: "t_\(contents.sold + 1)", transactionState: .purchased, payment: request.payment,
                revision: 2, originDeviceId: request.deviceId)
            contents.transactions[key] = transaction
            contents.sold += 1
            if case .loseAnswer = contents.mode { return .failure(StoreError(.outcomeUnknown, "the answer is lost")) }
            return .success(AddPaymentReply(status: 201, transaction: transaction, isReplayed: false))
        }
        return try result.get()
    }
}
