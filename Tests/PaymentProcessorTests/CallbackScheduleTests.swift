import StoreModels
import StorebusTesting
import Testing

@testable import PaymentProcessor

/// Goal: callbacks come when they are due, in order, and only so many wait.
@Suite struct CallbackScheduleTests {
    private func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

    @Test func `what is due comes out in order, what is not stays`() {
        var schedule = CallbackSchedule()
        for (key, due) in [("b", 20), ("d", 40), ("a", 10), ("c", 20)] { schedule.add(key, due: at(Int64(due))) }
        #expect(schedule.next == at(10))
        #expect(schedule.takeDue(now: at(9)).isEmpty)
        #expect(schedule.takeDue(now: at(20)) == ["a", "b", "c"])
        #expect(schedule.next == at(40))
        #expect(schedule.takeDue(now: at(100)) == ["d"])
        #expect(schedule.next == nil)
    }

    @Test func `any order of adding gives the same order of sending`() {
        var random = SplitMix64.seeded()
        let dues = (0..<200).map { _ in Int64.random(in: 0..<50, using: &random) }
        var schedule = CallbackSchedule()
        for due in dues { schedule.add("\(due)", due: at(due)) }
        #expect(schedule.takeDue(now: at(50)) == dues.sorted().map(String.init))
    }

    @Test func `beyond its bound a callback is dropped`() {
        var schedule = CallbackSchedule()
        let added = (0..<CallbackSchedule.waitingMax).count { schedule.add("\($0)", due: at(1)) }
        #expect(added == CallbackSchedule.waitingMax)
        let isOneMoreAdded = schedule.add("more", due: at(1))
        #expect(!isOneMoreAdded)
        #expect(schedule.takeDue(now: at(1)).count == CallbackSchedule.waitingMax)
        let isThereRoom = schedule.add("more", due: at(1))
        #expect(isThereRoom)
    }
}
