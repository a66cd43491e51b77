import StoreModels
import StorebusTesting
import Testing

/// Goal: an intent goes from state to state only along its edges, and the first decision is final (I2, I3, M77, M86).
/// Method: every state against every event, both clocks on both sides of their limits, then random histories.
@Suite struct PurchaseIntentLifeTests {
    typealias Life = StorePurchaseIntent.Life
    typealias State = StorePurchaseIntent.State
    typealias Decision = DecideIntentRequest.Decision

    private static let start = Timestamp(milliseconds: 1_795_000_000_000)
    private static let end = start + StorePurchaseIntent.lifetime
    private static func now(_ wall: Duration = .zero, _ business: Duration = .zero) -> Life.Now {
        Life.Now(wall: start + wall, business: start + business)
    }

    private static func life(_ state: State, isAdded: Bool = false) -> Life {
        Life(state: state, expiresAt: end, deferredBy: state == .deferred ? .answer : nil, isAdded: isAdded)
    }

    private static func target(_ decision: Decision) -> State {
        switch decision {
        case .continue: .continued
        case .defer: .deferred
        case .cancel: .cancelled
        }
    }

    @Test(arguments: State.allCases, Decision.allCases)
    func `I2: every edge of the table, both ways`(_ state: State, _ decision: Decision) {
        var life = Self.life(state)
        let target = Self.target(decision)
        do {
            let isChanged = try life.apply(.decided(decision), at: Self.now())
            #expect(!state.isFinal || state == target)
            #expect(isChanged == (state != target))
            #expect(life.state == target)
        } catch {
            #expect(state.isFinal && state != target)
            #expect(error == (state == .expired ? .expired : .decided(state)))
            #expect(life == Self.life(state))
        }
    }

    @Test func `the table is pending → anything, deferred → continued, cancelled, expired, and nothing behind those`() {
        let edges: [State: Set<State>] = Dictionary(
            uniqueKeysWithValues: State.allCases.map { state in
                var reached = Set<State>()
                for decision in Decision.allCases {
                    var life = Self.life(state)
                    if (try? life.apply(.decided(decision), at: Self.now())) == true { reached.insert(life.state) }
                }
                var life = Self.life(state)
                reached.formUnion(life.pass(to: Self.now(.zero, StorePurchaseIntent.lifetime)))
                return (state, reached)
            })
        #expect(edges[.pending] == [.continued, .deferred, .cancelled, .expired])
        #expect(edges[.deferred] == [.continued, .cancelled, .expired])
        for state in State.allCases where state.isFinal { #expect(edges[state] == []) }
    }

    @Test func `M86: the time to answer begins with the first delivery and ends as deferred`() throws {
        var life = Self.life(.pending)
        #expect(life.pass(to: Self.now(.seconds(3_600))) == [])
        #expect(try life.apply(.delivered, at: Self.now(.seconds(5))))
        #expect(life.answerBy == Self.start + .seconds(15))
        // Another stream does not give it more time.
        #expect(try !life.apply(.delivered, at: Self.now(.seconds(9))))
        #expect(life.answerBy == Self.start + .seconds(15))
        #expect(life.pass(to: Self.now(.milliseconds(14_999))) == [])
        #expect(life.pass(to: Self.now(.seconds(15))) == [.deferred])
        #expect(life.deferredBy == .timeout)
        // The app's late decision still counts.
        #expect(try life.apply(.decided(.continue), at: Self.now(.seconds(16))))
        #expect(life.state == .continued)
    }

    @Test func `M86: a clock that is set back a day does not keep the app's time from ending`() throws {
        var life = Self.life(.pending)
        #expect(try life.apply(.delivered, at: Self.now(.seconds(86_400))))
        #expect(life.pass(to: Self.now(.seconds(86_395))) == [])
        #expect(life.pass(to: Self.now()) == [.deferred])
    }

    @Test func `I6: an app that is deleted has all its time again when it comes back`() throws {
        var life = Self.life(.pending)
        #expect(try !life.apply(.withdrawn, at: Self.now()))
        #expect(try life.apply(.delivered, at: Self.now()))
        #expect(try life.apply(.withdrawn, at: Self.now(.seconds(3))))
        #expect(life.answerBy == nil)
        #expect(life.pass(to: Self.now(.seconds(60))) == [])
        #expect(try life.apply(.delivered, at: Self.now(.seconds(60))))
        #expect(life.answerBy == Self.start + .seconds(70))
        var decided = Self.life(.deferred)
        #expect(try !decided.apply(.withdrawn, at: Self.now()))
    }

    @Test func `I4, M77: a day of business time ends what is open, and nothing else`() {
        for state in State.allCases {
            var life = Self.life(state)
            #expect(
                life.pass(to: Self.now(.seconds(86_400 * 9), StorePurchaseIntent.lifetime + .milliseconds(-1))) == [])
            #expect(life.pass(to: Self.now(.zero, StorePurchaseIntent.lifetime)) == (state.isFinal ? [] : [.expired]))
            #expect(life.state == (state.isFinal ? state : .expired))
            // A clock that goes back brings nothing back.
            #expect(life.pass(to: Self.now()) == [])
        }
    }

