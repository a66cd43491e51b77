import Testing

@testable import AppAPI

@Suite struct AcknowledgementsTests {
    @Test func `an end counts as written once it has gone to a reader who is there`() {
        var ends = Acknowledgements()
        ends.queue(.restoreEnd("r1"))
        #expect(!ends.isWriting)
        ends.areInWrite()
        ends.queue(.restoreEnd("r2"))
        #expect(ends.isWriting)
        #expect(ends.written.isEmpty)
        ends.wereWritten(isRead: true)
        #expect(ends.written == [.restoreEnd("r1")])
        ends.areInWrite()
        ends.wereWritten(isRead: false)
        #expect(ends.written == [.restoreEnd("r1")], "the reader had left before the second")
        #expect(!ends.isWriting)
    }

    @Test func `a bounded number waits`() {
        var ends = Acknowledgements()
        for number in 0...Acknowledgements.writtenMax { ends.queue(.revocation(Int64(number))) }
        ends.areInWrite()
        ends.wereWritten(isRead: true)
        #expect(ends.written.count == Acknowledgements.writtenMax)
    }
}
