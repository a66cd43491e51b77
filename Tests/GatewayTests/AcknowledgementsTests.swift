import Testing

@testable import Gateway

@Suite struct AcknowledgementsTests {
    @Test func `an end is due once it was written, and not before`() {
        var ends = Acknowledgements()
        ends.queue(.restoreEnd("r1"))
        ends.retry()
        #expect(ends.take() == nil)
        ends.areInWrite()
        ends.queue(.restoreEnd("r2"))
        #expect(ends.take() == nil)
        ends.wereWritten()
        #expect(ends.areDue)
        #expect(ends.take() == [.restoreEnd("r1")])
        ends.wereAcknowledged([.restoreEnd("r1")])
        ends.areInWrite()
        ends.wereWritten()
        #expect(ends.take() == [.restoreEnd("r2")])
    }

    @Test func `what was taken is due again after a second, until it is acknowledged`() {
        var ends = Acknowledgements()
        ends.queue(.restoreEnd("r1"))
        ends.areInWrite()
        ends.wereWritten()
        #expect(ends.take() == [.restoreEnd("r1")])
        #expect(ends.take() == nil)
        ends.retry()
        #expect(ends.take() == [.restoreEnd("r1")])
        ends.wereAcknowledged([.restoreEnd("r1")])
        ends.retry()
        #expect(!ends.areDue)
        #expect(ends.take() == nil)
    }

    @Test func `a bounded number waits`() {
        var ends = Acknowledgements()
        for number in 0...Acknowledgements.writtenMax { ends.queue(.revocation(Int64(number))) }
        ends.areInWrite()
        ends.wereWritten()
        #expect(ends.take()?.count == Acknowledgements.writtenMax)
    }
}
