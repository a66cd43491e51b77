import StoreModels
import StorebusTesting
import Testing

/// Goal: what a device overrides is its own, exactly as it was set, from its first launch until the app is deleted
/// (M87–M105, M1–M4).
@Suite(.serialized) struct OverrideTests {
    @Test(arguments: Engine.allCases)
    func `M97, M100–M102: an order comes back exactly as it was set, and empty clears it`(_ engine: Engine) async throws
    {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            #expect(try await alice.promotions() == DevicePromotions(overrides: .init(), isLaunched: true))
            let order = ["h", "p", "not.promoted", "f"]
            #expect(try await alice.setOrder(order).order == order)
            #expect(try await alice.promotions().overrides.order == order)
            #expect(try await alice.setOrder([]).order == [])
            #expect(try await alice.promotions().overrides == PromotionOverrides())
        }
    }

    @Test(arguments: Engine.allCases)
    func `M87, M88, M93: a visibility is show, hide, or none, and default removes it`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            try await alice.set(.hide, of: "h")
            try await alice.set(.show, of: "p")
            let overrides = try await alice.promotions().overrides
            #expect(overrides.visibility == ["h": .hide, "p": .show])
            #expect(overrides.visibility(of: "f") == .default)
            #expect(try await alice.set(.default, of: "h").visibility == ["p": .show])
            try await alice.set(.hide, of: "p")
            #expect(try await alice.promotions().overrides.visibility(of: "p") == .hide)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M3, M89, M95: nothing of it is another device's or another app's, of the same account too`(_ engine: Engine)
        async throws
    {
        try await PromotionTestStore.with(engine) { store in
            let (first, second) = (try await store.launchedPhone("alice-1"), try await store.launchedPhone("alice-2"))
            let other = store.phone("alice-1", bundleId: "com.example.other")
            try await other.launch()
            try await first.setOrder(["h"])
            try await first.set(.hide, of: "p")
            try await second.set(.show, of: "p")
            #expect(try await first.promotions().overrides == .init(order: ["h"], visibility: ["p": .hide]))
            #expect(try await second.promotions().overrides == .init(visibility: ["p": .show]))
            #expect(try await other.promotions().overrides == .init())
        }
    }

    @Test(arguments: Engine.allCases)
    func `several devices are answered as each alone, in their order, as many as fit a reply`(_ engine: Engine)
        async throws
    {
        try await PromotionTestStore.with(engine) { store in
            let phones = try await [store.launchedPhone("a"), store.phone("unknown"), store.launchedPhone("b")]
            try await phones[0].setOrder(["h", "p"])
            try await phones[2].set(.hide, of: "p")
            let batch = OverridesBatch(installations: phones.map(\.installation))
            let together = try await phones[0].call(PromotionEndpoints.getManyOverrides, batch).promotions
            var alone: [DevicePromotions] = []
            for phone in phones { alone.append(try await phone.promotions()) }
            #expect(together == alone)
            let long = (0..<PromotionOverrides.orderMax).map { "\($0)-" + String(repeating: "x", count: 250) }
            try await phones[0].setOrder(long)
            let many = OverridesBatch(installations: Array(repeating: phones[0].installation, count: 5))
            let fitting = try await phones[0].call(PromotionEndpoints.getManyOverrides, many).promotions
            #expect((1..<5).contains(fitting.count))
            #expect(fitting.allSatisfy { $0.overrides.order == long })
            let tooMany = OverridesBatch(installations: Array(repeating: phones[0].installation, count: 33))
            let error = try await refusal { try await phones[0].call(PromotionEndpoints.getManyOverrides, tooMany) }
            #expect(error?.code == .requestInvalid)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M4, M94, M104: before the first launch on the device there is nothing to override`(_ engine: Engine)
        async throws
    {
        try await PromotionTestStore.with(engine) { store in
            let alice = store.phone()
            #expect(try await refusal { try await alice.setOrder(["h"]) }?.code == .appNeverLaunched)
            try await alice.openStore()
            try await alice.install(version: "1.0")
            #expect(try await refusal { try await alice.set(.hide, of: "h") }?.code == .appNeverLaunched)
            #expect(try await alice.promotions() == DevicePromotions(overrides: .init(), isLaunched: false))
            try await alice.launch()
            #expect(try await alice.setOrder(["h"]).order == ["h"])
            // Another version is no first launch.
            try await alice.install(version: "2.0")
            #expect(try await alice.setOrder(["p"]).order == ["p"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `M96: overrides survive a restart, an upgrade and a launch, and go with the app`(_ engine: Engine) async throws
    {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let set = PromotionOverrides(order: ["h"], visibility: ["p": .hide])
            try await alice.setOrder(["h"])
            try await alice.set(.hide, of: "p")
            try await store.restartController()
            #expect(try await alice.promotions().overrides == set)
            try await alice.install(version: "2.0")
            try await alice.launch(version: "2.0")
            #expect(try await alice.promotions().overrides == set)
            try await alice.delete()
            #expect(try await alice.promotions() == DevicePromotions(overrides: .init(), isLaunched: false))
            try await alice.launch()
            #expect(try await alice.promotions().overrides == .init())
        }
    }

    @Test(arguments: Engine.allCases)
    func `M58, M71: a device without promotions says so, and takes no overrides`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let vision = store.phone("vision")
            try await vision.launch(platform: .iOSAppOnVisionOS, osVersion: "2.0")
            #expect(try await vision.promotions().unsupported?.contains("visionOS") == true)
            #expect(try await refusal { try await vision.setOrder([]) }?.code == .promotionUnsupported)
            let old = store.phone("old")
            try await old.launch(osVersion: "10.3")
            #expect(try await refusal { try await old.set(.show, of: "h") }?.code == .promotionUnsupported)
            // The system is upgraded.
            try await old.launch(osVersion: "11.0")
            #expect(try await old.set(.show, of: "h").visibility == ["h": .show])
        }
    }

    @Test func `an order has at most 500 products, each once, and as many may have a visibility`() async throws {
        try await PromotionTestStore.with { store in
            let alice = try await store.launchedPhone()
            let many = (0..<PromotionOverrides.orderMax).map { "p\($0)" }
            #expect(try await alice.setOrder(many).order == many)
            #expect(try await refusal { try await alice.setOrder(many + ["q"]) }?.code == .requestInvalid)
            #expect(try await refusal { try await alice.setOrder(["h", "p", "h"]) }?.message.contains("'h'") == true)
            #expect(try await alice.promotions().overrides.order == many)
            for product in many { try await alice.set(.hide, of: product) }
            #expect(try await refusal { try await alice.set(.hide, of: "q") }?.code == .requestInvalid)
            // One that has a visibility may have another one, and the last place may be given on.
            try await alice.set(.show, of: "p0")
            try await alice.set(.default, of: "p1")
            #expect(try await alice.set(.hide, of: "q").visibility.count == PromotionOverrides.visibilityMax)
        }
    }

    @Test func `M1: a read after an answer returns what was answered, at either of two replicas`() async throws {
        try await PromotionTestStore.with(.postgres) { store in
            try await store.startReplica()
            let alice = try await store.launchedPhone()
            for round in 0..<40 {
                try await alice.setOrder(["p\(round)"])
                let seen = try await withThrowingTaskGroup(of: [String].self) { group in
                    for _ in 0..<4 { group.addTask { try await alice.promotions().overrides.order } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(seen.allSatisfy { $0 == ["p\(round)"] })
            }
        }
    }

    @Test func `M1: writers at two replicas lose nothing of each other, and the last answer counts`() async throws {
        try await PromotionTestStore.with(.postgres) { store in
            try await store.startReplica()
            let alice = try await store.launchedPhone()
            let answers = try await withThrowingTaskGroup(of: PromotionOverrides.self) { group in
                for number in 0..<32 {
                    group.addTask {
                        number.isMultiple(of: 2)
                            ? try await alice.set(.hide, of: "p\(number)") : try await alice.setOrder(["p\(number)"])
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let end = try await alice.promotions().overrides
            #expect(end.visibility.count == 16)
            #expect(answers.contains(end))
            // Each answer is one of a sequence of writes: they differ in one thing from another.
            #expect(Set(answers.map(\.visibility.count)).isSuperset(of: 1...16))
        }
    }
}
