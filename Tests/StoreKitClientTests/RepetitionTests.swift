import Foundation
import StoreModels
import Testing

@testable import StoreKitClient

/// Goal: what may have been carried out is asked again until the store says what became of it (P3, P4); what certainly
/// was not may be given up.
@Suite struct RepetitionTests {
    private enum Kind: Equatable { case done, failed, again }

    private func kind(_ step: Repetition.Step) -> Kind {
        switch step {
        case .done: .done
        case .failed: .failed
        case .again: .again
        }
    }

    private func answer(_ status: Int, _ code: String = "") -> Result<HTTPResponse, any Error> {
        .success(HTTPResponse(status: status, headers: [:], body: Array(#"{"code":"\#(code)"}"#.utf8)))
    }

    private func lost(_ code: URLError.Code) -> Result<HTTPResponse, any Error> { .failure(URLError(code)) }

    @Test(arguments: [200, 201, 202]) func `an answer ends it`(status: Int) {
        var repetition = Repetition(.quick, retryTimeout: .seconds(1))
        #expect(kind(repetition.after(answer(status), elapsed: .zero)) == .done)
    }

    @Test(arguments: [400, 401, 403, 404, 409, 422, 501]) func `a refusal ends it`(status: Int) {
        var repetition = Repetition(.quick, retryTimeout: nil)
        #expect(kind(repetition.after(answer(status, "requestInvalid"), elapsed: .zero)) == .failed)
    }

    @Test(arguments: [
        URLError.Code.cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet,
    ])
    func `without a connection it is tried for a while and then fails`(code: URLError.Code) {
        var repetition = Repetition(.quick, retryTimeout: .seconds(1))
        #expect(kind(repetition.after(lost(code), elapsed: .milliseconds(999))) == .again)
        #expect(kind(repetition.after(lost(code), elapsed: .seconds(1))) == .failed)
        #expect(!repetition.isOutcomeUnknown)
    }

    @Test(arguments: [(503, "serviceUnavailable"), (429, "rateLimited")])
    func `what the store says it has not done may be given up`(status: Int, code: String) {
        var repetition = Repetition(.quick, retryTimeout: .seconds(1))
        #expect(kind(repetition.after(answer(status, code), elapsed: .zero)) == .again)
        #expect(kind(repetition.after(answer(status, code), elapsed: .seconds(2))) == .failed)
    }

    @Test(arguments: [(504, "outcomeUnknown"), (500, "internal"), (502, ""), (409, "inFlight")])
    func `an unknown outcome is asked for again, indefinitely`(status: Int, code: String) {
        var repetition = Repetition(.quick, retryTimeout: .seconds(1))
        #expect(kind(repetition.after(answer(status, code), elapsed: .seconds(1000))) == .again)
        #expect(repetition.isOutcomeUnknown)
        // Not even a store that cannot be reached any more makes it a failure.
        #expect(kind(repetition.after(lost(.cannotConnectToHost), elapsed: .seconds(1000))) == .again)
        #expect(kind(repetition.after(answer(503), elapsed: .seconds(1000))) == .again)
        #expect(kind(repetition.after(answer(401), elapsed: .seconds(1000))) == .again)
        #expect(kind(repetition.after(answer(201), elapsed: .seconds(1000))) == .done)
    }

    @Test(arguments: [URLError.Code.networkConnectionLost, .timedOut, .badServerResponse])
    func `a lost answer is an unknown outcome`(code: URLError.Code) {
        var repetition = Repetition(.quick, retryTimeout: .zero)
        #expect(kind(repetition.after(lost(code), elapsed: .seconds(1))) == .again)
        #expect(repetition.isOutcomeUnknown)
    }

    @Test func `no session is no request`() {
        var repetition = Repetition(.quick, retryTimeout: .zero)
        let refused = StoreProblem(status: 409, body: Array(#"{"code":"storefrontMismatch"}"#.utf8))
        #expect(kind(repetition.after(.failure(refused), elapsed: .zero)) == .failed)
        #expect(!repetition.isOutcomeUnknown)
    }

    @Test func `waits double up to the bound and are never shorter than the store asks for`() {
        let timing = ClientTiming(backoffMin: .milliseconds(100), backoffMax: .seconds(5))
        var backoff = RetryBackoff(timing)
        #expect(
            (0...7).map { backoff.bound($0) }
                == [100, 200, 400, 800, 1600, 3200, 5000, 5000].map(Duration.milliseconds))
        #expect(backoff.bound(1_000_000) == .seconds(5))
        for number in 0..<50 { #expect(backoff.next() <= backoff.bound(number)) }
        #expect(backoff.next(atLeast: .seconds(9)) == .seconds(9))
    }
}
