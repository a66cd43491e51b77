import EventLoop
import StorebusTesting

/// An operation of a client, an operator, or the store's own jobs.
///
/// Numbers that name what came before are taken modulo how much came, so operations make sense in any shorter history.
enum SimulatedOperation: Hashable, Sendable {
    enum Job: CaseIterable, Sendable {
        case purchases, captures, renewals, refunds, restores, charges
    }

    /// Buys a product under a new key.
    case buy(customer: Int, product: Int, key: Int)
    /// Buys, and repeats the key at the same time.
    case buyTwice(customer: Int, product: Int, key: Int)
    /// Buys what was promoted. The intent may have been bought before, under another key.
    case buyPromoted(customer: Int, intent: Int, key: Int)
    /// Redeems the only code, which fewer customers may redeem than there are.
    case redeem(customer: Int, key: Int)
    /// Repeats a key.
    case again(Int)
    case finish(Int)
    case refund(Int)
    case restore(customer: Int, key: Int)
    case setRenewal(customer: Int, isOn: Bool)
    /// Moves the wall clock.
    case advance(hours: Int)
    case work(Job)
    case crashQueue
    case crashProcessor
}

/// Something that goes wrong at one place, at its n-th occasion.
struct SimulatedFault: Hashable, Sendable {
    enum Place: CaseIterable, Sendable {
        case queueStatement, queueCommit, ledgerStatement, ledgerCommit, checkpoint
        /// A request to the processor, or a callback of it.
        case message
        /// The processor's decision about a charge.
        case decision
    }

    enum Effect: Sendable {
        /// The process dies before it.
        case crash
        /// The process dies after the commit.
        case crashAfter
        /// The commit is made, and reported as unknown.
        case unknownWritten
        /// The commit is not made, and reported as unknown.
        case unknownUnwritten
        case diskFull
        case loseRequest, loseReply
        /// The caller has given up when it arrives.
        case late
        case twice
        case decline, pend
    }

    var place: Place
    var occasion: Int
    var effect: Effect
}

extension SimulatedFault.Place {
    /// The mean number of occasions between two faults.
    fileprivate var mean: Int {
        switch self {
        case .queueStatement, .ledgerStatement: 500
        case .queueCommit, .ledgerCommit: 30
        case .checkpoint: 80
        case .message: 6
        case .decision: 7
        }
    }

    fileprivate var effects: [SimulatedFault.Effect] {
        switch self {
        case .queueStatement, .ledgerStatement, .checkpoint: [.crash]
        case .queueCommit, .ledgerCommit: [.crash, .crashAfter, .unknownWritten, .unknownUnwritten, .diskFull]
        case .message: [.loseRequest, .loseReply, .late, .twice]
        case .decision: [.decline, .decline, .pend]
        }
    }
}

/// All that a run does besides the store itself. A seed makes it, and chooses the order of steps.
struct SimulatedHistory: Sendable {
    /// Numbers of customers, products and promoted purchases.
    static let (customers, products, intents) = (3, 4, 3)

    let seed: UInt64
    var operations: [SimulatedOperation]
    var faults: [SimulatedFault]

    init(seed: UInt64, operations count: Int = 45) {
        self.seed = seed
        var random = SplitMix64(seed: seed)
        operations = (0..<count).map { Self.operation($0, &random) }
        faults = []
        for place in SimulatedFault.Place.allCases {
            // Some histories leave a kind of fault out, so that others are not covered by it.
            guard Int.random(in: 0..<4, using: &random) > 0 else { continue }
            var occasion = 0
            for _ in 0..<30 {
                occasion += Int.random(in: 1...2 * place.mean, using: &random)
                let effect = place.effects[Int.random(in: 0..<place.effects.count, using: &random)]
                faults.append(SimulatedFault(place: place, occasion: occasion, effect: effect))
            }
        }
    }

    private static func operation(_ number: Int, _ random: inout SplitMix64) -> SimulatedOperation {
        let customer = Int.random(in: 0..<customers, using: &random)
        let product = Int.random(in: 0..<products, using: &random)
        let any = Int.random(in: 0..<1_000, using: &random)
        switch Int.random(in: 0..<40, using: &random) {
        case 0..<10: return .buy(customer: customer, product: product, key: number)
        case 10..<14: return .buyTwice(customer: customer, product: product, key: number)
        case 14..<16: return .buyPromoted(customer: customer, intent: any % intents, key: number)
        case 16..<19: return .again(any)
        case 19..<22: return .finish(any)
        case 22..<24: return .refund(any)
        case 24: return .restore(customer: customer, key: any % 4)
        case 25: return .setRenewal(customer: customer, isOn: any % 2 == 0)
        case 26..<29: return .advance(hours: [1, 72, 24 * 15, 24 * 32][any % 4])
        case 29: return .redeem(customer: customer, key: number)
        case 30..<38: return .work(SimulatedOperation.Job.allCases[any % SimulatedOperation.Job.allCases.count])
        case 38: return .crashQueue
        default: return .crashProcessor
        }
    }

    /// The history as text, and the command that repeats it.
    var description: String {
        let lines = operations.map { "  \($0)" } + faults.map { "  \($0.effect) at \($0.place) \($0.occasion)" }
        return "make simulate SEED=\(seed) SECONDS=0\n" + lines.joined(separator: "\n")
    }
}

/// The faults of a history, as occasions come.
final class SimulatedFaults: Sendable {
    private struct Key: Hashable, Sendable {
        let place: SimulatedFault.Place
        let occasion: Int
    }

    private struct Contents: Sendable {
        var occasions: [SimulatedFault.Place: Int] = [:]
        var isOn = false
    }

    private let faults: [Key: SimulatedFault.Effect]
    private let contents = Locked(Contents())

    init(_ faults: [SimulatedFault]) {
        self.faults = Dictionary(
            faults.map { (Key(place: $0.place, occasion: $0.occasion), $0.effect) }, uniquingKeysWith: { $1 })
    }

    /// Switches faults on, or off for good.
    func set(isOn: Bool) { contents.withLock { $0.isOn = isOn } }

    /// Counts an occasion.
    /// - Returns: What goes wrong, or nil.
    func next(_ place: SimulatedFault.Place) -> SimulatedFault.Effect? {
        let occasion = contents.withLock { contents -> Int? in
            guard contents.isOn else { return nil }
            contents.occasions[place, default: 0] += 1
            return contents.occasions[place]
        }
        return occasion.flatMap { faults[Key(place: place, occasion: $0)] }
    }
}
