import BusService
import StoreModels
import Testing

@Suite struct ReplyBudgetTests {
    private let budget = ReplyBudget.bytesMax

    @Test func `a page ends before the row that would not fit`() {
        // Every row has a comma behind it.
        let sizes = [budget - 10, 8, 1]
        #expect(ReplyBudget.fitting(sizes) { $0 } == [budget - 10, 8])
        #expect(ReplyBudget.fitting([budget / 2, budget / 2]) { $0 } == [budget / 2])
        #expect(ReplyBudget.fitting([Int]()) { $0 }.isEmpty)
    }

    @Test func `a row that is too large by itself is a page, so that reading goes on`() {
        #expect(ReplyBudget.fitting([budget + 1, 1]) { $0 } == [budget + 1])
    }

    @Test func `rows are measured as they are written`() throws {
        // Two quotes and a comma besides the text; a control character is written as six.
        let plain = String(repeating: "a", count: budget / 4 - 3)
        #expect(try ReplyBudget.fitting(Array(repeating: plain, count: 5)).count == 4)
        let escaped = String(repeating: "\u{1}", count: budget / 4 - 3)
        #expect(try ReplyBudget.fitting(Array(repeating: escaped, count: 5)).count == 1)
    }

    @Test(arguments: [(0, false), (1, true), (100, true), (101, false), (-1, false)])
    func `a limit is one to the most there may be`(_ limit: Int, _ isGood: Bool) {
        do throws(StoreError) {
            try ReplyBudget.checkLimit(limit, max: 100)
            #expect(isGood)
        } catch {
            #expect(!isGood)
            #expect(error.code == .requestInvalid)
            #expect(error.details["path"] == .string("$.limit"))
        }
    }
}
