import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PromotionController

/// Goal: Buy in the store, or a test URL, keeps an intent and does what has to come first (M65, M72–M76, M106–M109).
@Suite(.serialized) struct StartTests {
    @Test(arguments: Engine.allCases)
    func `M65, M74, M76: an installed app is opened, and the intent carries payment and product`(_ engine: Engine)
        async throws
    {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let started = try await alice.start("coins")
            #expect(started.outcome == .openApp)
            let identifier = try #require(started.intentIdentifier)
            let intent = try await alice.get(identifier)
            #expect(intent.state == .pending && intent.source == .storePage && intent.answerBy == nil)
            #expect(intent.product == PromotedProductFacts.coins.product)
            #expect(intent.payment.productIdentifier == intent.product.productIdentifier)
            #expect(intent.payment.requestIdentifier == "intent:\(identifier)")
            #expect(intent.payment.intentIdentifier == identifier)
            #expect(intent.expiresAt == store.now + .seconds(86_400))
            #expect(identifier.hasPrefix("i_"))
            // Whose it is, is for the operator.
            #expect(intent.account == nil && intent.deviceId == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M72, M73: a free app that is missing is downloaded, and the intent waits for its first launch`(
        _ engine: Engine
    ) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = store.phone()
            try await alice.openStore()
            let started = try await alice.start { $0.currentVersion = "3.1" }
            #expect(started.outcome == .downloading)
            let app = try #require(try await alice.state().apps.first)
            #expect(app.version == "3.1" && !app.isLaunched && app.promotedPurchases == nil)
            #expect(try await alice.deliver().intents.isEmpty)
            // It is there now.
            #expect(try await alice.start().outcome == .openApp)
            try await alice.launch(version: "3.1")
            #expect(try await alice.deliver().intents.map(\.intentIdentifier) == [started.intentIdentifier])
        }
    }

    @Test(arguments: Engine.allCases)
    func `M75: a version that is too old, or handles none, has to be upgraded; then the intent is delivered`(
        _ engine: Engine
    ) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let started = try await alice.start { $0.promotionsSupportedSince = "2.0" }
            #expect(started.outcome == .promptUpgrade)
            #expect(try await alice.deliver().intents.isEmpty)
            // Installed is not launched: the version that runs is the old one.
            try await alice.install(version: "2.0")
            #expect(try await alice.start { $0.promotionsSupportedSince = "2.0" }.outcome == .openApp)
            #expect(try await alice.deliver().intents.isEmpty)
            #expect(try await alice.get(#require(started.intentIdentifier)).answerBy == nil)
            try await alice.launch(version: "2.0")
            #expect(try await alice.deliver().intents.map(\.intentIdentifier) == [started.intentIdentifier])
            try await alice.launch(version: "2.0", DeviceLaunch.PromotedPurchases.none)
            #expect(try await alice.start("gems").outcome == .promptUpgrade)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M58, M71: a device without promotions starts nothing, not even a test URL`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let vision = store.phone("vision")
            try await vision.launch(platform: .iOSAppOnVisionOS, osVersion: "2.0")
            for source in StorePurchaseIntent.Source.allCases {
                let error = try await refusal { try await vision.start(source: source) }
                #expect(error?.code == .promotionUnsupported)
            }
            #expect(try await vision.intents().isEmpty)
            #expect(try await refusal { try await store.phone("unknown").start() }?.code == .notFound)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M90, M92: what is not promoted here, or hidden here, is not for sale here`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            func code(_ change: (inout PromotedProductFacts) -> Void) async throws -> StoreErrorCode? {
                try await refusal { try await alice.start(facts: change) }?.code
            }
            #expect(try await code { $0.isPromoted = false } == .productNotPromotable)
            #expect(try await code { $0.isHidden = true } == .productNotPromotable)
            try await alice.set(.show, of: "coins")
            #expect(try await code { $0.isHidden = true } == nil)
            try await alice.set(.hide, of: "coins")
            #expect(try await code { _ in } == .productNotPromotable)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M109: a test URL starts what is not promoted, not approved and hidden, and its payment says so`(
        _ engine: Engine
    ) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            try await alice.set(.hide, of: "coins")
            let started = try await alice.start(source: .testURL) {
                $0.isPromoted = false
                $0.isAvailable = false
            }
            let identifier = try #require(started.intentIdentifier)
            #expect(try await alice.get(identifier).source == .testURL)
            try await alice.decide(.continue, identifier)
            #expect(store.payments.requests.map(\.isTest) == [true])
            try await alice.set(.default, of: "coins")
            try await alice.decide(.continue, try await alice.begin())
            #expect(store.payments.requests.last?.isTest == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a second tap on what is pending is the first one's intent, of this customer and device only`(
        _ engine: Engine
    ) async throws {
        try await PromotionTestStore.with(engine) { store in
            let (alice, second) = (try await store.launchedPhone(), try await store.launchedPhone("alice-2"))
            let bob = store.phone("alice-1", of: "bob")
            let first = try await alice.begin()
            let head = try await alice.head()
            #expect(try await alice.begin() == first)
            #expect(try await alice.head() == head)
            #expect(try await alice.begin("gems") != first)
            #expect(try await second.begin() != first)
            #expect(try await bob.begin() != first)
            // Once it is decided a tap is a new purchase, a deferred one too.
            try await alice.decide(.defer, first)
            let next = try await alice.begin()
            #expect(next != first)
            try await alice.decide(.continue, next)
            #expect(try await alice.begin() != next)
        }
    }

    @Test(arguments: Engine.allCases)
    func `I3: a start that comes again, twice or late, is the same intent, in any state`(
        _ engine: Engine
    ) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let first = try await alice.start(key: "tap 1")
            // Another request of what is pending: it has led to the same intent, and keeps leading there.
            #expect(try await alice.start(key: "tap 2") == first)
            let intent = try #require(first.intentIdentifier)
            try await alice.decide(.continue, intent)
            let head = try await alice.head()
            for key in ["tap 1", "tap 2", "tap 1"] { #expect(try await alice.start(key: key) == first) }
            try await store.restartController()
            #expect(try await alice.start(key: "tap 1") == first)
            #expect(try await alice.head() == head)
            #expect(store.payments.sold == 1)
            #expect(try await refusal { try await alice.start("gems", key: "tap 1") }?.code == .keyReused)
            let bob = store.phone("alice-1", of: "bob")
            #expect(try await refusal { try await bob.start(key: "tap 1") }?.code == .keyReused)
            #expect(try await alice.start(key: "tap 3") != first)
        }
    }

    @Test(arguments: Engine.allCases)
    func `starts with one key at once are one intent, on any replica`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            if engine == .postgres { try await store.startReplica() }
            let alice = try await store.launchedPhone()
            let replies = try await withThrowingTaskGroup(of: StartPurchaseReply.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        let reply = try await alice.start(key: "tap")
                        try await alice.decide(.continue, reply.intentIdentifier ?? "none")
                        return reply
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(replies.count == 1)
            #expect(store.payments.sold == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M109: a test URL is no second tap on what is for sale`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let tapped = try await alice.begin()
            let opened = try await alice.begin(source: .testURL)
            #expect(opened != tapped)
            #expect(try await alice.begin(source: .testURL) == opened)
            #expect(try await alice.begin(source: .search) == tapped)
        }
    }

    @Test(arguments: Engine.allCases)
    func `taps at once are one intent`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            if engine == .postgres { try await store.startReplica() }
            let alice = try await store.launchedPhone()
            let intents = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<16 { group.addTask { try await alice.begin() } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(intents.count == 1)
            #expect(try await alice.intents().count == 1)
        }
    }

    @Test func `an app has at most 50 open intents on a device`() async throws {
        try await PromotionTestStore.with { store in
            let alice = try await store.launchedPhone()
            let bob = store.phone("alice-1", of: "bob")
            for number in 0..<25 {
                _ = try await alice.begin("p\(number)")
                _ = try await bob.begin("p\(number)")
            }
            let error = try await refusal { try await alice.start("p50") }
            #expect(error?.code == .rateLimited)
            #expect(try await alice.begin("p0") != "")
            #expect(
                try await store.phone("alice-1", bundleId: "com.example.other").start("p50").intentIdentifier != nil)
            // What has expired makes room, before any sweep.
            store.payments.moveClock(by: StorePurchaseIntent.lifetime)
            #expect(try await refusal { try await alice.start("p50") } == nil)
        }
    }

    @Test(arguments: [DecisionCheckpoint.insideStartCommit, .afterStartCommit])
    func `I1: a process that dies at a tap has kept the intent, or nothing`(_ checkpoint: DecisionCheckpoint)
        async throws
    {
        for engine in Engine.allCases {
            try await PromotionTestStore.with(engine) { store in
                let alice = try await store.launchedPhone()
                store.current.crash.arm(checkpoint)
                _ = try await refusal { try await alice.begin() }
                #expect(store.current.crash.hasCrashed)
                try await store.restartController()
                let kept = try await alice.deliver().intents
                #expect(kept.count == (checkpoint == .afterStartCommit ? 1 : 0))
                // The tap is repeated, and is still one purchase.
                let again = try await alice.begin()
                if let first = kept.first { #expect(first.intentIdentifier == again) }
                #expect(try await alice.intents().count == 1)
            }
        }
    }
}
