import EventLoop
import StoreModels
import Testing

@testable import BusService

/// Goal: a value is used while it is fresh and valid, remains known afterwards, and never outlives an invalidation.
/// Method: a clock in the test's hand.
@Suite struct ExpiringCacheTests {
    private let clock = Locked(ContinuousClock.now)

    private func cache(
        max: Int = 10, freshFor: Duration = .seconds(1), costMax: Int = .max
    ) -> ExpiringCache<String, Int> {
        ExpiringCache(
            max: max, freshFor: freshFor, costMax: costMax, cost: { $0 }, now: { [clock] in clock.withLock { $0 } })
    }

    private func advance(_ time: Duration) { clock.withLock { $0 += time } }

    /// Serves `reply` for a key and counts the requests.
    private func value(
        _ cache: ExpiringCache<String, Int>, _ key: String = "a", reply: Result<Int, StoreError>,
        where isValid: (Int) -> Bool = { _ in true }
    ) async throws(StoreError) -> (value: Int, isRequested: Bool) {
        var isRequested = false
        let value = try await cache.value(for: key, where: isValid) { () async throws(StoreError) in
            isRequested = true
            return try reply.get()
        }
        return (value, isRequested)
    }

    @Test func `a value is fresh for its time, counted from its request`() async throws {
        let cache = cache()
        #expect(try await value(cache, reply: .success(1)) == (1, true))
        advance(.milliseconds(999))
        #expect(try await value(cache, reply: .success(2)) == (1, false))
        advance(.milliseconds(1))
        #expect(cache.fresh("a") == nil)
        #expect(try await value(cache, reply: .success(2)) == (2, true))

        let ticket = cache.ticket()
        advance(.milliseconds(600))
        cache.insert(3, for: "b", ticket)
        advance(.milliseconds(399))
        #expect(cache.fresh("b") == 3)
        advance(.milliseconds(1))
        #expect(cache.fresh("b") == nil)
    }

    @Test func `without a lifetime a value is always requested, with an unlimited one once`() async throws {
        let none = cache(freshFor: .zero)
        #expect(try await value(none, reply: .success(1)) == (1, true))
        #expect(try await value(none, reply: .success(2)) == (2, true))
        let unlimited = cache(freshFor: .unlimited)
        #expect(try await value(unlimited, reply: .success(1)) == (1, true))
        advance(.seconds(1_000_000_000))
        #expect(try await value(unlimited, reply: .success(2)) == (1, false))
    }

    @Test func `a value that the caller does not accept is requested`() async throws {
        let cache = cache()
        _ = try await value(cache, reply: .success(1))
        #expect(try await value(cache, reply: .success(2), where: { $0 == 2 }) == (2, true))
        #expect(try await value(cache, reply: .success(3), where: { $0 == 2 }) == (2, false))
        #expect(cache.last("a", where: { $0 == 3 }) == nil)
    }

    @Test func `an error stores nothing, and the last value remains known for an age, inclusively`() async throws {
        let cache = cache()
        _ = try await value(cache, reply: .success(1))
        advance(.seconds(60))
        let away = StoreError(.serviceUnavailable, "away")
        await #expect(throws: away) { try await value(cache, reply: .failure(away)) }
        #expect(cache.last("a", within: .seconds(60)) == 1)
        advance(.nanoseconds(1))
        #expect(cache.last("a", within: .seconds(60)) == nil)
        #expect(cache.last("a") == 1)
        #expect(cache.last("b") == nil)
    }

    @Test func `values of several keys are all fresh or not used`() {
        let cache = cache()
        cache.insert([("a", 1), ("b", 2)])
        #expect(cache.fresh(["b", "a"]) == [2, 1])
        #expect(cache.fresh(["a", "b", "c"]) == nil)
        #expect(cache.fresh(["a", "b"], where: { $0 == 1 }) == nil)
        #expect(cache.fresh([]) == [])
        advance(.milliseconds(500))
        cache.insert(3, for: "c")
        advance(.milliseconds(500))
        #expect(cache.fresh(["a", "c"]) == nil)
        #expect(cache.fresh(["c"]) == [3])
    }

    @Test func `at the bound all values go; a known key needs no room`() {
        let cache = cache(max: 2)
        cache.insert(1, for: "a")
        cache.insert(2, for: "b")
        cache.insert(3, for: "b")
        #expect(cache.fresh(["a", "b"]) == [1, 3])
        cache.insert(4, for: "c")
        #expect(cache.last("a") == nil)
        #expect(cache.last("b") == nil)
        #expect(cache.fresh("c") == 4)
        cache.insert([("d", 5), ("e", 6)])
        #expect(cache.last("c") == nil)
        #expect(cache.fresh(["d", "e"]) == [5, 6])
        cache.insert(7, for: "f")
        #expect(cache.last("d") == nil)
        #expect(cache.last("f") == 7)
    }

    @Test func `costs are bounded together, and go with their values`() {
        let cache = cache(costMax: 10)
        cache.insert(6, for: "a")
        cache.insert(4, for: "b")
        cache.insert(5, for: "a")
        cache.insert(1, for: "c")
        #expect(cache.fresh(["a", "b", "c"]) == [5, 4, 1])
        cache.invalidate { $0 == "a" }
        cache.remove("c")
        cache.remove("unknown")
        cache.insert(6, for: "d")
        #expect(cache.fresh(["b", "d"]) == [4, 6])
        cache.insert(1, for: "e")
        #expect(cache.last("b") == nil)
        #expect(cache.fresh(["e"]) == [1])
        cache.insert(100, for: "f")
        #expect(cache.last("e") == nil)
        #expect(cache.fresh("f") == 100)
    }

    @Test func `a reply to a request from before an invalidation is not stored, for any key`() {
        let cache = cache()
        cache.insert(1, for: "a")
        cache.insert(2, for: "b")
        let ticket = cache.ticket()
        cache.invalidate { $0 == "a" }
        #expect(cache.last("a") == nil)
        #expect(cache.fresh("b") == 2)
        #expect(!cache.insert(3, for: "a", ticket))
        #expect(!cache.insert(3, for: "b", ticket))
        #expect(cache.last("a") == nil)
        #expect(cache.insert(4, for: "a", cache.ticket()))
        cache.invalidate()
        #expect(cache.last("a") == nil)
        #expect(cache.last("b") == nil)
    }

    @Test func `an expired value is still known, and replies in flight are discarded on request only`() {
        let cache = cache()
        cache.insert(1, for: "a")
        var ticket = cache.ticket()
        cache.expire("a")
        #expect(cache.fresh("a") == nil)
        #expect(cache.last("a") == 1)
        #expect(cache.insert(2, for: "a", ticket))
        #expect(cache.fresh("a") == 2)
        ticket = cache.ticket()
        cache.expire("a", discardingReplies: true)
        #expect(!cache.insert(3, for: "a", ticket))
        #expect(cache.fresh("a") == nil)
        #expect(cache.last("a") == 2)
    }

    @Test func `a slow reply does not replace one that was requested later`() {
        let cache = cache()
        let slow = cache.ticket()
        advance(.milliseconds(1))
        cache.insert(2, for: "a", cache.ticket())
        #expect(cache.insert(1, for: "a", slow))
        #expect(cache.fresh("a") == 2)
    }
}