    @Test func `M86: what was unanswered for a day has been deferred on the way`() throws {
        var life = Self.life(.pending)
        _ = try life.apply(.delivered, at: Self.now())
        #expect(life.pass(to: Self.now(.seconds(11), StorePurchaseIntent.lifetime)) == [.deferred, .expired])
        #expect(life.deferredBy == .timeout)
    }

    @Test func `M81, M84, M85: what the operator should look at`() throws {
        var cancelled = Self.life(.pending)
        _ = try cancelled.apply(.decided(.cancel), at: Self.now())
        #expect(cancelled.warning != nil)
        var told = Self.life(.pending)
        _ = try told.apply(.decided(.cancel, feedback: "You have it already."), at: Self.now())
        #expect(told.warning == nil)
        #expect(told.feedback == "You have it already.")
        // The first word counts.
        #expect(try !told.apply(.decided(.cancel, feedback: "No."), at: Self.now()))
        #expect(told.feedback == "You have it already.")
        var deferred = Self.life(.pending)
        _ = try deferred.apply(.decided(.defer), at: Self.now())
        #expect(deferred.warning == nil)
        _ = deferred.pass(to: Self.now(.zero, StorePurchaseIntent.lifetime))
        #expect(deferred.warning?.contains("new payment") == true)
        var unseen = Self.life(.pending)
        _ = unseen.pass(to: Self.now(.zero, StorePurchaseIntent.lifetime))
        #expect(unseen.state == .expired && unseen.warning == nil)
    }

    @Test func `I3: a refused payment makes the intent deferred again, an added one never`() throws {
        var refused = Self.life(.continued)
        #expect(try refused.apply(.refused, at: Self.now()))
        #expect(refused.state == .deferred)
        #expect(try refused.apply(.decided(.continue), at: Self.now()))
        #expect(try refused.apply(.added, at: Self.now()))
        #expect(refused.isAdded)
        #expect(try !refused.apply(.refused, at: Self.now()))
        #expect(try !refused.apply(.added, at: Self.now()))
        #expect(refused.state == .continued)
        for state in [State.pending, .cancelled, .expired] {
            var life = Self.life(state)
            #expect(try !life.apply(.refused, at: Self.now()))
            #expect(try !life.apply(.added, at: Self.now()))
        }
    }

    @Test func `I2, I3: random histories keep the first decision, and only continued ones have a payment`() {
        var random = SplitMix64.seeded()
        let rounds = 20_000
        for _ in 0..<rounds {
            var life = Life(expiresAt: Self.end)
            var (wall, business) = (Duration.zero, Duration.zero)
            var final: State?
            for _ in 0..<Int.random(in: 1...14, using: &random) {
                wall += .seconds(Int.random(in: 0...8, using: &random))
                business += .seconds(Int.random(in: -3_600...20_000, using: &random))
                let now = Self.now(wall, business)
                for state in life.pass(to: now) where state.isFinal { final = final ?? state }
                let events: [Life.Event] = [
                    .delivered, .withdrawn, .added, .refused, .decided(.continue), .decided(.defer), .decided(.cancel),
                ]
                let event = events[Int.random(in: 0..<events.count, using: &random)]
                let before = life
                let isChanged = (try? life.apply(event, at: now)) ?? false
                if !isChanged { #expect(life == before) }
                if event == .refused, isChanged { final = nil }
                if life.state.isFinal, final == nil { final = life.state }
                if let final { #expect(life.state == final) }
                if life.isAdded { #expect(life.state == .continued) }
                if life.state == .pending, let answerBy = life.answerBy { #expect(answerBy > now.wall) }
            }
        }
        print("PurchaseIntent.Life: \(rounds) random histories")
    }
}
