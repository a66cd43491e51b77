import StoreHTTP
import Testing

@testable import Chaos

/// Outages and recoveries of services, from faults and answers to probes.
@Suite struct ServiceBoardTests {
    private typealias Change = ServiceBoard.Change
    private let kill = PlannedFault(number: 1, name: .kill, target: "catalog")
    private let pause = PlannedFault(number: 2, name: .pause, target: "catalog", length: .seconds(2))

    @Test func `a killed service recovers with the first answer to a later question`() {
        var board = ServiceBoard(["catalog", "gateway"])
        #expect(board.begin(kill, now: 1_000) == [Change(service: "catalog", isUp: false, recovered: nil)])
        #expect(!board.areAllUp)
        #expect(board.probed("catalog", answers: true, asked: 990, now: 1_010).isEmpty, "asked before the kill")
        #expect(board.probed("catalog", answers: false, asked: 1_020, now: 1_100).isEmpty)
        let changes = board.probed("catalog", answers: true, asked: 2_700, now: 2_800)
        #expect(changes == [Change(service: "catalog", isUp: true, recovered: 1_800)])
        #expect(board.areAllUp)
        #expect(board.services.compactMap(\.worstRecoveryMilliseconds).max() == 1_800)
    }

    @Test func `a fault with a length is recovered from since its end`() {
        var board = ServiceBoard(["catalog"])
        #expect(board.begin(pause, now: 1_000).isEmpty)
        #expect(board.services[0].faults == ["pause"])
        #expect(board.probed("catalog", answers: false, asked: 1_100, now: 1_900).map(\.isUp) == [false])
        board.end(pause, now: 3_000)
        #expect(board.probed("catalog", answers: true, asked: 3_010, now: 3_050).map(\.recovered) == [50])
        #expect(board.services[0].faults.isEmpty)
    }

    @Test func `a fault that no probe noticed has no recovery`() {
        var board = ServiceBoard(["catalog"])
        _ = board.begin(pause, now: 1_000)
        board.end(pause, now: 1_100)
        #expect(board.probed("catalog", answers: true, asked: 1_200, now: 1_210).isEmpty)
        #expect(board.services.compactMap(\.worstRecoveryMilliseconds).max() == nil)
    }

    @Test func `a process that was not there before is a restart`() {
        var board = ServiceBoard(["catalog"])
        #expect(board.found("catalog", processes: [0]) == 0, "there is none yet")
        #expect(board.found("catalog", processes: [11, 12]) == 0)
        #expect(board.found("catalog", processes: [11, 0]) == 0)
        #expect(board.found("catalog", processes: [11, 13]) == 1)
        #expect(board.found("catalog", processes: [21, 22]) == 2)
        #expect(board.services[0].restarts == 3)
    }

    @Test func `the last recovery is not the worst one`() {
        var board = ServiceBoard(["catalog"])
        for (begin, length) in [(0, 900), (5_000, 200)] as [(Int64, Int64)] {
            _ = board.begin(kill, now: begin)
            _ = board.probed("catalog", answers: true, asked: begin + 1, now: begin + length)
        }
        #expect(board.services[0].lastRecoveryMilliseconds == 200 && board.services[0].worstRecoveryMilliseconds == 900)
    }
}
