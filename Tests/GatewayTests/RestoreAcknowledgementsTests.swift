import Testing

@testable import Gateway

@Suite struct RestoreAcknowledgementsTests {
    @Test func `an end is due once it was written, and not before`() {
        var ends = RestoreAcknowledgements()
        ends.queue("r1")
        ends.retry()
        #expect(ends.take() == nil)
        ends.areInWrite()
        ends.queue("r2")
        #expect(ends.take() == nil)
        ends.wereWritten()
        #expect(ends.areDue)
        #expect(ends.take() == ["r1"])
        ends.wereAcknowledged(["r1"])
        ends.areInWrite()
        ends.wereWritten()
        #expect(ends.take() == ["r2"])
    }

    @Test func `what was taken is due again after a second, until it is acknowledged`() {
        var ends = RestoreAcknowledgements()
        ends.queue("r1")
        ends.areInWrite()
        ends.wereWritten()
        #expect(ends.take() == ["r1"])
        #expect(ends.take() == nil)
        ends.retry()
        #expect(ends.take() == ["r1"])
        ends.wereAcknowledged(["r1"])
        ends.retry()
        #expect(!ends.areDue)
        #expect(ends.take() == nil)
    }

    @Test func `a bounded number waits`() {
        var ends = RestoreAcknowledgements()
        for number in 0...RestoreAcknowledgements.writtenMax { ends.queue("\(number)") }
        ends.areInWrite()
        ends.wereWritten()
        #expect(ends.take()?.count == RestoreAcknowledgements.writtenMax)
    }
}
