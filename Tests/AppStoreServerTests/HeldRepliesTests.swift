import EventLoop
import StoreModels
import Testing

@testable import AppStoreServer

/// Goal: a large body arrives whole, and bodies that no gateway reads do not fill the memory.
@Suite struct HeldRepliesTests {
    private static let part = HeldReplies.partBytes

    @Test func `a body comes in parts, and its rest is gone after the last one`() throws {
        let held = HeldReplies(instance: "one")
        let body = (0..<2 * Self.part + 3).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let (first, cut) = held.cut(body)
        let rest = try #require(cut)
        #expect(rest.instance == "one" && rest.count == body.count - Self.part)
        var read = first.bytes
        for offset in [0, Self.part] {
            let part = try held.part(HTTPRestRequest(identifier: rest.identifier, offset: offset))
            read += part.data.bytes
        }
        #expect(read == body)
        #expect(Self.isGone(rest, in: held))
    }

    @Test func `a body that fits is not held`() {
        let (first, rest) = HeldReplies(instance: "one").cut(Array(repeating: 1, count: Self.part))
        #expect(first.bytes.count == Self.part && rest == nil)
    }

    @Test func `an unknown name and an offset outside of the rest are refused`() throws {
        let held = HeldReplies(instance: "one")
        let rest = try #require(held.cut(Array(repeating: 1, count: Self.part + 1)).rest)
        for offset in [-1, 1, Int.max] {
            #expect(throws: StoreError.self) {
                try held.part(HTTPRestRequest(identifier: rest.identifier, offset: offset))
            }
        }
        #expect(throws: StoreError.self) { try held.part(HTTPRestRequest(identifier: "0", offset: 0)) }
        #expect(!Self.isGone(rest, in: held))
    }

    @Test func `a rest that is not read is given up after its time`() throws {
        let start = ContinuousClock.now
        let clock = Locked(start)
        let held = HeldReplies(instance: "one", now: { clock.withLock { $0 } })
        let early = try #require(held.cut(Array(repeating: 1, count: Self.part + 1)).rest)
        let late = try #require(held.cut(Array(repeating: 1, count: Self.part + 1)).rest)
        clock.withLock { $0 = start + HeldReplies.lifetime - .nanoseconds(1) }
        #expect(!Self.isGone(early, in: held))
        clock.withLock { $0 = start + HeldReplies.lifetime }
        #expect(Self.isGone(late, in: held))
    }

    @Test func `beyond the bound the oldest rest is given up`() throws {
        let held = HeldReplies(instance: "one")
        let body = [UInt8](repeating: 1, count: Self.part + HeldReplies.bytesMax / 2)
        let rests = try (0..<3).map { _ in try #require(held.cut(body).rest) }
        #expect(rests.map { Self.isGone($0, in: held) } == [true, false, false])
    }

    private static func isGone(_ rest: HTTPExchangeReply.Rest, in held: HeldReplies) -> Bool {
        (try? held.part(HTTPRestRequest(identifier: rest.identifier, offset: 0))) == nil
    }
}
